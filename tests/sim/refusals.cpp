// What the program says of engines: every sentence with which it refuses an experiment, and why an engine is taken.
//
// refusals.txt has bases ("base NAME", then the text of an experiment) and questions ("BASE: key=value | key=value", the
// overrides of --set), each with its answer below, indented; questions in a row have the same one. The first question of a
// base is the base alone ("BASE:"). An engine that an answer does not name says what it says of the base alone, or takes the
// experiment, but for modes. "o.KEY" stands for optimizer.o.KEY, of the optimizer that a base
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

const std::vector<std::string> every_engine = {"auto",      "modes",      "columns",
                                               "symmetric", "quadrature", "dense"};

/// What is said of an experiment with each run.engine, but of modes that they hold least squares alone, and which engines
/// refusals recommend.
struct Answer {
  std::map<std::string, std::string> said;  ///< empty: the engine takes it
  std::set<std::string> recommended;
};

/// Omitted is how a refusal begins and ends, and what the engines' own lines say of those that "auto" leaves.
Answer answer(const std::string& base, const std::string& question) {
  std::string text = "name = \"it\"\n" + base;
  if (base.find("[[optimizer]]") == std::string::npos)
    text += "[[optimizer]]\nname = \"o\"\nrule = \"gd\"\nstep_size = 0.1\n";
  std::vector<std::string> overrides, possible;
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
  Answer found;
  for (const std::string& engine : every_engine) {
    std::vector<std::string> all = overrides;
    all.push_back("run.engine=" + engine);
    std::string& here = found.said[engine];
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
        found.recommended.insert(here.substr(end + use.size()));
        here = "no, " + here.substr(begin.size(), end - begin.size());
      }
    }
  }
  std::string& taken = found.said["auto"];
  for (const std::string& engine : every_engine) {
    const std::string& here = found.said[engine];
    if (!here.starts_with("no, ") || engine == "auto") continue;
    std::vector<std::string> alike;
    std::ranges::copy_if(every_engine, std::back_inserter(alike),
                         [&](const std::string& one) { return one != "auto" && found.said[one] == here; });
    const std::string left = fmt::format(" not {}: {}", joined(alike, " or "), here.substr(4));
    if (const std::size_t at = taken.find(left); at != std::string::npos)
      taken.erase(at - 1, left.size() + 1);
  }
  if (taken == "no") taken.clear();
  if (found.said["modes"] == "no, it is only for least squares (model.loss)") found.said.erase("modes");
  found.recommended.erase(possible.empty() ? "no engine can"
                                           : in_words(possible, " or ") + ", or omit run.engine");
  return found;
}

/// A line for every engine, those of the same answer together. Omitted is what goes without saying: an engine that takes
/// the experiment, and what is said of the base alone as well.
std::string lines_of(Answer shown, const Answer* alone) {
  if (alone != nullptr) {
    for (auto& [engine, here] : shown.said) {
      const auto before = alone->said.find(engine);
      if (before != alone->said.end() && here == before->second) {
        here.clear();
      } else if (here.empty()) {
        here = "yes";
      }
    }
  }
  std::string lines;
  std::vector<std::string> left = every_engine;
  std::erase_if(left, [&](const std::string& engine) { return !shown.said.contains(engine); });
  const std::size_t engines = left.size();
  std::erase_if(left, [&](const std::string& engine) { return shown.said[engine].empty(); });
  while (!left.empty()) {
    const std::string here = shown.said[left.front()];
    std::vector<std::string> alike = left;
    std::erase_if(alike, [&](const std::string& engine) { return shown.said[engine] != here; });
    std::erase_if(left, [&](const std::string& engine) { return shown.said[engine] == here; });
    lines += fmt::format("  {}{}\n", alike.size() == engines ? "" : joined(alike) + ": ", here);
  }
  for (const std::string& one : shown.recommended) lines += fmt::format("  use: {}\n", one);
  return lines.empty() ? "  as the base alone\n" : lines;
}

}  // namespace

TEST_CASE("refusals of experiments and engines, and why an engine is taken, are those of refusals.txt") {
  const std::string path = project_file("tests/sim/refusals.txt");
  std::ifstream file(path);
  std::string written, base, stored;
  std::vector<std::string> questions;
  std::map<std::string, std::string> bases;
  std::map<std::string, Answer> alone;
  std::size_t count = 0;
  const auto finish = [&] {
    std::string before;
    for (const std::string& question : questions) {
      const std::size_t colon = question.find(':');
      const std::string name = question.substr(0, colon), text(trimmed(question.substr(colon + 1)));
      const Answer found = answer(bases.at(name), text);
      if (text.empty()) alone[name] = found;
      const std::string now = lines_of(found, text.empty() ? nullptr : &alone.at(name));
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
