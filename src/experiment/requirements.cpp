#include "experiment/requirements.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace rarefact {

std::vector<Way> ways_of(Engine engine) {
  switch (engine) {
    case Engine::modes:
      return {Way::modes};
    case Engine::columns:
      return {Way::columns};
    case Engine::symmetric:
      return {Way::symmetric};
    case Engine::quadrature:
      return {Way::node_columns, Way::node_symmetric};
    case Engine::dense:
      return {Way::dense};
  }
  return {};
}

Engine engine_of(Way way) {
  for (std::size_t i = 0; i < engine_names.size(); ++i) {
    const auto engine = static_cast<Engine>(i);
    if (std::ranges::count(ways_of(engine), way) > 0) return engine;
  }
  throw std::logic_error("a leap is on top of another way");
}

Index EmbeddedSide::block() const {
  if (drops_out() || !embedding.block) return 1;
  return rotation_block(component.parameters, key).rows();
}

Index Sides::block() const {
  return std::max(front().block(), back().block());
}
bool Sides::identity() const {
  return std::ranges::all_of(*this, &EmbeddedSide::identity);
}
bool Sides::drop_out() const {
  return std::ranges::all_of(*this, &EmbeddedSide::drops_out);
}
bool Sides::equal_classes() const {
  return std::ranges::all_of(*this, &EmbeddedSide::equal_classes);
}
const std::string* Sides::first_without(bool EmbeddingRow::*property) const {
  const auto found =
      std::ranges::find_if(*this, [&](const EmbeddedSide& side) { return !(side.embedding.*property); });
  return found == end() ? nullptr : &found->component.kind;
}

namespace {

std::string clause(const Requirement& row, const std::string& rule, const std::vector<std::string>& words) {
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (const std::string& word : words) arguments.push_back(word);
  arguments.push_back(fmt::arg("rule", rule));
  return fmt::vformat(row.sentence, arguments);
}

Refusal refusal(const EngineCase& asked, Way ruled_out, Way held) {
  for (const Requirement& row : requirements()) {
    if (!row.rules_out.has(ruled_out)) continue;
    const Unmet found = row.unmet(asked, held);
    if (found.unmet) return {&row, clause(row, asked.rule.name, found.words)};
  }
  return {};
}

}  // namespace

Refusal first_refusal(const EngineCase& asked, Way way) {
  return refusal(asked, way, way);
}

std::string early_refusal(const Requirement& row, const Part& part) {
  const Unmet found = row.early(part);
  return found.unmet ? clause(row, "", found.words) : "";
}

std::string why_single(const EngineCase& asked, Way held) {
  return refusal(asked, Way::leap, held).why;
}

}  // namespace rarefact
