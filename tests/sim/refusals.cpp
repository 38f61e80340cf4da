// What the program says of engines: every sentence with which it refuses an experiment, and why an engine is taken.
//
// refusals.txt has bases ("base NAME", then the text of an experiment) and questions ("BASE: key=value | key=value", the
// overrides of --set), each with its answer below, indented; questions in a row have the same one. An engine that an
// answer does not name takes the experiment, but for modes. "o.KEY" stands for optimizer.o.KEY, of the optimizer that a base
// has that names none; "memory=BYTES" is what the machine has.
//
// RAREFACT_WRITE_REFUSALS=1 writes what the program says now into the file, for a change on purpose.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "experiment/plan.hpp"
#include "experiment/setting.hpp"
#include "reference/project_file.hpp"
#include "sim/resolve.hpp"

using namespace rarefact;

namespace {

/// The numbers in a text, such as the name of a file that says what is in it.
std::vector<double> numbers_in(std::string text) {
  for (char& c : text) c = (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == '-' ? c : ' ';
  std::istringstream in(text);
  return {std::istream_iterator<double>(in), {}};
}

/// Files are what their names say: "3 2 1" is a column of counts, "4x6" an array, with "4x6, 2" of zeros in column 2, and
/// "0 1 5, 1 0 2" a table of pairs and their counts.
FileReaders named_files() {
  FileReaders readers;
  readers.counts = [](const std::string& path, const std::string&) { return CountTable{numbers_in(path)}; };
  readers.shape_of_array = [](const std::string& path) {
    const std::vector<double> n = numbers_in(path);
    return ArrayShape{Index(n.at(0)), Index(n.at(1)), n.size() > 2 ? Index(n[2]) : -1};
  };
  readers.pairs = [](const std::string& path) {
    const std::vector<double> n = numbers_in(path);
    PairCounts pairs;
    for (std::size_t i = 0; i + 2 < n.size(); i += 3) {
      pairs.query.push_back(Index(n[i]));
      pairs.answer.push_back(Index(n[i + 1]));
      pairs.count.push_back(n[i + 2]);
      pairs.queries = std::max(pairs.queries, Index(n[i]) + 1);
      pairs.answers = std::max(pairs.answers, Index(n[i + 1]) + 1);
    }
    return pairs;
  };
  return readers;
}

std::string text_of(const std::vector<Problem>& problems) {
  return joined(mapped(problems,
                       [](const Problem& one) {
                         if (one.file.empty()) return one.key + ": " + one.message;
                         return (one.file.starts_with("--set")
                                     ? one.file
                                     : fmt::format("{}:{}:{}", one.file, one.line, one.column)) +
                                ": " + one.message;
                       }),
                "\n    ");
}

/// What resolving says: of each optimizer the engine and why, or what is wrong.
std::string said_of(const ExperimentPlan& plan, double memory) {
  const Experiment experiment = plan.point(0).experiment;
  const Setup setup = resolve(experiment, named_files());
  const std::vector<Problem> large = memory_problems(experiment, setup, memory, 1);
  if (!large.empty()) return text_of(large);
  return joined(mapped(setup.engines,
                       [&](const EngineChoice& one) {
                         return fmt::format("{}{}: {}{}",
                                            setup.engines.size() > 1 ? one.optimizer + " on " : "",
                                            one.reduction.engine(), one.reason,
                                            one.fallback ? "; or else " + one.fallback->engine() : "");
                       }),
                "\n    ");
}

/// The answer to one question: a line for every value of run.engine, engines of the same answer together. Omitted is
/// what goes without saying: an engine that takes the experiment and says so, how a refusal begins and ends, what the engines'
/// own lines say of those that "auto" leaves, and that modes hold least squares alone: where they take it they say yes.
std::string answer(const std::string& base, const std::string& question) {
  std::string text = "name = \"it\"\n" + base;
  if (base.find("[[optimizer]]") == std::string::npos)
    text += "[[optimizer]]\nname = \"o\"\nrule = \"gd\"\nstep_size = 0.1\n";
  std::vector<std::string> overrides;
  double memory = std::numeric_limits<double>::infinity();
  std::istringstream words(question);
  for (std::string word; std::getline(words, word, '|');) {
    word = trimmed(word);
    if (word.starts_with("memory=")) {
      memory = std::stod(word.substr(7));
    } else {
      overrides.push_back((word.starts_with("o.") ? "optimizer." : "") + word);
    }
  }
  std::vector<std::string> engines = {"modes", "columns", "symmetric", "quadrature", "dense", "auto"},
                           possible;
  std::map<std::string, std::string> said;
  std::set<std::string> shown_possible;
  for (const std::string& engine : engines) {
    std::vector<std::string> all = overrides;
    all.push_back("run.engine=" + engine);
    std::string& here = said[engine];
    try {
      here = said_of(parse_plan(text, "it.toml", all), memory);
      if (here.ends_with("; set by run.engine")) {
        possible.push_back(engine);
        here = engine == "modes" ? "yes" : "";
      }
    } catch (const InputError& error) {
      here = text_of(error.problems());
      const std::string begin = fmt::format("optimizer 'o' cannot use engine '{}': ", engine);
      const std::string none = "no engine can run optimizer 'o': ";
      if (const std::size_t there = here.find(none); there != std::string::npos)
        here = here.replace(there, none.size(), begin) + "; no engine can";
      const std::size_t at = here.find(begin);
      if (at != std::string::npos && error.problems().size() == 1) here.erase(0, at);
      const std::string use = here.ends_with("; no engine can") ? "; " : "; use ";
      const std::size_t end = here.rfind(use);
      if (here.starts_with(begin) && end != std::string::npos && error.problems().size() == 1) {
        shown_possible.insert(here.substr(end + use.size()));
        here = "no, " + here.substr(begin.size(), end - begin.size());
      }
    }
  }
  if (said["modes"] == "no, it is only for least squares (model.loss)") engines.erase(engines.begin());
  std::string& taken = said["auto"];
  for (const std::string& engine : engines) {
    if (!said[engine].starts_with("no, ") || engine == "auto") continue;
    std::vector<std::string> alike;
    std::ranges::copy_if(engines, std::back_inserter(alike),
                         [&](const std::string& one) { return said[one] == said[engine]; });
    const std::string left = fmt::format(" not {}: {}", joined(alike, " or "), said[engine].substr(4));
    if (const std::size_t at = taken.find(left); at != std::string::npos)
      taken.erase(at - 1, left.size() + 1);
  }
  if (taken == "no") taken.clear();
  std::rotate(engines.begin(), engines.end() - 1, engines.end());
  std::string lines;
  for (const std::string& engine : engines) {
    const std::string here = said[engine];
    if (here.empty()) continue;
    std::vector<std::string> alike;
    std::ranges::copy_if(engines, std::back_inserter(alike),
                         [&](const std::string& one) { return said[one] == here; });
    lines += fmt::format("  {}{}\n", alike.size() == engines.size() ? "" : joined(alike) + ": ", here);
    for (const std::string& one : alike) said[one].clear();
  }
  shown_possible.erase(possible.empty() ? "no engine can"
                                        : in_words(possible, " or ") + ", or omit run.engine");
  for (const std::string& one : shown_possible) lines += fmt::format("  use: {}\n", one);
  return lines;
}

}  // namespace

TEST_CASE("refusals of experiments and engines, and why an engine is taken, are those of refusals.txt") {
  const std::string path = project_file("tests/sim/refusals.txt");
  std::ifstream file(path);
  std::string written, base, stored;
  std::vector<std::string> questions;
  std::map<std::string, std::string> bases;
  std::size_t count = 0;
  const auto finish = [&] {
    std::string before;
    for (const std::string& question : questions) {
      const std::size_t colon = question.find(':');
      const std::string now = answer(bases.at(question.substr(0, colon)), question.substr(colon + 1));
      INFO(question);
      CHECK(now == stored);
      written += (now == before ? "" : before) + question + "\n";
      before = now;
    }
    written += before;
    count += questions.size();
    questions.clear();
    stored = "";
  };
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("  ")) {
      stored += line + "\n";
      continue;
    }
    if (!stored.empty() || line.empty()) finish();
    if (line.empty() || line.starts_with("#")) {
      base = "";
    } else if (line.starts_with("base ")) {
      base = line.substr(5);
    } else if (!base.empty()) {
      bases[base] += line + "\n";
    } else {
      questions.push_back(line);
      continue;
    }
    written += line + "\n";
  }
  finish();
  CHECK(count > 100);
  if (std::getenv("RAREFACT_WRITE_REFUSALS")) std::ofstream(path) << written;
}

TEST_CASE("requirements have names of their own, and the file, or that of bad input, has every sentence") {
  std::string text;
  for (const char* name : {"tests/sim/refusals.txt", "tests/experiment/read_errors.cpp"}) {
    std::ifstream file(project_file(name));
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  std::set<std::string> ids;
  const auto check = [&](const std::string& id, const std::string& sentence, bool of_way) {
    CHECK(ids.insert(of_way ? id : id + sentence).second);
    // The longest part without numbers or names.
    std::string longest;
    for (std::size_t begin = 0; begin < sentence.size();) {
      const std::size_t end = std::min(sentence.find('{', begin), sentence.size());
      if (end - begin > longest.size()) longest = sentence.substr(begin, end - begin);
      begin = std::min(sentence.find('}', end), sentence.size() - 1) + 1;
    }
    INFO(id);
    // Never told: of few steps nobody asks why they are made one by one.
    if (id != "many-steps") CHECK_THAT(text, Catch::Contains(longest));
  };
  for (const ReadingRow& row : reading_rows()) check(row.key, row.sentence, false);
  for (const auto* rows : {&class_requirements(), &rule_requirements(), &requirements()})
    for (const Requirement& row : *rows) check(row.id, row.sentence, rows == &requirements());
}
