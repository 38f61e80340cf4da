#pragma once

/// Answer laws: which answers every query has. The spectrum gives the frequencies of queries or of answers,
/// depending on the law.

#include "model/population.hpp"

namespace rarefact {

/// The count of each pair. Queries and answers are numbered from 0 in order of appearance.
struct PairCounts {
  std::vector<Index> query, answer;  ///< no pair twice
  std::vector<double> count;         ///< > 0
  Index queries = 0, answers = 0;
};

/// Reads the table of the law `counts` from the path as typed. Supplied by io.
using PairReader = std::function<PairCounts(const std::string& path)>;

/// The input from which a law is made.
struct AnswerLawRequest {
  const ParameterValues& parameters;
  const Spectrum& classes;  ///< ignored by the law `counts`
  std::uint64_t seed = 1;
  CountReader counts = {};  ///< for fan-ins from a file
  PairReader pairs = {};    ///< for `counts`
};

/// Queries that have all answers, with the same shares in different orders.
struct AlikeAnswers {
  SmoothLaw shares;   ///< its weights are in proportion to the shares of the answers of a query
  bool same = false;  ///< the order is the same, too

  double first() const;              ///< the share of a query's first answer
  double norm() const;               ///< (Σ_k π²)^½
  double above(double share) const;  ///< the number of answers with at least this share
  bool uniform() const { return shares.uniform(); }
  /// With a part α of all answers drawn uniformly.
  AlikeAnswers with_noise(double alpha) const;
};

/// An answer law: queries with their probabilities and answers.
struct AnswerLaw {
  ClassGroups queries;  ///< one group per query type, most likely first, ties in the order of `components`
  /// nullopt: answer l is right for query l, in the groups of the spectrum; or see `law`.
  std::optional<Components> components;
  /// The law as a smooth function of the rank of the answers, if it has that form. If there are too many
  /// answers to write out, queries and components are empty.
  std::optional<SmoothLaw> law;
  /// The shares that all queries have, if the law has this form, with uniform label noise. If there are too many
  /// pairs to write out, components are empty, and queries are those of the spectrum.
  std::optional<AlikeAnswers> alike = {};
  double occurrences = 0;  ///< of all queries in a table of pairs; 0 without one
  /// Makes the pairs, if their numbers are not in the order of the components.
  std::function<TypedPairs()> pairs = {};
  /// The number, from 0, of every query, group by group; empty if they are numbered in this order.
  std::vector<Index> number = {};
  /// For each group of `queries` the number of its type, counted from 0 over the component groups.
  std::vector<std::size_t> type;

  /// True if the answers of every query are known, not only the shares that all queries have.
  bool tells() const { return components || law; }
  /// K; not for the identity.
  double answers() const {
    return components ? components->answers() : alike ? alike->shares.classes : law->classes;
  }
};

/// The group in `queries` of each query type, counted over the component groups.
std::vector<Index> groups_of_types(const AnswerLaw& law);

/// The identity law, in components, or as a smooth law if the class frequencies are smooth.
AnswerLaw own_answers(const Spectrum& classes);

/// Every query of a law, and its group among the query types. Precondition: whole counts and multiplicities.
struct WrittenLaw : TypedPairs {
  std::vector<Index> group;
};
WrittenLaw written_out(const AnswerLaw& law);

/// Entropies H(π(.|l)) in nats of the query types, in the order of AnswerLaw::queries, at label noise α.
std::vector<double> type_entropies(const AnswerLaw& law, double label_noise, NoiseAnswers noise);
/// The same for queries of the answers of these ranks, for a smooth law.
std::vector<double> entropies_at(const SmoothLaw& law, const std::vector<double>& ranks, double label_noise,
                                 NoiseAnswers noise);

struct AnswerLawRow : CatalogueRow {
  std::string classes;          ///< meaning of the spectrum's classes, as "queries"; empty: no spectrum
  bool own_components = false;  ///< every class is its own component, in the order of the classes
  std::string example;          ///< keys of [answers], as in an experiment file
  AnswerLaw (*make)(const AnswerLawRequest&) = nullptr;
  /// Problems with combinations of legal parameters; `classes` is the number of classes, if known.
  std::vector<ParameterProblem> (*problems)(const ParameterValues&, std::optional<double> classes) = nullptr;
};

/// identity, modulo, hash, fan_in, right_set, zipf, counts.
const std::vector<AnswerLawRow>& answer_law_catalogue();

/// The row of a law that validation has accepted.
const AnswerLawRow& answer_law_row(const std::string& law);

/// Makes the law of a row. Throws InputError if parameters, classes and files do not fit together.
AnswerLaw answer_law_of(const std::string& law, const AnswerLawRequest& request);

/// Largest number of queries or answers that are written out.
inline constexpr double max_written_out = 2e7;
/// Largest number of pairs of query and answer that `zipf` writes out.
inline constexpr double max_written_pairs = 4e6;

}  // namespace rarefact
