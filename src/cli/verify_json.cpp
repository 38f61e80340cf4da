#include <cmath>

#include "cli/json.hpp"
#include "verify/check_row.hpp"

namespace rarefact {

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
                                {"low", one.low.value_or(NAN)},
                                {"high", one.high.value_or(NAN)},
                                {"published", one.published},
                                {"sharp", one.sharp.value_or(NAN)},
                                {"right_digits", one.right_digits.value_or(NAN)},
                                {"headline", one.headline},
                                {"rule", one.rule}});
  }
  for (const Hypothesis& one : report.hypotheses)
    json["hypotheses"].push_back({{"text", one.text}, {"met", one.met}, {"detail", one.detail}});
  return json;
}

}  // namespace rarefact
