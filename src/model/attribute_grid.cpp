#include "model/attribute_grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/compensated_sum.hpp"
#include "model/spectrum.hpp"

namespace rarefact {

const std::array<const char*, 2> attribute_names = {"subject", "relation"};

std::string attribute_error_name(std::size_t attribute) {
  return fmt::format("attribute_error_{}", attribute_names[attribute]);
}

namespace {

std::array<double, 2> two_numbers(const ParameterValues& parameters, const std::string& name) {
  const std::vector<double>& given = parameters.numbers(name);
  if (given.size() != 2)
    raise({problem_about(name, fmt::format("expected 2 numbers, of the subjects and of the relations; got {}",
                                           given.size()))});
  return {given[0], given[1]};
}

/// Weights of the values of an attribute, a single one if all are equal.
std::vector<double> weights_of_values(const AttributeGrid& grid, std::size_t attribute) {
  std::vector<double> all(grid.uniform[attribute] ? 1 : static_cast<std::size_t>(grid.count[attribute]));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = std::pow(static_cast<double>(i + 1), -grid.exponent[attribute]);
  return all;
}

}  // namespace

AttributeGrid attribute_grid(const ParameterValues& parameters) {
  AttributeGrid grid{.count = two_numbers(parameters, "counts"),
                     .exponent = two_numbers(parameters, "exponents")};
  double written_out = 1;
  for (const std::size_t a : {0, 1}) {
    const double n = grid.count[a];
    if (n != std::floor(n)) raise({problem_about("counts", fmt::format("{} is not an integer", n))});
    grid.uniform[a] = std::pow(n, -grid.exponent[a]) == 1;
    if (!grid.uniform[a]) written_out *= n;
  }
  if (!(grid.count[0] <= max_classes / grid.count[1]))
    raise(
        {problem_about("counts", fmt::format("{:g} subjects times {:g} relations are more than {:g} classes",
                                             grid.count[0], grid.count[1], max_classes))});
  if (written_out > max_groups)
    raise({problem_about(
        "counts", fmt::format("{:g} distinct pairs are too many to write out, at most {:g} are possible",
                              written_out, max_groups))});
  return grid;
}

ClassGroups groups_of(const AttributeGrid& grid) {
  const std::size_t outer = grid.outer(), inner = grid.inner();
  const std::vector<double> of_outer = weights_of_values(grid, outer),
                            of_inner = weights_of_values(grid, inner);
  const double count =
      (grid.uniform[outer] ? grid.count[outer] : 1) * (grid.uniform[inner] ? grid.count[inner] : 1);
  CompensatedSum mass;
  ClassGroups groups;
  for (const double a : of_outer) {
    for (const double b : of_inner) {
      groups.count.push_back(count);
      groups.probability.push_back(a * b);
      mass.add(count * (a * b));
    }
  }
  for (double& p : groups.probability) {
    p /= mass.value();
    if (!is_normal(p))
      raise({problem_about("exponents", too_small("a pair has a probability").problems().front().message)});
  }
  return groups;
}

std::vector<Parameter> attribute_parameters() {
  return {{.name = "counts",
           .kind = Kind::numbers,
           .meaning = "numbers of subjects and of relations, [S, R], each at least 2",
           .legal = {2, max_classes}},
          {.name = "exponents",
           .kind = Kind::numbers,
           .meaning = "exponents of the frequencies of subjects and of relations, [a_S, a_R]; 0 is uniform",
           .default_value = std::vector<double>{0, 0},
           .legal = {.low = 0, .high_open = true}}};
}

std::array<double, 2> attribute_gains(const ParameterValues& parameters) {
  const std::array<double, 2> gains = two_numbers(parameters, "gains");
  if (gains[0] == 0 || gains[1] == 0)
    raise({problem_about("gains",
                         "a gain of 0 hides its attribute from every query; expected two other numbers")});
  return gains;
}

Matrix attribute_queries(const AttributeGrid& grid, const std::array<double, 2>& gains) {
  const auto subjects = static_cast<Index>(grid.count[0]), relations = static_cast<Index>(grid.count[1]);
  Matrix e = Matrix::Zero(subjects + relations, subjects * relations);
  for (Index l = 0; l < e.cols(); ++l) {
    const auto [s, r] = grid.pair(l);
    e(s, l) = gains[0];
    e(subjects + r, l) = gains[1];
  }
  return e;
}

Matrix attribute_start(const AttributeGrid& grid, double scale) {
  const auto [s, r] = grid.count;
  Matrix w = attribute_queries(grid, {scale / std::sqrt(r), scale / std::sqrt(s)}).transpose();
  w.leftCols(static_cast<Index>(s)).array() -= scale / std::sqrt(r) / s;
  w.rightCols(static_cast<Index>(r)).array() -= scale / std::sqrt(s) / r;
  return w;
}

}  // namespace rarefact
