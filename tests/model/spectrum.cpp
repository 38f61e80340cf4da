#include "model/spectrum.hpp"

#include <boost/math/special_functions/zeta.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "model/make_spectrum.hpp"
#include "rarefact/error.hpp"

using namespace rarefact;

namespace {

CountReader counts_are(std::vector<double> counts) {
  return [counts](const std::string&, const std::string&) { return CountTable{counts}; };
}

const ParameterValues file_parameters = {{"path", std::string("words.csv")},
                                         {"column", std::string("count")}};

ClassGroups two_level(double count, double head_fraction, double head_mass) {
  return make_spectrum("two_level",
                       {{"count", count}, {"head_fraction", head_fraction}, {"head_mass", head_mass}}, {});
}

/// Σ count x probability - 1 in long double.
double mass_error(const ClassGroups& groups) {
  long double sum = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    sum += static_cast<long double>(groups.count[i]) * groups.probability[i];
  }
  return static_cast<double>(sum - 1);
}

void check_invariants(const ClassGroups& groups) {
  REQUIRE(groups.count.size() == groups.probability.size());
  REQUIRE(groups.size() >= 1);
  // Each probability is one rounding from the exact quotient, so the sum is within a few roundings of 1.
  CHECK(std::abs(mass_error(groups)) < 1e-15);
  bool legal = true;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    legal = legal && groups.count[i] >= 1 && groups.probability[i] > 0;
    if (i > 0) legal = legal && groups.probability[i] < groups.probability[i - 1];
  }
  CHECK(legal);
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return to_string(error.problems().front());
  }
  return "no InputError";
}

}  // namespace

TEST_CASE("every spectrum is normalised, positive and strictly descending") {
  const double exponent = GENERATE(0.0, 0.3, 1.0, 1.5, 3.0);
  check_invariants(make_spectrum("uniform", {{"count", 12345.0}}, {}));
  check_invariants(two_level(1000, 0.2, 0.8));
  check_invariants(make_spectrum("power_law", {{"count", 100000.0}, {"exponent", exponent}}, {}));
  for (const double size : {1.0, 1000.0, 1e12, 1e300}) {
    check_invariants(
        make_spectrum("grouped_power_law",
                      {{"groups", std::int64_t{64}}, {"group_size", size}, {"exponent", exponent}}, {}));
  }
  for (const std::int64_t levels : {1, 15, 996})
    check_invariants(make_spectrum("dyadic", {{"levels", levels}}, {}));
  check_invariants(make_spectrum("file", file_parameters, counts_are({3, 1, 0.1, 1e-200, 7, 1, 1e15})));
  for (const double count : {1e308, 5e-324})
    CHECK(make_spectrum("file", file_parameters, counts_are({count, count})).probability == std::vector{0.5});
}

TEST_CASE("a power law has the probabilities of its definition, one group a class") {
  const ClassGroups groups = make_spectrum("power_law", {{"count", 200000.0}, {"exponent", 2.0}}, {});
  REQUIRE(groups.size() == 200000);
  CHECK(groups.total() == 200000);
  // Σ_{k <= K} k^-2 = ζ(2) - 1/K + 1/(2K²) - O(K^-3)
  const double sum = boost::math::zeta(2.0) - 1 / 2e5 + 0.5 / 4e10;
  CHECK(groups.probability[0] == Approx(1 / sum).epsilon(1e-14));
  CHECK(groups.probability[999] == Approx(1e-6 / sum).epsilon(1e-14));
  CHECK(groups.probability.back() == Approx(1 / 4e10 / sum).epsilon(1e-14));
}

