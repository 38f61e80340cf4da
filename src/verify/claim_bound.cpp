// The relation `bounded`: a ratio that does not grow with x.

#include "verify/claim_finding.hpp"

namespace rarefact::claims {

namespace {

/// The growth of a ratio over the upper half of the range of x (in ln x), of at least three points.
struct Growth {
  double from;  ///< the first x of that half
  LineFit trend;
  bool rises;      ///< every local slope is above the allowed one
  bool undecided;  ///< it seems to grow, and an exponent of a half is not excluded
  bool grows;
};

Growth growth_of(const Points& ratio, double allowed) {
  auto from = ratio.lower_bound(std::sqrt(ratio.begin()->first) * std::sqrt(ratio.rbegin()->first));
  while (std::distance(from, ratio.end()) < 3) --from;
  const Points late(from, ratio.end());
  const LineFit trend = fit_power(keys(late), values(late));
  // Few points have wide intervals, but without noise they would not all rise by chance.
  const bool rises = std::ranges::all_of(trend.local_slopes, [&](double slope) { return slope > allowed; }),
             grows = trend.slope > allowed && (trend.slope_low > 0 || rises);
  return {from->first, trend, rises, !grows && trend.slope > allowed && trend.slope_high > 0.5, grows};
}

}  // namespace

/// The curves over x of three or more positive values that entries of a case form along the dimensions in which x varies,
/// if there are several; seeds are one curve.
std::vector<Points> Part::curves_over(const std::string& key, const std::vector<Compared>& all) {
  std::map<const Case*, std::vector<const Compared*>> of_case;
  for (const Compared& item : all) of_case[item.in].push_back(&item);
  std::vector<Points> curves;
  for (const auto& [in, items] : of_case) {
    if (!in) continue;
    const Shape& shape = items.front()->shape;
    std::vector<std::vector<std::size_t>> places;
    for (const Compared* item : items) places.push_back(coordinates(shape, item->entry));
    Dimensions along = in->evaluate.frame().seed_axes();
    for (std::size_t d = 0; d < shape.size(); ++d) {
      std::map<std::vector<std::size_t>, double> of_others;
      for (std::size_t i = 0; i < items.size(); ++i) {
        std::vector<std::size_t> others = places[i];
        others[d] = 0;
        if (of_others.emplace(others, items[i]->number(key)).first->second != items[i]->number(key))
          along.insert(d);
      }
    }
    std::map<std::vector<std::size_t>, Points> own;
    for (std::size_t i = 0; i < items.size(); ++i) {
      for (const std::size_t d : along) places[i][d] = 0;
      double& y = own[places[i]].try_emplace(items[i]->number(key), 0).first->second;
      y = greatest({y, items[i]->measured[0]});
    }
    for (const auto& [place, curve] : own)
      if (own.size() > 1 && curve.size() >= 3 &&
          std::ranges::all_of(values(curve), [](double y) { return y > 0; }))
        curves.push_back(curve);
  }
  return curves;
}

/// A claim with an O(.): the positive ratio measured/claimed is bounded over the range of x, of at least three values. It
/// fails if the ratio grows: over the upper half of the range (in ln x) its fitted exponent is above `growth` and the
/// interval above 0, or every local slope is above `growth`. Of several entries at one x the greatest counts; those of each
/// optimizer, class, point and step are also a curve. Shows the greatest ratio; if it `ends_at` a sharp limit, the one
/// furthest from it at the largest x: all there must be within their tolerances.
Finding Part::bounded(const std::string& key) {
  Points ratio;
  std::vector<Compared> all = compared({key, "ends_at", "within"});
  for (const Compared& item : all) {
    const double x = item.number(key), y = item.measured[0];
    if (!(x > 0)) return undecided(fmt::format("x is {:g}, and must be positive", x));
    const auto [at, made] = ratio.emplace(x, y);
    if (!made) at->second = greatest({at->second, y});
  }
  const std::vector<Points> curves = curves_over(key, all);
  const double growth = single("growth", 0.01);
  if (ratio.size() < 3)
    return undecided(fmt::format("a bound needs at least three points, and has {}", ratio.size()));
  for (const auto& [x, y] : ratio) {
    if (y > 0) continue;
    const bool negative = std::ranges::any_of(ratio, [](const auto& point) { return point.second < 0; });
    return {.measured = y,
            .rule = fmt::format("positive numbers wanted, {:g} found at {:g}", y, x),
            .verdict = negative ? Verdict::fails : Verdict::inconclusive};
  }
  const double first = ratio.begin()->first, end = ratio.rbegin()->first;
  Growth shown = growth_of(ratio, growth);
  for (const Points& curve : curves) {
    const Growth own = growth_of(curve, growth);
    if (std::pair(own.grows, own.undecided) > std::pair(shown.grows, shown.undecided)) shown = own;
  }
  const LineFit& trend = shown.trend;
  const bool sharp = entry_.has("ends_at");
  std::erase_if(all, [&](const Compared& item) { return item.number(key) != end; });
  const auto size_of = [](double limit) { return limit == 0 ? 1 : std::abs(limit); };
  const auto excess = [&](const Compared& item) {
    const double limit = item.number("ends_at"), apart = std::abs(item.measured[0] - limit) / size_of(limit);
    return apart == 0 ? 0 : apart / item.number("within", 0.01);
  };
  const auto is_loose = [&](const Compared& item) {
    const double limit = item.number("ends_at");
    return is_wide(item.number("within", 0.01) * size_of(limit), limit);
  };
  const Compared& worst = sharp ? *std::ranges::max_element(all, {}, excess) : all.front();
  const double last = sharp ? worst.measured[0] : ratio[end];
  const auto [low, high] = std::ranges::minmax(values(ratio));
  return {
      .measured = sharp ? last : high,
      .published = "bounded",
      .sharp = sharp ? std::optional(worst.number("ends_at")) : std::nullopt,
      .rule = fmt::format("{} points from {:g} to {:g}: ratio from {:.4g} to {:.4g}, at the end {:.6g}; its "
                          "exponent from {:.3g} on is {:.2g} [{:.2g}, {:.2g}], allowed {:g}",
                          ratio.size(), first, end, low, high, last, shown.from, trend.slope, trend.slope_low,
                          trend.slope_high, growth),
      .verdict = shown.grows || (sharp && !(excess(worst) <= 1)) ? Verdict::fails
                 : shown.undecided                               ? Verdict::inconclusive
                 : sharp                                         ? Verdict::sharp
                                                                 : Verdict::holds,
      .wide = sharp && std::ranges::any_of(all, is_loose)};
}

}  // namespace rarefact::claims
