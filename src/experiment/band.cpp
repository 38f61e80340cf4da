#include "experiment/experiment.hpp"
#include "query/evaluate.hpp"

namespace rarefact {

namespace {

bool is_coordinate(const Syntax& tree) {
  return tree.kind == Syntax::Kind::name && (tree.text == "rank" || tree.text == "occurrences");
}

void add_bounds(const Syntax& tree, const std::string& condition, std::vector<BandBound>& bounds) {
  static const std::map<std::string, std::string> turned = {
      {"<", ">"}, {"<=", ">="}, {">", "<"}, {">=", "<="}, {"==", "=="}};
  if (tree.text == "and" && tree.arguments.size() == 2) {
    for (const Syntax& part : tree.arguments) add_bounds(part, condition, bounds);
    return;
  }
  const bool comparison = tree.kind == Syntax::Kind::comparison && turned.contains(tree.text);
  const bool left = comparison && is_coordinate(tree.arguments[0]);
  if (!comparison || left == is_coordinate(tree.arguments[1]))
    throw bad_input(
        "got \"{}\"; expected comparisons of rank or occurrences with a number, joined by and, such as "
        "\"rank <= 100\"",
        condition);
  const Syntax &name = tree.arguments[left ? 0 : 1], &number = tree.arguments[left ? 1 : 0];
  bounds.push_back({name.text == "rank", left ? tree.text : turned.at(tree.text), to_text(number)});
  constexpr double any_classes = 10;
  query::number_value(bounds.back().number, {{"K", any_classes}});
}

}  // namespace

std::vector<BandBound> bounds_of(const std::string& condition) {
  std::vector<BandBound> bounds;
  add_bounds(parsed_condition(condition), condition, bounds);
  return bounds;
}

}  // namespace rarefact
