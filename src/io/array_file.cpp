#include "io/array_file.hpp"

#include <exception>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "io/checksum.hpp"
#include "io/hdf5.hpp"
#include "io/regular_file.hpp"

namespace rarefact {

namespace {

constexpr std::string_view before_array = ":/";

/// "/weights" and ["0", "muon"] of "/weights[0, muon]".
std::pair<std::string, std::vector<std::string>> name_and_picks(const std::string& text) {
  const std::size_t at = text.find('[');
  if (at == std::string::npos || !text.ends_with(']')) return {text, {}};
  std::vector<std::string> picks;
  for (const std::string_view pick :
       split_text(std::string_view(text).substr(at + 1, text.size() - at - 2), ','))
    picks.emplace_back(trimmed(pick, " "));
  return {text.substr(0, at), picks};
}

/// The labels of the dimension optimizer, the last one before rows and columns.
std::vector<std::string> labels_of(const Hdf5Session& session, hid_t file, hsize_t length) {
  const std::string name = "optimizer";
  if (H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0) return {};
  auto labels = read_values<std::string>(session, file, session.open_dataset(file, name), name);
  return labels.size() == length ? labels : std::vector<std::string>();
}

/// Where an index, or one of the labels, is in a dimension of this length.
hsize_t place_of(const Hdf5Session& session, const std::string& pick, hsize_t length,
                 const std::vector<std::string>& known) {
  const auto found = std::ranges::find(known, pick);
  if (const auto index = parse_number<std::int64_t>(pick)) {
    if (found != known.end() && found - known.begin() != *index)
      session.fail(fmt::format("use [{}]: it is the index of {} and the label of another optimizer", pick,
                               *index < std::ssize(known) && *index >= 0 ? known[*index] : "none"));
    if (*index >= 0 && static_cast<hsize_t>(*index) < length) return static_cast<hsize_t>(*index);
    session.fail(fmt::format("use [{}]: the indices here are 0 to {}", pick, length - 1));
  }
  if (found == known.end())
    session.fail(fmt::format("use [{}]: it is neither an index nor one of {}", pick,
                             known.empty() ? "the labels, of which there are none" : joined(known)));
  return static_cast<hsize_t>(found - known.begin());
}

RowMajor read_dataset(const Hdf5Session& session, std::span<const std::byte> bytes,
                      const std::string& location) {
  const auto [name, picks] = name_and_picks(location);
  const auto file = session.open_image(bytes);
  if (name.starts_with("/weights") && H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0)
    session.fail(fmt::format(
        "find '{}': results have weights only with run.weights = true, and those of factors only of products",
        name));
  const auto dataset = session.open_dataset(file, name);
  const std::string what = "use '" + name + "'";
  const auto type = session.own(H5Dget_type(dataset), H5Tclose, what);
  const H5T_class_t kind = H5Tget_class(type);
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || H5Tget_size(type) > 8)
    session.fail(what + ": its entries are not real numbers of up to 64 bits");
  const auto extents = session.extents(dataset, name);
  if (extents.size() != 2 + picks.size() || std::ranges::count(extents, 0) > 0) {
    const std::string shape = joined(mapped(extents, [](hsize_t n) { return std::to_string(n); }), " x ");
    session.fail(fmt::format("{}: it is not an array of two dimensions with entries{}", what,
                             extents.size() < 3
                                 ? ""
                                 : fmt::format(" but {}; name one matrix by {} indices or labels, as in "
                                               "FILE.h5:/weights[0, muon]",
                                               shape, extents.size() - 2)));
  }
  session.require_plausible_size(file, dataset, name, sizeof(double));
  std::vector<hsize_t> from(extents.size(), 0), count(extents.size(), 1);
  for (std::size_t i = 0; i < picks.size(); ++i) {
    const bool optimizers = i + 1 == picks.size();
    from[i] = place_of(session, picks[i], extents[i],
                       optimizers ? labels_of(session, file, extents[i]) : std::vector<std::string>());
  }
  std::copy_n(extents.end() - 2, 2, count.end() - 2);
  RowMajor rows(static_cast<Index>(count.end()[-2]), static_cast<Index>(count.back()));
  const auto memory =
      session.own(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose, what);
  const auto place = session.own(H5Dget_space(dataset), H5Sclose, what);
  session.check(H5Sselect_hyperslab(place, H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr),
                what);
  session.check(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, place, H5P_DEFAULT, rows.data()), what);
  if (!picks.empty()) rows = without_padding(rows);
  if (rows.size() == 0) session.fail(what + ": that run has stored none");
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

RowMajor without_padding(const Eigen::Ref<const RowMajor>& x) {
  Index rows = 0, columns = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) {
      if (std::isnan(x(i, j))) continue;
      rows = i + 1;
      columns = std::max(columns, j + 1);
    }
  }
  return x.topLeftCorner(rows, columns);
}

Matrix read_hdf5_array(const std::string& location) {
  const std::size_t at = location.rfind(before_array);
  if (at == std::string::npos)
    throw InputError({{location, 0, 0, "name the dataset too, as in FILE.h5:/dataset"}});
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
