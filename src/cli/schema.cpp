#include "cli/output.hpp"
#include "experiment/keys.hpp"

namespace rarefact {

namespace {

void add_bounds(Json& schema, const Interval& legal) {
  if (std::isfinite(legal.low)) schema[legal.low_open ? "exclusiveMinimum" : "minimum"] = legal.low;
  if (std::isfinite(legal.high)) schema[legal.high_open ? "exclusiveMaximum" : "maximum"] = legal.high;
}

Json object(const Json& properties) {
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

Json list_of(const Json& items) {
  return {{"type", "array"}, {"items", items}};
}

/// The legal values of a parameter. Whole numbers may be written as 1e12, so a schema sees numbers.
Json values_schema(const Parameter& parameter) {
  const Json number = {{"type", "number"}}, choices = {{"enum", parameter.choices}};
  Json bounded = number;
  add_bounds(bounded, parameter.legal);
  switch (parameter.kind) {
    case Kind::boolean:
      return {{"type", "boolean"}};
    case Kind::column:
      return {{"type", Json::array({"string", "integer"})}};
    case Kind::matrix:
      return list_of(list_of(number));
    case Kind::ranked: {
      Json law = object({{"exponent", {{"type", "number"}, {"minimum", 0}}}, {"largest", bounded}});
      law["required"] = {"exponent", "largest"};
      return {{"anyOf", {choices, bounded, law}}};
    }
    case Kind::numbers:
      return list_of(bounded);
    default:
      break;
  }
  const bool text =
      parameter.kind == Kind::text || parameter.kind == Kind::formula || parameter.kind == Kind::path;
  if (parameter.choices.empty()) {
    if (text) bounded["type"] = "string";
    return bounded;
  }
  Json schema = {{"type", text ? "string" : "number"}, {"enum", Json::array()}};
  for (const std::string& choice : parameter.choices)
    schema["enum"].push_back(text ? Json(choice) : Json::parse(choice));
  return schema;
}

/// The schema of a key: any of its meanings. Its other forms are described only in words.
Json key_schema(const ExperimentKey& key) {
  Json schemas = Json::array();
  std::string meaning;
  for (const KeyUse& use : key.uses) {
    const Json values = values_schema(use.parameter);
    if (std::find(schemas.begin(), schemas.end(), values) == schemas.end()) schemas.push_back(values);
    meaning += (meaning.empty() ? "" : "; ") + use.parameter.meaning +
               (use.owners.empty() ? "" : " (" + joined(use.owners) + ")");
  }
  Json schema = {{"description", meaning}};
  if (!key.other_forms.empty()) {
    schema["description"] = meaning + "; also " + key.other_forms;
  } else if (schemas.size() == 1) {
    schema.update(schemas[0]);
  } else {
    schema["anyOf"] = schemas;
  }
  if (const auto& usual = key.uses.front().parameter.default_value; usual && key.uses.size() == 1)
    schema["default"] = json_of(*usual);
  return schema;
}

/// Every form of the values of an axis; keys with bare dots are tables of axes.
Json axis_schema() {
  Json words = Json::array(), forms = Json::array({{{"type", "array"}, {"minItems", 1}}});
  for (const auto& [form, least] :
       {std::pair("range", 2), std::pair("linspace", 3), std::pair("logspace", 3)}) {
    const Json numbers = {
        {"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", least}, {"maxItems", 3}};
    Json table = object({{form, numbers}});
    table["required"] = {form};
    forms.push_back(table);
    words.push_back(form);
  }
  forms.push_back({{"type", "object"},
                   {"propertyNames", {{"not", {{"enum", words}}}}},
                   {"additionalProperties", {{"$ref", "#/$defs/axis"}}}});
  return {{"anyOf", forms}};
}

}  // namespace

/// A table with arbitrary names and values of this schema.
Json family(Json values) {
  const Json description = values["description"];
  values.erase("description");
  return {{"type", "object"},
          {"description", description},
          {"propertyNames", {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}}},
          {"additionalProperties", values}};
}

/// The schema of an experiment file, from the rows of the keys. It has types, bounds and names, but not which
/// key belongs to which spectrum, embedding or rule, nor which values are compatible.
Json experiment_schema() {
  std::map<std::string, Json> tables;
  for (const ExperimentKey& key : experiment_keys())
    tables[key.table][key.last_name()] = key.family() ? family(key_schema(key)) : key_schema(key);
  Json root = tables[""];
  for (const ExperimentTable& table : experiment_tables()) {
    if (table.name.empty()) continue;
    Json keys = object(tables[table.name]);
    if (table.name == "embedding") {
      Json sides = keys;
      for (const char* side : {"query", "answer"}) sides["properties"][side] = keys;
      keys = sides;
    }
    keys["description"] = table.meaning;
    root[table.name] = table.name == "optimizer" ? list_of(keys) : keys;
  }
  root["sweep"] = {
      {"type", "object"},
      {"description", "the grid of experiments to run: every key is an axis (rarefact explain sweep)"},
      {"additionalProperties", {{"$ref", "#/$defs/axis"}}}};
  root["claim"] = {
      {"type", "object"},
      {"description", "a statement about the runs, which rarefact verify judges (docs/claims.md)"}};
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "Experiment file of rarefact"}};
  schema.update(object(root));
  schema["$defs"]["axis"] = axis_schema();
  return schema;
}

}  // namespace rarefact
