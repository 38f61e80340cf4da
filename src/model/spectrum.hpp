#pragma once

/// Class spectra: how often each fact occurs. Classes of equal probability form a group, so a spectrum of
/// 10^15 classes is a handful of numbers.

#include <cmath>
#include <limits>
#include <memory>

#include "model/attribute_grid.hpp"
#include "model/smooth_law.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

/// How training draws queries: with q_l = p_l^τ/Σ_j p_j^τ, a function of the probabilities p_l by which a run is measured.
/// Gradients, samples, the second moment and the Hessian are of q; loss, error, gap, curvature along an update
/// and noise answers are of p. τ = 1: q = p, exactly.
struct SamplingLaw {
  double exponent = 1;   ///< τ
  double log_total = 0;  ///< ln Σ_j p_j^τ

  double operator()(double p) const {
    return exponent == 1 ? p : std::exp(exponent * std::log(p) - log_total);
  }
};

/// Groups of equally likely classes, most likely first. Invariants: equal lengths, count >= 1, probability >
/// 0, probabilities strictly descending unless the spectrum's own definition says otherwise, Σ count x
/// probability = 1.
struct ClassGroups {
  std::vector<double> count;        ///< classes in the group (a double: it may be 1e300)
  std::vector<double> probability;  ///< of ONE class of the group

  double total() const;  ///< K
  std::size_t size() const { return count.size(); }
  /// The group of every class, one by one. Precondition: whole counts.
  std::vector<Index> group_of_each() const;
};

/// A table of counts, one row per class.
struct CountTable {
  std::vector<double> count;
  std::vector<std::string> label = {};  ///< names of the rows; empty if the table has none
};

/// Reads the counts of a `file` spectrum: path as typed, and column. Supplied by io.
using CountReader = std::function<CountTable(const std::string& path, const std::string& column)>;

/// The rows of classes, by rank, in the user's table of counts.
struct TableRows {
  std::vector<Index> row = {};          ///< row of every class, from 0; empty without a table
  std::vector<std::string> label = {};  ///< of the rows, as in CountTable
  double count = 0;                     ///< of all rows
};

/// The embeddings of queries, or of answers, in a file.
struct FileColumns {
  double dimension = 0;            ///< rows of the array, or S + R of attributes; else 0
  std::vector<Index> column = {};  ///< column of each query or answer; empty: its number
};

struct SpectrumRow : CatalogueRow {
  ClassGroups (*make)(const ParameterValues&, const CountReader&) = nullptr;
  /// The spectrum as a smooth function of the rank; null if it is not one. Errors as for make.
  SmoothLaw (*law)(const ParameterValues&) = nullptr;
  /// For spectra from a table, the rows of the classes; else null. Errors as for make.
  TableRows (*rows)(const ParameterValues&, const CountReader&) = nullptr;
  /// For classes that are pairs of attributes; else null. Errors as for make.
  AttributeGrid (*grid)(const ParameterValues&) = nullptr;
};

/// Largest number of distinct classes that are written out.
inline constexpr double max_groups = 2e7;
inline constexpr double max_classes = 1e300;

/// uniform, two_level, power_law, zipf_mandelbrot, log_normal, grouped_power_law, dyadic, product, file.
const std::vector<SpectrumRow>& spectrum_catalogue();

struct AnswerLaw;

/// The input of the engines: the queries, in groups, as a smooth law of the rank, or both; and their answers.
struct Spectrum {
  std::optional<ClassGroups> groups;  ///< nullopt if there are too many distinct classes to write out
  std::optional<SmoothLaw> law;
  double classes = 0;                             ///< N
  std::shared_ptr<const AnswerLaw> answers = {};  ///< null: every query has its own answer
  std::optional<AttributeGrid> grid = {};         ///< of classes that are pairs of attributes
  SamplingLaw sampling = {};                      ///< of training
  TableRows table = {};                           ///< of the queries
  double occurrences = 0;                         ///< of all classes in a table of counts; 0 without one
  FileColumns query_file = {}, answer_file = {};
  double answer_count() const;  ///< K
  /// From now on training draws queries by p^τ/Σ p^τ.
  void sample_by(double exponent);
  bool ranks_answers() const;  ///< the classes of `law` are answers
  /// The least and the largest probability of a query in training.
  std::pair<double, double> training_range() const;
};

/// Throws InputError if legal parameters do not fit together (βK not whole). Too many classes to write out
/// are no error if there is a smooth law.
Spectrum spectrum_of(const std::string& kind, const ParameterValues& parameters, const CountReader& reader);

/// True unless a probability is 0 or subnormal; and the error that `what`, "the classes have a probability", is that small.
constexpr bool is_normal(double probability) {
  return probability >= std::numeric_limits<double>::min();
}
InputError too_small(const std::string& what);

/// Converts weights of `count` classes each, most likely first, to probabilities; equal neighbours become one
/// group. Throws InputError if a probability is below the smallest normal double.
ClassGroups normalised(const std::vector<double>& count, const std::vector<double>& weight);

/// Spectra of distinct classes whose frequency is a smooth function of the rank.
std::vector<SpectrumRow> smooth_rows();

/// Parameters of several rows: K, and the exponent of a power law.
Parameter count_parameter();
Parameter exponent_parameter(const std::string& meaning);

}  // namespace rarefact