TEST_CASE("equally likely neighbours form one group") {
  for (const ClassGroups& groups :
       {make_spectrum("uniform", {{"count", 1e15}}, {}),
        make_spectrum("power_law", {{"count", 1e15}, {"exponent", 0.0}}, {}),
        make_spectrum("grouped_power_law",
                      {{"groups", std::int64_t{1000}}, {"group_size", 1e12}, {"exponent", 0.0}}, {})}) {
    CHECK(groups.size() == 1);
    CHECK(groups.total() == 1e15);
    CHECK(groups.probability[0] == Approx(1e-15).epsilon(1e-15));
  }
  CHECK(0.4 / 2 != (1 - 0.4) / 3);  // so exact comparison would miss that these are equal
  const ClassGroups flat = two_level(5, 0.4, 0.4);
  CHECK(flat.size() == 1);
  CHECK(flat.count[0] == 5);
  CHECK(flat.probability[0] == 0.2);
  // An exponent so small that neighbours agree to rounding far out, but not at the head.
  const ClassGroups nearly = make_spectrum("power_law", {{"count", 1e5}, {"exponent", 1e-13}}, {});
  CHECK(nearly.size() < 100000);
  CHECK(nearly.size() > 1);
  CHECK(nearly.total() == 1e5);
  check_invariants(nearly);
}

TEST_CASE("a power law of more classes than fit is refused with its size") {
  const auto make = [] { make_spectrum("power_law", {{"count", 1e9}, {"exponent", 1.0}}, {}); };
  CHECK_THAT(message_of(make), Catch::Contains("1e+09") || Catch::Contains("1000000000"));
  CHECK_THAT(message_of(make), Catch::Contains("8 GB"));
}

TEST_CASE("a two-level spectrum has the head and tail of its definition") {
  const ClassGroups groups = two_level(1000, 0.2, 0.8);
  CHECK(groups.count == std::vector<double>{200, 800});
  CHECK(groups.probability[0] == 0.8 / 200);
  CHECK(groups.probability[1] == Approx(0.2 / 800).epsilon(1e-15));  // 1 - 0.8 is a rounding off 0.2
  // A head less likely than the tail keeps its place.
  const ClassGroups rare_head = two_level(10, 0.3, 0.1);
  CHECK(rare_head.count == std::vector<double>{3, 7});
  CHECK(rare_head.probability[0] < rare_head.probability[1]);
  CHECK(two_level(1e300, 0.25, 0.5).count == std::vector<double>{0.25e300, 0.75e300});
}

TEST_CASE("the head of a two-level spectrum must be a whole number of classes, to rounding") {
  CHECK(0.07 * 100 != 7);  // so exact comparison would refuse a legal spectrum
  CHECK(two_level(100, 0.07, 0.5).count == std::vector<double>{7, 93});
  CHECK_THAT(message_of([] { two_level(103, 0.3, 0.5); }), Catch::EndsWith("the nearest legal count is 100"));
  CHECK_THAT(message_of([] { two_level(107, 0.3, 0.5); }), Catch::EndsWith("the nearest legal count is 110"));
  CHECK_THAT(message_of([] { two_level(7, 0.25, 0.5); }), Catch::EndsWith("the nearest legal count is 8"));
  CHECK_THAT(message_of([] { two_level(5, 0.25, 0.5); }), Catch::EndsWith("the nearest legal count is 4"));
  CHECK_THAT(message_of([] { two_level(12, 0.001, 0.5); }),
             Catch::EndsWith("the nearest legal count is 1000"));
  CHECK_THAT(message_of([] { two_level(12, 1e-9, 0.5); }),
             Catch::EndsWith("the nearest legal count is 1000000000"));
  CHECK_THAT(message_of([] { two_level(7, 0.999, 0.5); }),
             Catch::EndsWith("the nearest legal count is 1000"));
  CHECK_THAT(message_of([] { two_level(100, 0.500001, 0.5); }),
             Catch::EndsWith("the nearest legal count is 1000000"));
  // No legal count anywhere near: the refusal stands without a suggestion.
  CHECK_THAT(message_of([] { two_level(100, 0.500000001, 0.5); }), Catch::EndsWith("from 1 to count - 1"));
}

