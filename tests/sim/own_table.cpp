// Classes from the user's table are the same ones everywhere, whatever its order.

#include <catch2/catch.hpp>
#include <cmath>

#include "experiment/read.hpp"
#include "rarefact/error.hpp"
#include "results/sample_result.hpp"
#include "sim/simulate.hpp"

using namespace rarefact;

namespace {

/// Of four classes, most frequent first, and where the shuffled table has them; equal counts keep their order.
const std::vector<double> counts = {9, 5, 5, 2}, fan_ins = {3, 1, 2, 2};
const std::vector<Index> by_count = {0, 1, 2, 3}, shuffled = {2, 0, 3, 1};

template <class T>
std::vector<T> in_rows(const std::vector<T>& by_rank, const std::vector<Index>& row) {
  std::vector<T> all(by_rank.size());
  for (std::size_t k = 0; k < row.size(); ++k) all[row[k]] = by_rank[k];
  return all;
}

/// A law, and how many queries and answers each class has; 0: answers are not of classes.
struct Law {
  std::string keys;
  std::vector<double> queries, answers;
};

/// Columns class by class, in the order of the table.
Matrix columns(const std::vector<double>& size, const std::vector<Index>& row, double phase) {
  std::vector<Vector> of_class;
  std::vector<std::vector<Vector>> blocks;
  for (const double n : size) {
    std::vector<Vector>& block = blocks.emplace_back();
    for (double i = 0; i < n; ++i)
      block.push_back(Vector::NullaryExpr(
          3, [&](Index d) { return std::sin(phase + 7.0 * double(blocks.size()) + 3 * i + double(d * d)); }));
  }
  for (const auto& block : in_rows(blocks, row)) of_class.insert(of_class.end(), block.begin(), block.end());
  Matrix e(3, Index(of_class.size()));
  for (Index j = 0; j < e.cols(); ++j) e.col(j) = of_class[j];
  return e;
}

Result result_of(const Law& law, const std::vector<Index>& row, const std::string& classes) {
  const Experiment e =
      parse_experiment("name = \"own\"\n[classes]\nspectrum = \"file\"\npath = \"t\"\n" + law.keys +
                           "[embedding.query]\nkind = \"file\"\npath = \"q\"\n[embedding.answer]\nkind = "
                           "\"file\"\npath = \"a\"\n[run]\nsteps = 4\nclasses = " +
                           classes + "\n[[optimizer]]\nrule = \"gd\"\nstep_size = 1.5\n",
                       "own.toml", {});
  FileReaders readers;
  readers.counts = [&](const std::string&, const std::string& column) {
    return CountTable{in_rows(column == "fan_in" ? fan_ins : counts, row),
                      in_rows<std::string>({"the", "of", "and", "rare"}, row)};
  };
  readers.arrays = [&](const std::string& path) {
    if (path == "q") return columns(law.queries, row, 1);
    return law.answers[0] > 0 ? columns(law.answers, row, 2) : columns({1, 1}, {0, 1}, 2);
  };
  return simulate(e, readers, 1);
}

}  // namespace

TEST_CASE("a class of a table keeps its embeddings, fan-in and name in any order of the rows") {
  const std::vector<double> one(4, 1), two(4, 2);
  for (const Law& law : {Law{"", one, one},
                         {"[answers]\nlaw = \"right_set\"\nsize = 2\n", one, two},
                         {"[answers]\nlaw = \"fan_in\"\npath = \"f\"\n", fan_ins, one},
                         {"[answers]\nlaw = \"modulo\"\ncount = 2\n", one, {0}},
                         {"[data]\nlabel_noise = 0.1\nnoise_answers = \"frequency\"\n", one, one}}) {
    CAPTURE(law.keys);
    const Result a = result_of(law, by_count, "\"all\""), b = result_of(law, shuffled, "\"all\"");
    for (const auto& [name, values] : a.runs[0].trajectories[0].series) {
      CAPTURE(name);
      CHECK(same_values(values, b.runs[0].trajectories[0].series.at(name)));
    }
    CHECK(a.runs[0].class_label == b.runs[0].class_label);
    const std::vector<double>&x = a.runs[0].class_place, &y = b.runs[0].class_place;
    REQUIRE(x.size() == (law.queries == fan_ins ? 0 : 4));
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == double(shuffled[Index(x[i]) - 1] + 1));
  }
}

TEST_CASE("classes of a table are listed by row, and results say which they are") {
  const Law law{"", {1, 1, 1, 1}, {1, 1, 1, 1}};
  using Places = std::vector<double>;
  using Labels = std::vector<std::string>;
  const auto of = [&](const std::string& classes) { return result_of(law, shuffled, classes).runs[0]; };
  const Run listed = of("[1, 4, \"last\"]"), groups = of("\"groups\"");
  CHECK(listed.class_place == Places{1, 4, 2});
  CHECK(listed.class_label == Labels{"of", "and", "rare"});
  CHECK(same_values(groups.class_place, Places{3, NAN, 2}));
  CHECK(groups.class_label == Labels{"the", "", "rare"});
  CHECK(groups.trajectories[0].series.at("error").back() == listed.trajectories[0].series.at("error").back());
}
