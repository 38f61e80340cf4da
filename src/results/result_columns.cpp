#include <numeric>

#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "results/result_column.hpp"
#include "results/values_hash.hpp"

namespace rarefact {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

constexpr hsize_t chunked_from_cells = 8192;
/// 256 KiB: four fit into HDF5's chunk cache of 1 MiB, so that readers decode each once; unfinished chunks stay small.
constexpr hsize_t chunk_cells = 32768;

/// The chunks of a column with these extents: pieces of at most 256 KiB, as long as possible in the last dimensions. Empty
/// for texts and small arrays, for which chunks and filters would cost more than they save.
std::vector<hsize_t> chunk_extents(const CellValues& cells, const std::vector<hsize_t>& extents) {
  const hsize_t all = std::accumulate(extents.begin(), extents.end(), hsize_t{1}, std::multiplies<>());
  if (kind_of(cells) == CellKind::text || all <= chunked_from_cells) return {};
  std::vector<hsize_t> chunk(extents.size(), 1);
  hsize_t inner = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    chunk[i] = std::min(extents[i], std::max<hsize_t>(1, chunk_cells / inner));
    inner *= chunk[i];
  }
  return chunk;
}

/// The value of a swept key; NaN or an empty text in a run that does not have it.
ResultColumn parameter_column(const std::string& name, const std::string& key, bool text) {
  ResultColumn column{name, {"run"}, "swept value of " + key};
  column.attributes = {{"key", key}};
  if (text) column.cells = std::vector<std::string>();
  column.append = [key](const Run& run, CellValues& cells) {
    const auto found = run.parameters.find(key);
    const bool there = found != run.parameters.end();
    if (auto* numbers = std::get_if<std::vector<double>>(&cells))
      return numbers->push_back(there ? std::get<double>(found->second) : nan);
    const auto shown = [](const auto& value) { return fmt::format("{}", value); };
    std::get<std::vector<std::string>>(cells).push_back(there ? std::visit(shown, found->second) : "");
  };
  return column;
}

ResultColumn field_column(const ResultField& field, const ResultShape& shape) {
  const std::size_t width = shape.width(field);
  const Index row = field.matrix.empty() ? 0 : static_cast<Index>(shape.length(field.matrix[1]));
  ResultColumn column{field.name, dimensions_of(field), field.long_name, field.units};
  std::visit([&]<class T, class Holder>(T Holder::*) { column.cells = std::vector<EntryOf<T>>(); },
             field.member);
  column.append = [&field, width, row](const Run& run, CellValues& cells) {
    std::visit(
        [&]<class Entry>(std::vector<Entry>& all) {
          const std::size_t end =
              all.size() + width * (field.per_optimizer() ? run.trajectories.size() : std::size_t{1});
          visit_field(field, run, [&]<class T>(const T& value) {
            if constexpr (std::is_same_v<T, Entry>) all.push_back(value);
            if constexpr (std::is_same_v<T, std::vector<Entry>>)
              all.insert(all.end(), value.begin(), value.end());
            if constexpr (std::is_same_v<T, StoredMatrix> && std::is_same_v<Entry, double>) {
              const auto place = all.insert(all.end(), width, nan);
              for (std::size_t i = 0; i < value.entries.size(); ++i)
                place[static_cast<Index>(i / value.columns) * row + static_cast<Index>(i % value.columns)] =
                    value.entries[i];
            }
          });
          if constexpr (std::is_same_v<Entry, double>) all.resize(end, field.padding);
          all.resize(end);
        },
        cells);
  };
  return column;
}

/// A series of every trajectory; NaN if a trajectory does not have it.
ResultColumn series_column(const Variable& variable, const ResultShape& shape) {
  ResultColumn column{variable.name, series_dimensions(variable.along), variable.long_name, variable.units};
  const std::size_t row = shape.width(variable.along), steps = shape.steps;
  column.append = [=, name = variable.name, along = variable.along](const Run& run, CellValues& cells) {
    auto& all = std::get<std::vector<double>>(cells);
    const std::size_t width = width_of(run, along);
    for (const Trajectory& trajectory : run.trajectories) {
      const std::vector<double>* found = trajectory.find(name);
      const std::size_t begin = all.size(), count = found ? found->size() : 0;
      if (found && width == row && count == steps * row) {
        all.insert(all.end(), found->begin(), found->end());
        continue;
      }
      all.resize(begin + steps * row, nan);
      for (std::size_t i = 0; i < count; i += width)
        std::copy_n(&(*found)[i], width, &all[begin + i / width * row]);
    }
  };
  if (!variable.source.empty())
    column.attributes = {{"source", variable.source}, {"validity", variable.validity}};
  return column;
}

}  // namespace