TEST_CASE("a grouped power law has the masses of its definition at any group size") {
  const double size = GENERATE(1.0, 10.0, 1e300);
  const ClassGroups groups = make_spectrum(
      "grouped_power_law", {{"groups", std::int64_t{3}}, {"group_size", size}, {"exponent", 2.0}}, {});
  const double sum = 1 + 1 / 4.0 + 1 / 9.0;
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(groups.count[i] == size);
    CHECK(groups.count[i] * groups.probability[i] ==
          Approx(1 / (sum * double((i + 1) * (i + 1)))).epsilon(1e-15));
  }
}

TEST_CASE("a dyadic spectrum doubles the classes and halves their probability level by level") {
  const ClassGroups groups = make_spectrum("dyadic", {{"levels", std::int64_t{15}}}, {});
  CHECK(groups.size() == 16);
  CHECK(groups.total() == 32768);
  CHECK(groups.count[0] == 1);
  CHECK(groups.count[1] == 1);
  CHECK(groups.count[15] == 16384);
  // Weights 2^(m-g): the mass is 2^m + m 2^(m-1).
  CHECK(groups.probability[0] == Approx(32768 / (32768 + 15 * 16384.0)).epsilon(1e-15));
  for (std::size_t g = 1; g <= 15; ++g) CHECK(groups.probability[g] == groups.probability[g - 1] / 2);
}

TEST_CASE("a file's counts are sorted, grouped and normalised") {
  std::string asked;
  const ClassGroups groups =
      make_spectrum("file", file_parameters, [&](const std::string& path, const std::string& c) {
        asked = path + ":" + c;
        return CountTable{{1, 4, 1, 2, 1, 4}};
      });
  CHECK(asked == "words.csv:count");
  CHECK(groups.count == std::vector<double>{2, 1, 3});
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(groups.probability[i] == Approx(std::pow(2.0, 2 - double(i)) / 13));
}

TEST_CASE("illegal counts of a file are all named by their rows") {
  const auto problems_of = [](std::vector<double> counts) {
    try {
      make_spectrum("file", file_parameters, counts_are(std::move(counts)));
    } catch (const InputError& error) {
      return error.problems();
    }
    return std::vector<Problem>{};
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto problems = problems_of({5, 0, 3, -2, nan, 1, inf});
  REQUIRE(problems.size() == 4);
  CHECK(to_string(problems[0]) ==
        "words.csv: error: row 2 of column \"count\" is 0; a count must be positive and finite");
  CHECK_THAT(problems[1].message, Catch::StartsWith("row 4 ") && Catch::Contains("is -2"));
  CHECK_THAT(problems[2].message, Catch::StartsWith("row 5 ") && Catch::Contains("nan"));
  CHECK_THAT(problems[3].message, Catch::StartsWith("row 7 ") && Catch::Contains("inf"));
  const auto many = problems_of(std::vector<double>(25, 0.0));
  REQUIRE(many.size() == 11);
  CHECK(many.back().message == "15 more such rows");
  CHECK_THAT(to_string(problems_of({1e308, 1e-308, 1e308}).front()),
             Catch::StartsWith("words.csv: error: the least count is 1e-308: the classes of rank 3"));
  CHECK(problems_of({5}).size() == 1);
  CHECK(problems_of({}).size() == 1);
}

TEST_CASE("the spectra say what they and their parameters are") {
  for (const SpectrumRow& row : spectrum_catalogue()) {
    CHECK_FALSE(row.summary.empty());
    CHECK_FALSE(row.formula.empty());
    for (const Parameter& parameter : row.parameters) CHECK_FALSE(parameter.meaning.empty());
  }
  const Parameter& column = spectrum_catalogue().back().parameters.at(1);
  REQUIRE(column.default_value);
  CHECK(*column.default_value == Value(std::string("count")));
  CHECK_THROWS_AS(make_spectrum("zipf", {}, {}), std::logic_error);
}
