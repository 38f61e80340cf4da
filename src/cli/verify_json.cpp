#include <optional>

#include "cli/json.hpp"
#include "verify/check_row.hpp"

namespace rarefact {

namespace {

Json number_json(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

}  // namespace

/// A statement with its verdict, findings and hypotheses.
Json check_json(const CheckRow& row, const CheckReport& report) {
  Json json = {{"id", row.id},
               {"title", row.title},
               {"source", row.source},
               {"statement", row.statement},
               {"verdict", verdict_text(report.verdict())},
               {"trajectories", report.runs},
               {"findings", Json::array()},
               {"hypotheses", Json::array()},
               {"note", report.note}};
  for (const Finding& one : report.findings) {
    json["findings"].push_back({{"id", one.id},
                                {"quantity", one.quantity},
                                {"verdict", verdict_text(one.verdict)},
                                {"measured", one.measured},
                                {"low", number_json(one.low)},
                                {"high", number_json(one.high)},
                                {"published", one.published},
                                {"sharp", number_json(one.sharp)},
                                {"right_digits", number_json(one.right_digits)},
                                {"headline", one.headline},
                                {"rule", one.rule}});
  }
  for (const Hypothesis& one : report.hypotheses)
    json["hypotheses"].push_back({{"text", one.text}, {"met", one.met}, {"detail", one.detail}});
  return json;
}

}  // namespace rarefact
