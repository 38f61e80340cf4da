// Top-k errors, bands of classes, noisy test queries: what runs measure on request.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "sim/robust.hpp"

using namespace laws;

namespace {

/// The mean of the numbers of the rows `first` to `last`, from 1, at every step.
std::vector<double> means(const std::vector<double>& rows, std::size_t classes, std::size_t first,
                          std::size_t last) {
  std::vector<double> found;
  for (std::size_t at = 0; at < rows.size(); at += classes) {
    double sum = 0;
    for (std::size_t l = first - 1; l < last; ++l) sum += rows[at + l];
    found.push_back(sum / static_cast<double>(last - first + 1));
  }
  return found;
}

std::vector<double> column(const std::vector<double>& values, std::size_t width, std::size_t at) {
  std::vector<double> found;
  for (std::size_t i = at; i < values.size(); i += width) found.push_back(values[i]);
  return found;
}

const ClassRule two_classes{ClassRule::Kind::list, {{ClassAt::Kind::rank, 1}, {ClassAt::Kind::last, 0}}};

}  // namespace

TEST_CASE(
    "at W = 0 every k answers of K are as likely the largest; later the rank of the right logit decides") {
  Experiment e = identity_run(power_law(6.0, 1.5), "gd");
  e.top = {1, 2, 6};
  e.steps = 3;
  for (const std::string engine : {"columns", "symmetric", "dense"}) {
    CAPTURE(engine);
    const Result result = on_engine(e, engine);
    const auto &one = series(result, "top_error_1"), &two = series(result, "top_error_2"),
               &all = series(result, "top_error_6"), &total = series(result, "total_top_error_2");
    for (std::size_t l = 0; l < 6; ++l) {
      CHECK(one[l] == Approx(5.0 / 6).epsilon(1e-14));
      CHECK(two[l] == Approx(4.0 / 6).epsilon(1e-14));
      CHECK(all[l] == 0);
      CHECK(one[6 + l] == 0);
    }
    CHECK(total[0] == Approx(4.0 / 6).epsilon(1e-14));
    CHECK(total[1] == 0);
  }
}

TEST_CASE("the error of the largest logit is top_error_1, of laws with several right answers, too") {
  Experiment e = identity_run(
      {"grouped_power_law", {{"groups", 3.0}, {"group_size", 4.0}, {"exponent", 1.0}}}, "signgd", 0.1);
  e.answers = law_of("right_set", {{"size", 3.0}});
  e.top = {1, 2, 3, 4};
  for (const std::string engine : {"columns", "symmetric", "dense"}) {
    CAPTURE(engine);
    const Result result = on_engine(e, engine);
    check_close(series(result, "total_top_error_1"), series(result, "top1_error"), 1e-12);
    // The k largest logits have at most k of three equally likely answers.
    for (const int k : {1, 2, 3})
      CHECK(series(result, "total_top_error_" + std::to_string(k)).back() >= 1 - k / 3.0 - 1e-12);
    CHECK(series(result, "total_top_error_4").back() <= series(result, "total_top_error_3").back());
  }
}

TEST_CASE("bands are plain means over their classes under every law and loss, and medium has all others") {
  const ChosenRow groups{"grouped_power_law", {{"groups", 4.0}, {"group_size", 6.0}, {"exponent", 1.5}}};
  for (const auto& [spectrum, law] : std::vector<std::pair<ChosenRow, ChosenRow>>{
           {power_law(30.0, 1.2), {"identity", {}}},
           {groups, {"identity", {}}},  // cut within a group
           {power_law(12.0, 1.2), law_of("right_set", {{"size", 3.0}})},
           {power_law(12.0, 1.2), law_of("modulo", {{"count", 4.0}})},
           {power_law(12.0, 1.2), law_of("zipf", {{"exponent", 1.0}, {"order", std::string("same")}})}}) {
    for (const char* loss : {"softmax", "least_squares"}) {
      Experiment e = identity_run(spectrum, "gd");
      e.loss = &loss_row(loss);
      e.answers = law;
      e.bands = {{"many", "rank <= 5"}, {"few", "rank > 8"}};
      if (!e.loss->of_outputs) e.top = {1};
      CAPTURE(spectrum.kind, law.kind, loss);
      const Result all = on_engine(e, "dense");
      e.classes = two_classes;
      const Result some = on_engine(e, "dense");
      const auto classes = static_cast<std::size_t>(classes_of(e).classes);
      CHECK(some.runs[0].band_name == std::vector<std::string>{"many", "few", "medium"});
      CHECK(some.runs[0].band_count == std::vector<double>{5, double(classes) - 8, 3});
      for (const std::string name : {"error", "class_loss", "top_error_1"}) {
        if (!only_trajectory(all).series.contains(name)) continue;
        const auto &rows = series(all, name), &bands = series(some, "band_" + name);
        check_close(column(bands, 3, 0), means(rows, classes, 1, 5), 1e-12);
        check_close(column(bands, 3, 1), means(rows, classes, 9, classes), 1e-12);
        check_close(column(bands, 3, 2), means(rows, classes, 6, 8), 1e-12);
      }
    }
  }
}

