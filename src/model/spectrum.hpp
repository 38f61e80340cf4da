#pragma once

/// Class spectra: how often each fact occurs. Classes of equal probability form a group, so a spectrum of
/// 10^15 classes is a handful of numbers.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "model/smooth_law.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

/// Groups of equally likely classes, most likely first. Invariants: equal lengths, count >= 1, probability >
/// 0, probabilities strictly descending unless the spectrum's own definition says otherwise, Σ count x
/// probability = 1.
struct ClassGroups {
  std::vector<double> count;        ///< classes in the group (a double: it may be 1e300)
  std::vector<double> probability;  ///< of ONE class of the group

  double total() const;  ///< K
  std::size_t size() const { return count.size(); }
};

/// A table of counts, one row a class.
struct CountTable {
  std::vector<double> count;
  std::vector<std::string> label = {};  ///< what the rows are called; empty where the table does not say it
};

/// Reads the counts of a `file` spectrum: path as typed, and column. Supplied by io.
using CountReader = std::function<CountTable(const std::string& path, const std::string& column)>;

/// Where classes, by rank, stand in the user's table of counts.
struct TableRows {
  std::vector<Index> row = {};          ///< of every class, from 0; empty: there is no table
  std::vector<std::string> label = {};  ///< of the rows, as in CountTable
};

/// What is known of the queries, or of the answers, where their embeddings come from a file.
struct FileColumns {
  double dimension = 0;            ///< rows of the array; 0: there is none
  std::vector<Index> column = {};  ///< of each, by its number; empty: that is its number
};

/// A row of the spectra catalogue.
struct SpectrumRow : CatalogueRow {
  ClassGroups (*make)(const ParameterValues&, const CountReader&) = nullptr;
  /// The same spectrum as a smooth function of the rank; null where it is none. Errors as make.
  SmoothLaw (*law)(const ParameterValues&) = nullptr;
  /// Of classes that a table lists in an order of its own; null elsewhere. Errors as make.
  TableRows (*rows)(const ParameterValues&, const CountReader&) = nullptr;
};

/// Distinct classes beyond this number are never written out one by one.
inline constexpr double most_groups = 2e7;
inline constexpr double most_classes = 1e300;

/// uniform, two_level, power_law, zipf_mandelbrot, log_normal, grouped_power_law, dyadic, file.
const std::vector<SpectrumRow>& spectrum_catalogue();

struct AnswerLaw;

/// What is learned, as the engines see it: the queries, written out in groups, or as a smooth law of the rank, or both;
/// and their answers.
struct Spectrum {
  std::optional<ClassGroups> groups;  ///< absent where there are too many distinct classes to write out
  std::optional<SmoothLaw> law;
  double classes = 0;                             ///< N
  std::shared_ptr<const AnswerLaw> answers = {};  ///< null: every query has an answer of its own
  TableRows table = {};                           ///< of the queries
  FileColumns query_file = {}, answer_file = {};
  double answer_count() const;  ///< K
};

/// InputError where parameters that are legal one by one do not fit together (βK not whole); classes too many to
/// write out are no error where a law holds them.
Spectrum spectrum_of(const std::string& kind, const ParameterValues& parameters, const CountReader& reader);

/// Weights of `count` classes each, most likely first, made probabilities; neighbours that come out equal
/// become one group. InputError where a probability is below the smallest normal double.
ClassGroups normalised(const std::vector<double>& count, const std::vector<double>& weight);

/// The rows of distinct classes whose frequency is a smooth function of the rank.
std::vector<SpectrumRow> smooth_rows();

/// Parameters that several rows have: K, and the exponent of a power law.
Parameter count_parameter();
Parameter exponent_parameter(const std::string& meaning);

}  // namespace rarefact
