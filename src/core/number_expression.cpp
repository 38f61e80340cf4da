#include "core/number_expression.hpp"

#include <algorithm>
#include <array>
#include <boost/math/constants/constants.hpp>

#include "core/transform.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

namespace {

/// min and max are also what claims call them: of any number of values.
const NumberOperation* of_two(const std::string& name) {
  return find_row(number_functions(), name == "min" ? "minimum" : name == "max" ? "maximum" : name);
}

constexpr const char* number_words[] = {"one number", "two numbers", "a condition and two numbers"};

bool is_function(const std::string& name) {
  return name == "where" || name == "min" || name == "max" ||
         (name != "-" && name != "not" && find_row(number_functions(), name) != nullptr);
}

std::vector<std::string> function_names() {
  std::vector<std::string> names = names_of(number_functions());
  names.insert(names.end(), {"where", "min", "max"});
  std::erase_if(names, [](const std::string& name) { return !is_function(name); });
  return names;
}

[[noreturn]] void refuse(const Syntax& at, const InputError& error) {
  throw SyntaxError(at.offset, error.problems().front());
}

}  // namespace

void refuse_condition(const Syntax& tree) {
  if (is_condition(tree))
    refuse(tree, bad_input("got the condition \"{0}\"; expected a number, such as where({0}, 1, 0)",
                           to_text(tree)));
  const bool choice = tree.kind == Syntax::Kind::call && tree.text == "where";
  if (tree.kind == Syntax::Kind::call && !choice && find_row(number_functions(), tree.text) == nullptr)
    return;
  for (std::size_t i = choice ? 1 : 0; i < tree.arguments.size(); ++i) refuse_condition(tree.arguments[i]);
}

NumberExpression::NumberExpression(std::string_view text, std::vector<std::string> names)
    : names_(std::move(names)) {
  const Syntax tree = parsed_condition(text);
  refuse_condition(tree);
  compile(tree, 1);
}

void NumberExpression::compile(const Syntax& tree, std::size_t depth) {
  using Part = Syntax::Kind;
  depth_ = std::max(depth_, depth);
  const auto& a = tree.arguments;
  switch (tree.kind) {
    case Part::number:
      program_.push_back({Kind::number, tree.number});
      return;
    case Part::name: {
      const auto found = std::ranges::find(names_, tree.text);
      if (found == names_.end() && tree.text == "pi") return program_.push_back({Kind::pi});
      if (found != names_.end()) {
        read_.insert(tree.text);
        return program_.push_back({Kind::name, 0, static_cast<std::size_t>(found - names_.begin())});
      }
      if (is_function(tree.text)) refuse(tree, bad_input("expected \"(\" after {}", tree.text));
      std::vector<std::string> all = names_;
      all.push_back("pi");
      refuse(tree, bad_input("unknown name \"{}\"; there are {}{}", tree.text, joined(all),
                             did_you_mean(nearest_name(tree.text, all))));
    }
    case Part::call:
      return call(tree, depth);
    case Part::negative:
      compile(a[0], depth);
      return operate(*find_row(number_functions(), tree.text));
    case Part::binary:
    case Part::comparison:
      compile(a[0], depth);
      compile(a[1], depth + 1);
      return operate(*find_row(number_operators(), tree.text));
    default:
      refuse(tree, bad_input("\"{}\" is not for numbers", to_text(tree)));
  }
}

void NumberExpression::call(const Syntax& tree, std::size_t depth) {
  if (!is_function(tree.text))
    refuse(tree, bad_input("no function is called \"{}\"{}", tree.text,
                           function_hint(tree.text, function_names())));
  const std::size_t count = tree.arguments.size();
  const NumberOperation* operation = of_two(tree.text);
  const bool choice = operation == nullptr, any = tree.text == "min" || tree.text == "max";
  const std::size_t wanted = choice ? 3 : operation->arity;
  if (any ? count == 0 : count != wanted)
    refuse(tree, bad_input("{} takes {}, and got {}", tree.text, any ? "numbers" : number_words[wanted - 1],
                           count));
  for (std::size_t i = 0; i < count; ++i) {
    if (any) refuse_condition(tree.arguments[i]);
    compile(tree.arguments[i], depth + (any ? std::min<std::size_t>(i, 1) : i));
    if (any && i > 0) operate(*operation);
  }
  if (choice) program_.push_back({Kind::choice});
  if (!choice && !any) operate(*operation);
}

template <class Real>
Real NumberExpression::run(const Real* values, Real* top) const {
  for (const Instruction& now : program_) {
    switch (now.kind) {
      case Kind::number:
        *top++ = Real(now.number);
        break;
      case Kind::pi:
        *top++ = boost::math::constants::pi<Real>();
        break;
      case Kind::name:
        *top++ = values[now.place];
        break;
      case Kind::operation:
        top -= now.operation->arity;
        *top = (*now.operation)(top);
        ++top;
        break;
      case Kind::choice: {
        top -= 3;
        const bool unknown = !(top[0] - top[0] == Real(0));  // NaN or infinite
        *top = unknown ? std::numeric_limits<Real>::quiet_NaN() : top[0] == Real(0) ? top[2] : top[1];
        ++top;
        break;
      }
    }
  }
  return top[-1];
}

template <class Real>
Real NumberExpression::operator()(const Real* values) const {
  constexpr std::size_t few = 8;
  if (depth_ <= few) return run(values, std::array<Real, few>().data());
  return run(values, std::vector<Real>(depth_).data());
}

template double NumberExpression::operator()(const double*) const;
template Real50 NumberExpression::operator()(const Real50*) const;

}  // namespace rarefact