TEST_CASE("a quadrature has the bands of the exact run, cut anywhere") {
  for (const std::string rule : {"gd", "signgd", "muon"}) {
    CAPTURE(rule);
    Experiment e = identity_run(power_law(800.0, 1.2), rule, 0.05);
    e.optimizers.front().step_size = rule == "gd" ? 300 : 0.4;
    e.steps = 6;
    e.classes = two_classes;
    e.bands = {{"many", "rank <= 45"}, {"few", "rank > 437"}, {"one", "rank == 100"}};
    const Result exact = on_engine(e, rule == "muon" ? "symmetric" : "columns"),
                 nodes = on_engine(e, "quadrature");
    for (const char* name : {"band_error", "band_class_loss"})
      check_close(series(nodes, name), series(exact, name), 1e-8);
    CHECK(nodes.runs[0].band_count == std::vector<double>{45, 363, 1, 391});
    for (std::size_t b = 0; b < 4; ++b)
      CHECK(nodes.runs[0].band_probability[b] == Approx(exact.runs[0].band_probability[b]).epsilon(1e-12));
  }
}

TEST_CASE("bands end where they end, at many nodes and beyond 2^53 classes") {
  Experiment e = identity_run(power_law(20000.0, 1.2), "gd");
  e.optimizers.front().step_size = 1000;
  e.steps = 3;
  e.nodes = 256;
  e.classes = two_classes;
  e.bands = {{"many", "rank <= 400"}};
  check_close(series(on_engine(e, "quadrature"), "band_error"), series(on_engine(e, "columns"), "band_error"),
              1e-10);
  Experiment vast = identity_run({"uniform", {{"count", 1e18}}}, "gd");
  vast.classes.kind = ClassRule::Kind::groups;
  vast.bands = {{"a", "rank <= K/2"}, {"b", "rank > K/2"}};
  CHECK(on_engine(vast, "columns").runs[0].band_name == std::vector<std::string>{"a", "b"});
  e = identity_run(power_law(3000.0, 1.0), "gd");
  e.loss = &loss_row("least_squares");
  e.answers = law_of("zipf", {{"exponent", 1.0}, {"order", std::string("same")}});
  e.bands = {{"many", "rank <= 100"}};
  CHECK(series(on_engine(e, "auto"), "band_class_loss").size() == 50);
}

TEST_CASE("occurrences are counts of a file, or those expected in a dataset") {
  Experiment e = identity_run(power_law(10.0, 1.0), "gd");
  e.data_mode = "dataset";
  e.data_parameters = {{"size", 2929.0}};  // p_1 = 2520/7381
  e.bands = {{"few", "occurrences < 101"}, {"many", "1000 <= occurrences"}};
  const Result dataset = on_engine(e, "dense");
  CHECK(dataset.runs[0].band_count == std::vector<double>{1, 1, 8});
  e.data_mode = "population";
  e.spectrum = {"file", {{"path", std::string("counts")}, {"column", std::string("count")}}};
  const FileReaders readers{[](const std::string&, const std::string&) {
                              return CountTable{{20, 7, 3000, 101, 100, 20}};
                            },
                            {}};
  e.bands = {{"few", "occurrences <= 20"}, {"many", "occurrences > 100"}};
  CHECK(simulate(e, readers, 1).runs[0].band_count == std::vector<double>{3, 2, 1});
}

TEST_CASE("noisy test queries: values of the integral") {
  // By 50-digit quadrature (mpmath).
  const auto balanced = [](double classes, double noise) {
    return robust_by_integral({2}, {classes}, noise, Workers::serial()).front();
  };
  CHECK(balanced(1e6, 0.2) == Approx(0.553792792221445).epsilon(1e-12));
  CHECK(balanced(1e15, 0.11) == Approx(0.856981496434273).epsilon(1e-12));
  for (const std::string engine : {"columns", "symmetric", "dense"}) {
    CAPTURE(engine);
    Experiment e = identity_run(power_law(32.0, 1.0), "gd");
    e.test_noise = 0.3;
    e.steps = 1;
    const Result result = on_engine(e, engine);
    const auto& robust = series(result, "robust_top1");
    CHECK(robust[0] == Approx(1.0 / 32).epsilon(1e-14));
    CHECK(robust[32] == Approx(0.997801852020893).epsilon(1e-12));
    CHECK(robust[63] == Approx(0.0210971064541388).epsilon(1e-11));
  }
}

