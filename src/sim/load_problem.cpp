// Loading the problem: class frequencies and answer law, from keys and files.

#include <fmt/format.h>

#include "core/sorted_order.hpp"
#include "core/transform.hpp"
#include "sim/answer_groups.hpp"
#include "sim/resolve.hpp"

namespace rarefact {

namespace {

/// Calls `f`; problems without a key are attributed to the table's file or, without a file, to `key`.
template <class Function>
auto about(const std::string& table, const std::string& key, const Function& f) {
  try {
    return f();
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems)
      if (problem.key.empty()) problem.key = problem.file.empty() ? key : table + ".path";
    throw InputError(std::move(problems));
  }
}

/// The columns of a file in the order of the rows of a table, rearranged by the rank of the classes; empty if
/// both orders agree. `size`: the number of columns of each class.
std::vector<Index> columns_by_rank(const std::vector<Index>& row, const std::vector<Index>& size) {
  std::vector<Index> first(row.size() + 1), columns;
  for (std::size_t k = 0; k < row.size(); ++k) first[row[k] + 1] = size[k];
  std::partial_sum(first.begin(), first.end(), first.begin());
  for (std::size_t k = 0; k < row.size(); ++k)
    for (Index i = 0; i < size[k]; ++i) columns.push_back(first[row[k]] + i);
  if (std::ranges::is_sorted(columns)) columns.clear();
  return columns;
}

/// Files of embeddings list classes in the order of the user's table: derives the columns of these files from
/// the rows of the table, and the rows of the queries if classes are queries.
void follow_table(const Experiment& experiment, const AnswerLawRow& row, Spectrum& spectrum) {
  TableRows& table = spectrum.table;
  if (table.row.empty()) return;
  std::vector<Index> queries(table.row.size(), 1), answers = queries;  // of every class
  const AnswerLaw* law = spectrum.answers.get();
  std::size_t k = 0;
  for (std::size_t g = 0; law && row.own_components && g < law->components->groups.size(); ++g) {
    const ComponentGroup& component = law->components->groups[g];
    double multiplicity = 0;
    for (const QueryType& type : component.queries) multiplicity += type.multiplicity;
    for (double n = 0; n < component.count; ++n, ++k) {
      queries[k] = static_cast<Index>(multiplicity);
      answers[k] = static_cast<Index>(component.answer_multiplicity.front());
    }
  }
  if (embedding_row(experiment.query_embedding.kind).given)
    spectrum.query_file.column = columns_by_rank(table.row, queries);
  if (embedding_row(experiment.answer_embedding.kind).given && row.own_components)
    spectrum.answer_file.column = columns_by_rank(table.row, answers);
  if (row.classes != "queries") table = {};
}

Spectrum queries_of(const Experiment& experiment, const FileReaders& readers) {
  const AnswerLawRow& law = answer_law_row(experiment.answers.kind);
  Spectrum spectrum;
  if (!law.classes.empty())
    spectrum = about("classes", "", [&] {
      return spectrum_of(experiment.spectrum.kind, experiment.spectrum.parameters, readers.counts);
    });
  const auto made = [&] {
    return answer_law_of(law.name, {experiment.answers.parameters, spectrum, experiment.seeds().answers,
                                    readers.fan_ins ? readers.fan_ins : readers.counts, readers.pairs});
  };
  auto answers = std::make_shared<AnswerLaw>(about("answers", "answers.law", made));
  if (answers->alike && experiment.label_noise > 0)
    answers->alike = answers->alike->with_noise(experiment.label_noise);
  // Noise by frequency distinguishes answers that the identity law stores as one.
  const bool identity = !answers->components && !answers->law && !answers->alike;
  if (identity && experiment.noise() == NoiseAnswers::frequency) *answers = own_answers(spectrum);
  if (experiment.of_attributes() && spectrum.grid)
    spectrum.query_file.dimension = spectrum.grid->count[0] + spectrum.grid->count[1];
  if (identity && !answers->components && !answers->law) {
    spectrum.occurrences = spectrum.table.count;
    follow_table(experiment, law, spectrum);
    return spectrum;
  }
  Spectrum queries{.groups = spectrum.groups,
                   .law = answers->alike ? spectrum.law : answers->law,
                   .classes = spectrum.classes};
  if (answers->components) {
    queries.groups = answers->queries;
    queries.classes = answers->components->queries();
  } else if (answers->law) {
    queries.groups.reset();
    queries.classes = queries_of_ranks(*answers->law, answers->law->classes);
  }
  queries.answers = std::move(answers);
  queries.occurrences = queries.answers->occurrences + spectrum.table.count;  // one of them is 0
  queries.table = std::move(spectrum.table);
  follow_table(experiment, law, queries);
  return queries;
}

}  // namespace

