#include <cmath>

#include "cli/json.hpp"
#include "verify/check_row.hpp"

namespace rarefact {

/// A statement with its verdict, findings and hypotheses.
Json check_json(const CheckRow& row, const CheckReport& report) {
  Json json = {{"id", row.id},
               {"title", row.word("title")},
               {"source", row.word("source")},
               {"statement", row.word("statement")},
               {"verdict", verdict_text(report.verdict())},
               {"trajectories", report.runs},
               {"findings", Json::array()},
               {"hypotheses", Json::array()},
               {"note", report.note}};
  for (const Finding& finding : report.findings) {
    json["findings"].push_back({{"id", finding.id},
                                {"quantity", finding.quantity},
                                {"verdict", verdict_text(finding.verdict)},
                                {"measured", finding.measured},
                                {"low", finding.low.value_or(NAN)},
                                {"high", finding.high.value_or(NAN)},
                                {"published", finding.published},
                                {"sharp", finding.sharp.value_or(NAN)},
                                {"right_digits", finding.right_digits.value_or(NAN)},
                                {"headline", finding.headline},
                                {"rule", finding.rule}});
  }
  for (const Hypothesis& hypothesis : report.hypotheses)
    json["hypotheses"].push_back(
        {{"text", hypothesis.text}, {"met", hypothesis.met}, {"detail", hypothesis.detail}});
  return json;
}

}  // namespace rarefact