void ResultColumn::create(const Hdf5Session& session, hid_t file, const ResultShape& shape) {
  order.extents =
      mapped(dimensions, [&](const std::string& dimension) { return hsize_t{shape.length(dimension)}; });
  order.chunk = chunk_extents(cells, order.extents);
  dataset =
      create_dataset(session, file, name, cell_type(session, kind_of(cells)), order.extents, order.chunk);
  write_text_attribute(session, dataset, "long_name", long_name);
  write_text_attribute(session, dataset, "units", units);
}

void ResultColumn::add(const std::vector<Run>& runs) {
  const std::size_t of_run =
      std::accumulate(order.extents.begin() + 1, order.extents.end(), std::size_t{1}, std::multiplies<>());
  // Room for what waits for the rest of its chunk, so that the vector does not grow with each part.
  const std::size_t most =
      std::min<std::size_t>(order.capacity() + runs.size() * of_run, order.extents.front() * of_run);
  std::visit(
      [&]<class T>(std::vector<T>& values) {
        const std::size_t waiting = values.size();
        values.reserve(std::max(most, waiting + runs.size() * of_run));
        for (const Run& run : runs) append(run, cells);
        add_values(digest, std::span<const T>(values).subspan(waiting));
      },
      cells);
  added += runs.size();
  if (!order.chunk.empty()) encode_whole_chunks();
}

void ResultColumn::encode_whole_chunks() {
  std::visit(
      [&]<class T>(std::vector<T>& values) {
        std::size_t taken = 0;
        while (taken < values.size()) {
          const std::size_t count = order.length(encoded);
          if (count > values.size() - taken) break;
          const auto entries = std::as_bytes(std::span<const T>(values).subspan(taken, count));
          chunks.push_back({order.position(encoded), encode_chunk(entries, order.capacity())});
          taken += count;
          encoded += count;
        }
        values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(taken));
      },
      cells);
}

void ResultColumn::write(const Hdf5Session& session) {
  const std::string what = fmt::format("write '{}'", name);
  if (!order.chunk.empty()) {
    for (const EncodedChunk& chunk : std::exchange(chunks, {}))
      session.check(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, chunk.position.data(), chunk.bytes.size(),
                                   chunk.bytes.data()),
                    what);
    return;
  }
  std::vector<hsize_t> from(order.extents.size(), 0), count = order.extents;
  from.front() = written;
  count.front() = added - written;
  const auto rank = static_cast<int>(count.size());
  const auto memory = session.own(H5Screate_simple(rank, count.data(), nullptr), H5Sclose, what);
  const auto place = session.own(H5Dget_space(dataset), H5Sclose, what);
  session.check(H5Sselect_hyperslab(place, H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr),
                what);
  write_values(session, dataset, name, cells, memory, place);
  std::visit([](auto& values) { values.clear(); }, cells);
  written = added;
}

std::vector<ResultColumn> result_columns(const ResultHead& head, const ResultShape& shape) {
  std::vector<ResultColumn> columns;
  std::map<std::string, std::string> keys;  // by name in the file
  for (const auto& [key, text] : head.parameters) {
    const auto [place, fresh] = keys.emplace(parameter_variable(key), key);
    if (!fresh) throw std::logic_error(fmt::format("{} and {} share a name in the file", place->second, key));
  }
  for (const auto& [name, key] : keys)
    columns.push_back(parameter_column(name, key, head.parameters.at(key)));
  for (const ResultField& field : result_fields())
    if (shape.has(field)) columns.push_back(field_column(field, shape));
  for (const Variable& variable : head.described.variables) columns.push_back(series_column(variable, shape));
  return columns;
}

}  // namespace rarefact
