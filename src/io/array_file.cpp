#include "io/array_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <map>
#include <memory>
#include <mutex>

#include "io/checksum.hpp"
#include "io/hdf5.hpp"
#include "io/regular_file.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

constexpr std::string_view before_array = ":/";

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMajor read_dataset(const Hdf5Session& session, std::span<const std::byte> bytes, const std::string& name) {
  const auto file = session.open_image(bytes);
  const auto dataset = session.open_dataset(file, name);
  const std::string what = "use '" + name + "'";
  const auto type = session.own(H5Dget_type(dataset), H5Tclose, what);
  const H5T_class_t kind = H5Tget_class(type);
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || H5Tget_size(type) > 8) {
    session.fail(what + ": its entries are not real numbers of up to 64 bits");
  }
  const auto extents = session.extents(dataset, name);
  if (extents.size() != 2 || extents[0] == 0 || extents[1] == 0) {
    session.fail(what + ": it is not an array of two dimensions with entries");
  }
  session.require_plausible_size(file, dataset, name, sizeof(double));
  RowMajor rows(static_cast<Index>(extents[0]), static_cast<Index>(extents[1]));
  session.check(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()), what);
  if (!rows.allFinite()) session.fail(what + ": " + first_not_finite(rows));
  return rows;
}

/// A cache of arrays, or errors, by name.
template <class T>
class ReadOnce {
 public:
  template <class Read>
  T get(const std::string& name, const Read& read) {
    const std::lock_guard lock(mutex_);
    const auto [place, fresh] = results_.try_emplace(name);
    auto& [value, error] = place->second;
    if (fresh) {
      try {
        value = read();
      } catch (...) {
        error = std::current_exception();
      }
    }
    if (error) std::rethrow_exception(error);
    return value;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::pair<T, std::exception_ptr>> results_;
};

bool in_hdf5(const std::string& path) {
  return path.find(before_array) != std::string::npos || path.ends_with(".h5") || path.ends_with(".hdf5");
}

}  // namespace

std::string first_not_finite(const Matrix& array) {
  for (Index j = 0; j < array.cols(); ++j) {
    for (Index i = 0; i < array.rows(); ++i) {
      if (!std::isfinite(array(i, j)))
        return fmt::format("row {}, column {} (counted from 0) is {}; expected finite numbers", i, j,
                           array(i, j));
    }
  }
  return "";
}

Matrix read_hdf5_array(const std::string& location) {
  const std::size_t at = location.rfind(before_array);
  if (at == std::string::npos) {
    throw InputError({{location, 0, 0, "name the dataset too, as in FILE.h5:/dataset"}});
  }
  const std::string path = location.substr(0, at);
  if (const std::string why = reading_objection(path); !why.empty()) throw InputError({{path, 0, 0, why}});
  // Freed before the array is copied to columns, so that at most two of the three exist at a time.
  std::vector<std::byte> bytes = read_bytes(path);
  if (const ChecksumState state = verify_checksum(bytes, path); state == ChecksumState::differs)
    throw InputError({{path, 0, 0, *objection(state, path)}});
  try {
    const Hdf5Session session(path);
    RowMajor rows;
    const auto read = [&] { rows = read_dataset(session, bytes, location.substr(at + 1)); };
    session.rehearse_reading(read, bytes.size());
    read();
    bytes = {};
    return rows;
  } catch (const FileError& error) {
    // The file can be opened but is not an array of numbers.
    throw InputError(std::string(error.what()));
  }
}

FileReaders file_readers(const std::filesystem::path& base_directory) {
  const auto resolve = [base_directory](const std::string& path) { return (base_directory / path).string(); };
  const auto array = [resolve](const std::string& path) -> Matrix {
    return in_hdf5(path) ? read_hdf5_array(resolve(path)) : read_npy(resolve(path));
  };
  const auto counted = [resolve](Counting what) -> CountReader {
    const auto counts = std::make_shared<ReadOnce<CountTable>>();
    return [=](const std::string& path, const std::string& column) {
      return counts->get(path + '\n' + column, [&] { return read_counts(resolve(path), column, what); });
    };
  };
  const auto pairs = std::make_shared<ReadOnce<PairCounts>>();
  const auto shapes = std::make_shared<ReadOnce<ArrayShape>>();
  return {
      .counts = counted(Counting::facts),
      .arrays = array,
      .shape_of_array =
          [=](const std::string& path) {
            return shapes->get(path, [&]() -> ArrayShape {
              const Matrix read = array(path);
              return {read.rows(), read.cols(), first_zero_column(read)};
            });
          },
      .pairs =
          [=](const std::string& path) {
            return pairs->get(path, [&] { return read_pairs(resolve(path)); });
          },
      .fan_ins = counted(Counting::queries),
  };
}

}  // namespace rarefact
