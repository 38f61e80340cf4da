// Runs that are wrong on purpose: numbers that are off, and other rules under the labels.

#include "verify/sabotage.hpp"

#include "verify/claim_text.hpp"
#include "verify/quick_evidence.hpp"

using namespace tampered;

TEST_CASE("every statement notices what is wrong with the numbers of its first finding", "[numbers]") {
  for (const CheckRow& row : check_catalogue()) {
    CAPTURE(row.id);
    CHECK(unseen_changes(row, quick_evidence(row.id), 0) == Words{});
  }
}

TEST_CASE("no finding and no statement stays green whatever is wrong with its runs", "[.long]") {
  for (const CheckRow& row : check_catalogue()) {
    CAPTURE(row.id);
    CHECK(unseen_changes(row, quick_evidence(row.id)) == Words{});
    CHECK(unseen_rules(row, {.quick = true, .threads = 2}, quick_evidence(row.id)) == Words{});
  }
}

TEST_CASE("what a finding cannot notice is said") {
  const CheckRow& row = check_row("wang2025/one-step-gd");
  Evidence evidence = quick_evidence(row.id);
  // Of numbers that are none from the start nothing is green.
  CheckRow blind = row;
  auto claim = std::make_shared<claims::ClaimText>(claims::read_claim(
      "[claim]\n[[claim.finding]]\nid = \"a\"\nat = 1\nmeasured = \"rho@gd\"\nat_least = -1\n[[claim.finding]]\n"
      "id = \"b\"\nat = 1\nmeasured = \"rho@gd\"\nat_least = -1\nblind = \"a probability\"\n",
      row.experiments.front().file));
  blind.claim = claim;
  CHECK(unseen_changes(blind, evidence) == Words{"finding a: rho"});
}
