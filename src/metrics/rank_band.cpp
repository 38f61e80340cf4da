#include "metrics/rank_band.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/sorted_order.hpp"

namespace rarefact {

namespace {

constexpr double rounding = 1e-6;

std::string ranks_text(double from, double to) {
  return from == to ? fmt::format("rank {:.0f}", from) : fmt::format("ranks {:.0f} to {:.0f}", from, to);
}

}  // namespace

bool has_nodes(const Run& run) {
  return std::ranges::any_of(run.class_count,
                             [](double count) { return std::abs(count - std::round(count)) > rounding; });
}

bool has_all_classes(const Run& run) {
  constexpr double rounding_of_sum = 1e-11;
  return !(std::inner_product(run.class_count.begin(), run.class_count.end(), run.class_probability.begin(),
                              0.0) < 1 - rounding_of_sum);
}

double ClassBand::classes() const {
  double sum = 0;
  for (const RankRange& range : ranges) sum += range.classes();
  return sum;
}

RankBand rank_band(const Run& run, const RankRange& range) {
  const auto& [from, to] = range;
  RankBand band;
  const bool nodes = has_nodes(run);
  double end = 0, next = from;  // the ranks up to `end` are before the row, those below `next` have a row
  std::optional<std::size_t> previous;
  bool was_inside = false;
  const auto lacks = [&](double last) {
    band.problem = fmt::format(
        "no class row has {}; run.classes = \"groups\" stores all classes in groups or quadrature nodes, and \"all\" "
        "each",
        ranks_text(next, last));
    return band;
  };
  for (const std::size_t row : sorted_order(run.class_count.size(), std::less(),
                                            [&](std::size_t i) { return run.class_log_rank[i]; })) {
    const double count = run.class_count[row];
    if (!(count > 0)) continue;  // padding
    const double first = std::exp(run.class_log_rank[row]) - (count + 1) / 2;
    // The exponential has rounding errors of several ranks far out.
    const double begin = nodes || std::abs(first - end) < 1e-9 * end ? end : std::round(first);
    end = begin + count;
    const double classes = std::min(end, to) - std::max(begin, from - 1);
    const bool inside = classes > rounding,
               several = count > 1 || (previous && run.class_count[*previous] > 1),
               cut = previous && inside != was_inside,
               tied = previous && run.class_probability[row] == run.class_probability[*previous];
    previous = row;
    was_inside = inside;
    if (run.answers && !nodes && several && cut && tied) {
      band.problem = fmt::format(
          "equally frequent queries with other answers share the ranks around {:.0f}; end the band elsewhere, or run with "
          "run.classes = \"all\"",
          begin + 1);
      return band;
    }
    if (!inside) continue;
    if (begin > next - 1 + rounding) return lacks(std::min(begin, to));
    if (!nodes && classes < count) {
      band.problem = fmt::format(
          "the row of {} is a mean over more classes than those of the band; begin and end it between rows, or run "
          "with run.classes = \"all\"",
          ranks_text(begin + 1, end));
      return band;
    }
    band.rows.emplace_back(row, classes);
    band.of_nodes = band.of_nodes || (nodes && std::abs(count - 1) > rounding);
    next = end + 1;
  }
  // Weights of nodes sum to the number of classes up to rounding.
  return next < to + 1 - std::max(rounding, 1e-9 * to) ? lacks(to) : band;
}

}  // namespace rarefact
