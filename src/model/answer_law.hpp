#pragma once

/// Laws of answers: which answers every query has. The spectrum keeps saying how often, of what the law's row says.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/pairs.hpp"
#include "model/population.hpp"
#include "model/spectrum.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

/// How often each pair was counted. Queries and answers are numbered from 0 in the order in which they appear.
struct PairCounts {
  std::vector<Index> query, answer;  ///< no pair twice
  std::vector<double> count;         ///< > 0
  Index queries = 0, answers = 0;
};

/// Reads the table of the law `counts`: path as typed. Supplied by io.
using PairReader = std::function<PairCounts(const std::string& path)>;

/// What a law needs to know to be made.
struct AnswerLawRequest {
  const ParameterValues& parameters;
  const Spectrum& classes;  ///< of the law `counts`: not looked at
  std::uint64_t seed = 1;
  CountReader counts = {};  ///< for fan-ins of a file
  PairReader pairs = {};    ///< for `counts`
};

/// What is learned under a law of answers.
struct AnswerLaw {
  ClassGroups queries;  ///< one group a query type, likeliest first, equals in the order of `units`
  std::optional<Units>
      units;  ///< absent: answer l is right for query l, in the groups of the spectrum; or see `law`
  /// The same as a smooth function of the rank of the answers, for laws that are one; alone, without queries and units,
  /// where there are too many answers to write out.
  std::optional<SmoothLaw> law;
  UnitOrder order;  ///< of the units
  /// Of each group of `queries` the number of its type, types counted from 0 unit group by unit group. Empty: their
  /// order.
  std::vector<std::size_t> type;

  double answers() const { return units ? units->answers() : law->classes; }  ///< K; not of the identity
};

/// The identity in units, or as a smooth law, as the classes are.
AnswerLaw own_answers(const Spectrum& classes);

/// Every query of a law, by its number, and its group among the law's query types. Precondition: whole counts and twins.
struct WrittenLaw {
  Pairs pairs;
  std::vector<Index> group;
};
WrittenLaw written_out(const AnswerLaw& law);

/// Entropies H(π(.|l)) in nats of the query types, in the order of AnswerLaw::queries, at label noise α.
std::vector<double> type_entropies(const AnswerLaw& law, double label_noise, NoiseAnswers noise);
/// The same of the queries of the answers of these ranks, of a law that is a smooth function of the rank.
std::vector<double> entropies_at(const SmoothLaw& law, const std::vector<double>& ranks, double label_noise,
                                 NoiseAnswers noise);

/// A row of the catalogue of laws.
struct AnswerLawRow : CatalogueRow {
  std::string classes;     ///< what the classes of the spectrum are: "queries"; empty: there is no spectrum
  bool own_units = false;  ///< every class is a unit of its own, units in the order of the classes
  std::string example;     ///< keys of [answers], as they stand in a file
  AnswerLaw (*make)(const AnswerLawRequest&) = nullptr;
  /// What is wrong with parameters that are legal one by one; `classes`, how many there are, where that is known.
  std::vector<ParameterProblem> (*problems)(const ParameterValues&, std::optional<double> classes) = nullptr;
};

/// identity, modulo, hash, fan_in, right_set, counts.
const std::vector<AnswerLawRow>& answer_law_catalogue();

/// The row of a law that validation has accepted.
const AnswerLawRow& answer_law_row(const std::string& law);

/// The law of a row for a request. InputError where its parameters, the classes and the files do not fit together.
AnswerLaw answer_law_of(const std::string& law, const AnswerLawRequest& request);

/// Queries and answers that are written out one by one are at most so many.
inline constexpr double most_written_out = 2e7;

}  // namespace rarefact
