// Optimizers in files of their own.

#include <catch2/catch.hpp>

#include "experiment/plan.hpp"
#include "experiment/write.hpp"
#include "io/scratch_folder.hpp"
#include "rarefact/error.hpp"

using namespace rarefact;

namespace {

const std::string rest = "[classes]\nspectrum = \"uniform\"\ncount = 4\n[run]\nsteps = 3\n";

std::string with(const std::string& optimizers) {
  return "name = \"e\"\noptimizer = [" + optimizers + "]\n" + rest;
}

}  // namespace

TEST_CASE(
    "an optimizer that a file of its own holds is as if it stood in the experiment, and keys beside it go first") {
  const ScratchFolder folder;
  spill(folder / "a.toml",
        "name = \"a\"\n[[optimizer]]\nname = \"a\"\nrule = \"formula\"\nstep_size = 1\nparam.mu = 0.5\n"
        "direction = \"mu*G\"\n");
  const std::string file = (folder / "e.toml").string();
  const auto text = [&](const std::string& optimizers, const std::string& more = "") {
    return resolved_text(parse_plan(with(optimizers) + more, file, {}));
  };
  const std::string a = R"({name = "a", rule = "formula", param.mu = 0.5, direction = "mu*G", step_size = )";
  CHECK(text(R"({include = "a.toml"})") == text(a + "1}"));
  CHECK(text(R"({include = "./a.toml", step_size = 2}, {include = "a.toml", name = "b"})") ==
        text(a + "2}, {name = \"b\"" + a.substr(11) + "1}"));
  const std::string swept = "[sweep]\noptimizer.a.step_size = [3, 4]\n";
  CHECK(text(R"({include = "a.toml"})", swept) == text(a + "1}", swept));
}

TEST_CASE("what is wrong in an included file is said with its own place") {
  const ScratchFolder folder;
  spill(folder / "slip.toml",
        "name = \"slip\"\n[[optimizer]]\nrule = \"gd\"\nstep_sizes = 0.1\nstep_size = 1\n");
  spill(folder / "syntax.toml", "name = \"syntax\"\nrule = = 3\n");
  spill(folder / "two.toml", with("{}, {}"));
  spill(folder / "self.toml", with(R"({name = "self", rule = "gd", step_size = 1, include = "self.toml"})"));
  const std::string file = (folder / "e.toml").string();
  struct Case {
    std::string include, file, message;
    int line, column;
  };
  for (const Case& wrong :
       {Case{"\"slip.toml\"", "slip.toml", "unknown key \"step_sizes\"", 4, 1},
        {"\"syntax.toml\"", "syntax.toml", "Error while parsing", 2, 8},
        {"\"self.toml\"", "self.toml", "optimizer.include: expected a text in the", 2, 68},
        {"\"two.toml\"", "e.toml", "two.toml: no experiment file with one", 2, 25},
        {"\"none.toml\"", "e.toml", "none.toml: no such file", 2, 25},
        {"3, rule = \"gd\", step_size = 1", "e.toml", "optimizer.include: expected a text", 2, 25}}) {
    CAPTURE(wrong.include);
    try {
      parse_plan(with("{include = " + wrong.include + "}"), file, {});
      FAIL("nothing is said");
    } catch (const InputError& error) {
      REQUIRE(error.problems().size() == 1);
      const Problem& problem = error.problems().front();
      CHECK(problem.file == (folder / wrong.file).string());
      CHECK(problem.line == wrong.line);
      CHECK(problem.column == wrong.column);
      CHECK_THAT(problem.message, Catch::Contains(wrong.message));
    }
  }
}