TEST_CASE("noisy test queries: engines agree, with rules on columns, samples, noise and a quadrature") {
  for (const std::string rule : {"gd", "signgd", "adam"}) {
    CAPTURE(rule);
    Experiment e = identity_run(power_law(90.0, 1.2), rule, rule == "gd" ? 0.0 : 0.1);
    e.optimizers.front().step_size = rule == "gd" ? 40 : 0.3;
    e.steps = 4;
    e.test_noise = 0.4;
    const Result columns = on_engine(e, "columns"), symmetric = on_engine(e, "symmetric"),
                 dense = on_engine(e, "dense"), nodes = on_engine(e, "quadrature");
    for (const char* name : {"robust_top1", "total_robust_top1"}) {
      check_close(series(symmetric, name), series(columns, name), 1e-10);
      check_close(series(dense, name), series(columns, name), 1e-10);
    }
    check_close(series(nodes, "total_robust_top1"), series(columns, "total_robust_top1"), 1e-8);
  }
  Experiment e = identity_run(power_law(30.0, 1.2), "gd");
  e.data_mode = "minibatch";
  e.data_parameters = {{"batch", 4.0}};
  e.test_noise = 0.4;
  check_close(series(on_engine(e, "columns"), "robust_top1"), series(on_engine(e, "dense"), "robust_top1"),
              1e-10);
}

TEST_CASE("accuracies for noisy test queries are predicted wherever margins are") {
  for (const double exponent : {1.0, 0.5}) {
    Experiment e = identity_run(power_law(20.0, 1.0), "gd", 0.1);
    e.sampling_exponent = exponent;
    e.steps = 6;
    e.test_noise = 0.3;
    for (const std::string engine : {"columns", "quadrature"}) {
      if (!takes(e, engine)) continue;
      CAPTURE(engine, exponent);
      const Result result = on_engine(e, engine);
      check_predicted(result, {"robust_top1", "total_robust_top1"}, 1e-9);
    }
  }
}

TEST_CASE("the table of many margins is the plain sum, ties share, and wrong margins lose") {
  std::vector<double> margin, count;
  for (int k = 0; k < 100; ++k) margin.push_back(4 / (1.0 + 0.1 * k)), count.push_back(1 + k % 3);
  const std::vector<double> many = robust_by_integral(margin, count, 0.4, Workers::serial());
  // The first 50 of them alone, each as two cells: no table.
  std::vector<double> fewer(margin.begin(), margin.begin() + 50), twice, times;
  for (const double m : fewer) {
    twice.insert(twice.end(), {m, m});
    times.insert(times.end(), {1, 1});
  }
  const std::vector<double> table = robust_by_integral(twice, times, 0.4, Workers::serial()),
                            plain =
                                robust_by_integral(fewer, std::vector<double>(50, 2), 0.4, Workers::serial());
  for (std::size_t k = 0; k < 50; ++k) CHECK(table[2 * k] == Approx(plain[k]).epsilon(1e-11));
  CHECK(std::is_sorted(many.rbegin(), many.rend()));
  CHECK(robust_by_integral({0}, {5}, 1, Workers::serial()).front() == Approx(0.2));
  // Of one margin and three zeros: it wins where it is positive, they share the rest.
  const std::vector<double> tied = robust_by_integral({1, 0}, {1, 3}, 2, Workers::serial());
  CHECK(tied[0] == Approx(0.5 * std::erfc(-0.5 / std::sqrt(2))).epsilon(1e-12));
  CHECK(robust_by_integral({-1, 1}, {1, 1}, 0.1, Workers::serial())[0] < 1e-12);
}

TEST_CASE("draws of noisy queries agree with the integral within their error") {
  Experiment e = identity_run(power_law(12.0, 1.0), "gd");
  e.test_noise = 0.5;
  e.steps = 3;
  const Result exact = on_engine(e, "dense");
  for (const char* kind : {"identity", "orthogonal"}) {
    CAPTURE(kind);
    Experiment drawn = e;
    drawn.query_embedding = drawn.answer_embedding = embedding(kind);
    drawn.test_draws = 20000;
    const Result result = on_engine(drawn, "dense");
    const auto &total = series(result, "total_robust_top1"),
               &error = series(result, "total_robust_top1_deviation");
    for (std::size_t t = 1; t < total.size(); ++t) {
      CHECK(std::abs(total[t] - series(exact, "total_robust_top1")[t]) < 4 * error[t]);
      CHECK(error[t] < 0.005);
    }
  }
}

TEST_CASE("draws that all end in a tie have no deviation, and draws are taken wherever they are asked for") {
  Experiment e = identity_run(power_law(7.0, 1.0), "gd");
  e.test_noise = 0.4;
  e.test_draws = 100;
  CHECK(chosen_engines(e).front().reduction.engine() == "dense");
  const Result result = simulate(e, {}, 1);
  for (std::size_t l = 0; l < 7; ++l) {
    CHECK(series(result, "robust_top1")[l] == Approx(1.0 / 7).epsilon(1e-14));
    CHECK(series(result, "robust_top1_deviation")[l] == 0);
    const double p = series(result, "robust_top1")[7 + l];
    CHECK(series(result, "robust_top1_deviation")[7 + l] ==
          Approx(std::sqrt(p * (1 - p) / 99)).margin(1e-12));
  }
}
