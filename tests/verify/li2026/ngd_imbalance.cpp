#include <catch2/catch.hpp>
#include <cmath>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "li2026/ngd-imbalance";

}  // namespace

TEST_CASE("normalised gradient descent is as fast as Muon and as imbalanced as the spectrum") {
  require_sharp(id);
}

TEST_CASE("another rule under the label of normalised gradient descent or of Muon fails") {
  const std::string rule = GENERATE("optimizer.ngd.rule=\"gd\"", "optimizer.ngd.rule=\"muon\"",
                                    "optimizer.ngd.rule=\"tra_signgd\"", "optimizer.muon.rule=\"ngd\"",
                                    "optimizer.muon.rule=\"gd\"", "optimizer.gd.rule=\"muon\"");
  CAPTURE(rule);
  CHECK(judged(id, quick_evidence(id, {rule})).verdict() == Verdict::fails);
}

TEST_CASE("a wrong rate of normalised gradient descent fails, and products that are not equal") {
  Evidence rate = quick_evidence(id), products = quick_evidence(id);
  change(rate, 0, "loss", [](double loss, const EvidencePoint&, std::int64_t step) {
    return loss * std::exp(1e-4 * static_cast<double>(step));
  });
  CHECK(verdict_of(judged(id, rate), "rate") == Verdict::fails);
  change(products, 0, "class_loss",
         [](double loss, const EvidencePoint&, std::int64_t) { return std::pow(loss, 1 + 1e-6); });
  CHECK(verdict_of(judged(id, products), "products") == Verdict::fails);
  CHECK(verdict_of(judged(id, products), "imbalance") == Verdict::fails);
}

TEST_CASE(
    "what normalised gradient descent is compared with is judged: GD by its recursion, Muon at every K") {
  Evidence slow = quick_evidence(id), uneven = quick_evidence(id);
  for (EvidencePoint& point : slow.experiments[0]) {
    for (double& loss : point.result.runs[0].trajectories.back().series.at("loss")) loss *= 1 + 1e-9;
  }
  CHECK(verdict_of(judged(id, slow), "gd") == Verdict::fails);
  CHECK(verdict_of(judged(id, slow), "faster") == Verdict::holds);
  // The last class of Muon a millionth of a millionth too far behind, for ever.
  const EvidencePoint& point = uneven.experiments[0][1];
  for (Trajectory& one : uneven.experiments[0][1].result.runs[0].trajectories) {
    if (one.optimizer == "muon") one.series.at("class_loss").back() *= 2;
  }
  CHECK(point.trajectory("muon").series.at("class_loss").size() > 0);
  CHECK(verdict_of(judged(id, uneven), "muon-every-balance") == Verdict::fails);
  CHECK(verdict_of(judged(id, uneven), "muon-balance") == Verdict::sharp);
  const std::string axis = "sweep.classes.group_size, optimizer.ngd.step_size, optimizer.gd.step_size=";
  CHECK(judged(id, quick_evidence(id, {axis + "[[16, 8, 1], [2.5e8, 31622.7766, 1e3], [2.5e15, 1e8, 1e3]]"}))
            .verdict() == Verdict::inconclusive);
}

TEST_CASE(
    "with label noise, a step beyond 2 √K or too few steps, nothing is said about normalised gradient "
    "descent") {
  CHECK(judged(id, quick_evidence(id, {"data.label_noise=0.1"})).verdict() == Verdict::inconclusive);
  CHECK(judged(id, quick_evidence(id, {"run.steps=20"})).verdict() == Verdict::inconclusive);
  const std::string axis = "sweep.classes.group_size, optimizer.ngd.step_size, optimizer.gd.step_size=";
  CHECK(judged(id, quick_evidence(id, {axis + "[[16, 20, 16], [250, 79, 250], [2.5e8, 79057, 2.5e8]]"}))
            .verdict() == Verdict::inconclusive);
}

TEST_CASE("equally likely classes say nothing about imbalance, and too few runs nothing about an exponent") {
  const CheckOptions uniform{.quick = true, .overrides = {"classes.exponent=0"}};
  CHECK(run_check(check_row("li2026/ngd-imbalance"), uniform).verdict() == Verdict::inconclusive);
  for (const char* rule : {"gd", "ngd", "tra_signgd", "muon"}) {
    const CheckOptions one_size{
        .overrides = {"sweep.classes.groups, classes.group_size, run.steps, run.precision, "
                      "optimizer.muon.step_size=[[16,10,150,16,0.5]]",
                      std::string("optimizer.muon.rule=") + rule}};
    CHECK(run_check(check_row("li2026/muon-noiseless"), one_size).verdict() != Verdict::holds);
    CHECK(run_check(check_row("li2026/muon-noiseless"), one_size).verdict() != Verdict::sharp);
  }
}
