#include "query/number_value.hpp"

#include "core/transform.hpp"
#include "query/evaluate.hpp"

namespace rarefact::query {

namespace {

/// Named numbers, the same at every point, optimizer, step and class.
class NumberFrame : public Frame {
 public:
  explicit NumberFrame(const NamedNumbers& values) : values_(values) {}

  std::optional<Array> read(const std::string& name) const override {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(number(found->second));
  }
  std::vector<std::string> names() const override {
    return mapped(values_, &NamedNumbers::value_type::first);
  }

 private:
  const NamedNumbers& values_;
};

}  // namespace

double number_value(std::string_view text, const NamedNumbers& names) {
  const NumberFrame frame(names);
  const Definitions none;
  const Array value = Evaluator(frame, none, false).number(parsed_condition(text));
  return value.entries.front().value_or(missing);
}

}  // namespace rarefact::query
