#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

TEST_CASE("the closed forms of least squares hold sharply, and other rules or coefficients fail") {
  const std::string id = "vasudeva2025/closed-forms";
  require_sharp(id);
  Evidence off = quick_evidence(id);
  change(off, 0, "coefficient", [](double x, const EvidencePoint&, std::int64_t) { return x * (1 + 1e-11); });
  CHECK(verdict_of(judged(id, off), "coefficient") == Verdict::fails);
  CHECK(verdict_of(judged(id, off), "same") == Verdict::sharp);
  require_failure(id, "signgd", "gd", "same");
  Evidence beyond = quick_evidence(id);
  change(beyond, 0, "excess_loss", [](double x, const EvidencePoint&, std::int64_t) { return 3 * x; });
  CHECK(verdict_of(judged(id, beyond), "cycle") == Verdict::fails);
}

TEST_CASE("muon learns all classes at one rate, and gd does not") {
  const std::string id = "vasudeva2025/equal-rates";
  require_sharp(id);
  require_failure(id, "muon", "gd", "muon");
  require_failure(id, "muon", "gd", "loss");
  require_failure(id, "gd", "muon", "gd");
}

TEST_CASE("Muon is ahead on the rarest class, and a rule that is not fails") {
  const std::string id = "vasudeva2025/minority";
  CHECK(judged(id, quick_evidence(id)).verdict() == Verdict::holds);
  require_failure(id, "muon", "gd", "rarest");
  require_failure(id, "muon", "gd", "mean");
  require_failure(id, "ngd", "muon", "ngd");
  // A class that is not rare decides nothing.
  CHECK(judged(id, quick_evidence(id, {"data.query_noise=0.3"})).verdict() != Verdict::fails);
  CHECK(!judged(id, quick_evidence(id, {"data.query_noise=0.3", "sweep.data.query_noise=[0.3, 0.31]"}))
             .all_met());
}