Spectrum load_problem(const Experiment& experiment, const FileReaders& readers) {
  Spectrum spectrum = queries_of(experiment, readers);
  spectrum.sample_by(experiment.sampling_exponent);
  return spectrum;
}

Run problem_rows(Experiment experiment, const FileReaders& readers) {
  experiment.classes = {};
  const Spectrum spectrum = load_problem(experiment, readers);
  const ClassRows rows = rows_of(experiment, spectrum);
  Run run;
  rows.show(run);
  if (spectrum.answers && spectrum.answers->tells()) run.answers = shown_answers(spectrum, rows, 0).groups;
  return run;
}

void look_at_arrays(const Experiment& experiment, Spectrum& spectrum, const FileReaders& readers) {
  if (!readers.shape_of_array) return;
  std::vector<Problem> problems;
  const auto note = [&](const InputError& error, const std::string& key) {
    for (Problem problem : error.problems()) {
      problem.key = key;
      problems.push_back(std::move(problem));
    }
  };
  const ChosenRow &query = experiment.query_embedding, &answer = experiment.answer_embedding;
  for (const ChosenRow* side : {&query, &answer}) {
    const double columns = side == &query ? spectrum.classes : spectrum.answer_count();
    if (!embedding_row(side->kind).given) continue;
    if (side == &answer && answer == query && !spectrum.answers) {
      spectrum.answer_file.dimension = spectrum.query_file.dimension;  // its problems have been reported
      continue;
    }
    try {
      const ArrayShape shape = readers.shape_of_array(side->parameters.text("path"));
      require_file_embedding(side->parameters, shape, columns);
      (side == &query ? spectrum.query_file : spectrum.answer_file).dimension =
          static_cast<double>(shape.rows);
    } catch (const InputError& error) {
      note(error, side == &query ? "embedding.query.path" : "embedding.answer.path");
    }
  }
  raise(std::move(problems));
  problems.clear();
  const WeightShape w = weight_shape(experiment, spectrum);
  if (experiment.init.kind == "aligned" &&
      (w.rows != spectrum.answer_count() || w.columns != spectrum.classes))
    problems.push_back(problem_about(
        "init.kind",
        fmt::format(
            "init.kind: an aligned start Ẽ Eᵀ needs square embeddings, of as many dimensions as classes: W is "
            "{:.17g} x {:.17g} (d_out x d_in), and there are {:.17g} answers and {:.17g} queries; expected such "
            "dimensions, or \"gaussian\", \"orthogonal\" or \"file\"",
            w.rows, w.columns, spectrum.answer_count(), spectrum.classes)));
  raise(std::move(problems));
  if (experiment.init.kind != "file") return;
  const double inner = inner_dimension(experiment, spectrum);
  const bool product = experiment.is_product();
  const auto look = [&](std::size_t factor, double rows, double columns) {
    const std::string key = start_path(factor, product);
    const std::string& path = experiment.init.parameters.text(key);
    try {
      require_start_shape(path, readers.shape_of_array(path), rows, columns,
                          product && factor == 1 ? "r" : "d_out", product && factor == 0 ? "r" : "d_in");
    } catch (const InputError& error) {
      note(error, "init." + key);
    }
  };
  look(0, w.rows, product ? inner : w.columns);
  if (product) look(1, inner, w.columns);
  raise(std::move(problems));
}

}  // namespace rarefact
