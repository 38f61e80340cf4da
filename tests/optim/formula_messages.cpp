// What is said of definitions that are no rule: where it is, and what it is.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/text.hpp"
#include "optim/formula/formula.hpp"
#include "reference/cells.hpp"

using namespace rarefact;

namespace {

/// Definitions, then indented the key, where in its text (or nowhere: all of it), and what is said.
const std::string refusals = R"text(
direction = polr(G)
  direction:0 | there is no function 'polr'; did you mean polar?
direction = G + G.T
  direction | G is d_out x d_in and G.T is d_in x d_out: they cannot be added
direction = G - G.T
  direction | G is d_out x d_in and G.T is d_in x d_out: they cannot be subtracted
direction = G*G.T
  direction | G is d_out x d_in and G.T is d_in x d_out: they cannot be multiplied entry by entry (@ is the product of matrices)
direction = G/G.T
  direction | G is d_out x d_in and G.T is d_in x d_out: they cannot be divided
direction = minimum(G, G.T)
  direction | G is d_out x d_in and G.T is d_in x d_out: they cannot be combined
direction = where(G > G.T, G, G)
  direction | G is d_out x d_in and G.T is d_in x d_out: they cannot be combined
direction = 2*sqrt(G)
  direction:2 | the square root of G, which may be negative
direction = log(G)
  direction | log of G, which may be negative
direction = G/0
  direction | G is divided by 0, which is always 0
direction = G**0.5
  direction | the square root of G, which may be negative
direction = G**t
  direction | G is d_out x d_in; an exponent that is not constant requires numbers on both sides
let.a = b
let.b = a
direction = a*G
  let.a | 'a' needs itself within one step (a -> b -> a); a state has a value of the step before
direction = spectral(G, lambda s: ema(s, 0.9))
  direction:22 | ema has a state, which is not allowed in a lambda
direction = spectral(G, lambda s: sum(s))
  direction:22 | "sum(s)" is of a singular value, which is a number: only + - * / ** and functions of numbers are for it
direction = spectral(G, lambda s: norm(spectral(G, lambda u: u))*s)
  direction:39 | a lambda within a lambda is not allowed
direction = 1/0*G
  direction:0 | "1/0" is not a finite number
direction = (-1)**0.5*G
  direction:1 | "(-1)**0.5" is not a finite number
state.L = L + G@G.T
let.Q = eigenbasis(L)
state.u = 0.9*u + Q.T@G
direction = Q@u
  state.u | the sign of an eigenvector is arbitrary at every step: no state can remember it
state.Q = eigenbasis(G@G.T)
direction = prev(Q)@Q.T@G
  state.Q | the sign of an eigenvector is arbitrary at every step: no state can remember it
state.a = b
let.b = a
direction = a*G
  state.a | 'a' needs itself within one step (a -> b -> a); prev(a) is the value of the step before
state.m = 0.9*m
direction = m + G
  state.m | state.m never leaves zero
direction = G - G*0*m
state.m = 0.5*m
  state.m | state.m never leaves zero
state.m = m
direction = m
  state.m | state.m never leaves zero
direction = norm(G)
  direction | the direction is a number; W is d_out x d_in
state.v = 0.9*v + rowmean(G**2)
direction = v
  direction | the direction is d_out x 1; W is d_out x d_in
direction = eigenbasis(G@G.T)@G
  direction | eigenbasis(G @ G.T) is d_out x eigenvectors and G is d_out x d_in: they have no product
direction = abs(eigenbasis(G@G.T).T@G)
  direction | the direction is eigenvectors x d_in; W is d_out x d_in
let.U = eigenbasis(G@G.T)
direction = U@(U.T@G + norm(G))
  direction:3 | the sign of an eigenvector is arbitrary and does not cancel here
let.U = eigenbasis(G@G.T)
direction = U@exp(U.T@G)
  direction:2 | the sign of an eigenvector is arbitrary and does not cancel here
let.U = eigenbasis(G@G.T)
direction = sum(U.T@G)*G
  direction:0 | the sign of an eigenvector is arbitrary and does not cancel here
let.U = eigenbasis(G@G.T)
direction = inner(U.T@G, abs(U.T@G))*G
  direction:0 | the sign of an eigenvector is arbitrary and does not cancel here
let.U = eigenbasis(G@G.T)
direction = trace(abs(U.T@G)@(G.T@U))*G
  direction:0 | the sign of an eigenvector is arbitrary and does not cancel here
let.U = eigenbasis(G@G.T)
direction = U@abs(U.T@G)
  direction | the sign of an eigenvector is arbitrary and does not cancel here
let.U = eigenbasis(G@G.T)
direction = U@(U.T@G)**0.5
  direction:3 | the square root of U.T @ G, which may be negative
direction = eigenbasis(G)
  direction | eigenbasis needs a sum of X @ X.T, and G is none
direction = eigenbasis(G.T@polar(G))@G.T
  direction:0 | eigenbasis needs a sum of X @ X.T, and G.T @ polar(G) is none
direction = inner(G, G.T)*G
  direction:0 | G is d_out x d_in and G.T is d_in x d_out: they have no inner product
direction = inner(G, norm(G))*G
  direction:0 | G is d_out x d_in and norm(G) is a number: they have no inner product
direction = trace(G)*G
  direction:0 | G is d_out x d_in, not square
direction = trace(norm(G))*G
  direction:0 | norm(G) is a number, not square
direction = nuclear(norm(G))*G
  direction:0 | norm(G) is a number, no matrix
direction = spectral_norm(rownorm(G))*G
  direction:0 | rownorm(G) is d_out x 1, no matrix
direction = polar(norm(G))*G
  direction:0 | norm(G) is a number, no matrix
direction = ambient(G)
  direction | ambient needs a value of T, answers x queries, and G is d_out x d_in
direction = T
  direction | the direction is answers x queries; W is d_out x d_in
direction = ambient(T) + T
  direction | ambient(T) is d_out x d_in and T is answers x queries: they cannot be added
direction = spectral(G, lambda s: G)
  direction:9 | G is d_out x d_in, not a number for each singular value
direction = spectral(G, lambda s: s*rownorm(G))
  direction:22 | s*rownorm(G) is d_out x 1, not a number for each singular value
direction = spectral(G, 2)
  direction:12 | "2" is not a lambda; expected spectral(X, lambda s: ...)
direction = G@G
  direction | G is d_out x d_in and G is d_out x d_in: they have no product
direction = norm(G)@G
  direction | norm(G) is a number and G is d_out x d_in: they have no product
direction = where(G, G, G)
  direction:6 | "G" is not a comparison; expected where(x > y, a, b)
direction = quintic(G, [1, 2, 3])
  direction:11 | "[1, 2, 3]" is not a list of triples; expected [[a, b, c], ...]
direction = quintic(G, 3)
  direction:11 | "3" is not a list of triples; expected [[a, b, c], ...]
direction = quintic(G, [[1, 2]])
  direction:11 | "[[1, 2]]" is not a list of triples; expected [[a, b, c], ...]
direction = quintic(G, [[1, t, 3]])
  direction:16 | a coefficient is "t"; expected a number that does not change
direction = quintic(G, [[1, 2, 3]], -1)
  direction:24 | what is added to the norm is below 0
direction = newton_schulz(G, 2.5)
  direction:17 | 2.5 steps; expected an integer from 1 to 1000
direction = newton_schulz(G, 0)
  direction:17 | 0 steps; expected an integer from 1 to 1000
direction = polar_express(G, 2000)
  direction:17 | 2000 steps; expected an integer from 1 to 1000
direction = newton_schulz(G, 5, -1e-7)
  direction:20 | what is added to the norm is below 0
direction = newton_schulz(G, t)
  direction:17 | the steps of newton_schulz is "t"; expected a number that does not change
direction = newton_schulz(G, 5, t)
  direction:20 | what is added to the norm is "t"; expected a number that does not change
direction = ema(G, t)
  direction:7 | the second argument of ema is "t"; expected a number that does not change
direction = decay(G, norm(G))
  direction:9 | the second argument of decay is "norm(G)"; expected a number that does not change
direction = power(G, G)
  direction | the exponent G is d_out x d_in, no number
direction = smooth_polar(G, -1)
  direction:16 | λ of smooth_polar is -1; expected a number >= 0
direction = top(G, 0)
  direction:7 | r of top is 0; expected an integer >= 1
direction = top(G, 1.5)
  direction:7 | r of top is 1.5; expected an integer >= 1
direction = prev(G)
  direction:5 | prev needs a state, and "G" is none
direction = prev(G + 1)
  direction:5 | prev needs a state, and "G + 1" is none
let.o = G
direction = prev(o)
  direction:5 | prev needs a state, and "o" is none
direction = polar
  direction:0 | polar is a function; expected polar(...)
direction = H
  direction:0 | there is nothing named 'H'; define it as param.H, state.H or let.H
direction = G + lambda*W
  direction:4 | there is nothing named 'lambda'; the word is reserved; choose another, such as param.wd
direction = D + 0.1*W
  direction:0 | there is nothing named 'D'; it is what the direction defines; write G, or use weight_decay
direction = msgn(grad)
  direction:0 | there is no function 'msgn'; did you mean polar?
direction = msign(G)
  direction:0 | there is no function 'msign'; did you mean polar?
direction = pow(G, 2)
  direction:0 | there is no function 'pow'; did you mean **?
direction = normm(G)
  direction:0 | there is no function 'normm'; did you mean norm?
direction = d_ouy*G
  direction:0 | there is nothing named 'd_ouy'; did you mean d_out?
direction = direction
  direction:0 | there is nothing named 'direction'
let.o = G
direction = O
  direction:0 | there is nothing named 'O'; did you mean o?
direction = norm(G, G)*G
  direction:0 | norm takes 1 argument, and got 2
direction = clip(G, 0)
  direction:0 | clip takes 3 arguments, and got 2
let.G = G
direction = G
  let.G | 'G' means something in formulas already; choose another name
let.norm = G
direction = G
  let.norm | 'norm' means something in formulas already; choose another name
state.d_out = G
direction = G
  state.d_out | 'd_out' means something in formulas already; choose another name
let.lambda = G
direction = G
  let.lambda | 'lambda' means something in formulas already; choose another name
state.m = G
let.m = G
direction = m
  state.m | 'm' is let.m as well; choose another name
direction = G +
  direction:3 | got the end after "G +"; expected a number, a name or "("
direction = (G
  direction:2 | got the end after "(G"; expected ")"
direction =
  direction:0 | got the end; expected a number, a name or "("
direction = 1e400*G
  direction:0 | got "1e400*G"; expected a number that a double can hold
direction = 0
  direction | the direction is always zero
direction = 0*W
  direction | the direction is always zero
direction = 2
  direction | the direction is a number; W is d_out x d_in
state.m = G + m.T
direction = m
  state.m | G is d_out x d_in and m.T is d_in x d_out: they cannot be added
state.m = G@m
direction = m + G
  state.m | state.m never leaves zero
state.m = rownorm(G) + 0*m
state.n = n + m@n
direction = G + n
  state.n | state.n never leaves zero
direction = sqrt(sum(G))*G
  direction:0 | the square root of sum(G), which may be negative
direction = norm(G - 2)*sqrt(-norm(G))*G
  direction:12 | the square root of -norm(G), which may be negative
state.v = 0.9*v - 0.1*G*G
direction = G/sqrt(v)
  direction:2 | the square root of 0.9*v - 0.1*G*G, which may be negative
direction = sqrt(step - steps)*G
  direction:0 | the square root of step - steps, which may be negative
direction = sqrt(1 - t/steps)*G
  direction:0 | the square root of 1 - t/steps, which may be negative
direction = sqrt(1 - 1.1*step/steps)*G
  direction:0 | the square root of 1 - 1.1*step/steps, which may be negative
let.c = 1
direction = G + clip(G, c, -1)
  direction:12 | the lower end c is above the upper end -1
)text";

}  // namespace

TEST_CASE("a definition that is wrong is refused with one sentence that says what is wrong, and where") {
  ParameterValues definitions;
  int checked = 0;
  for (const std::string_view line : split_text(refusals, '\n')) {
    if (line.empty()) continue;
    if (!line.starts_with(' ')) {
      const std::size_t at = line.find(" =");
      definitions.set(std::string(line.substr(0, at)),
                      std::string(line.substr(std::min(at + 3, line.size()))));
      continue;
    }
    INFO("before: " << line);
    const std::vector<ParameterProblem> problems = formula_problems(definitions);
    REQUIRE(problems.size() == 1);
    const std::string place =
        problems[0].offset ? fmt::format("{}:{}", problems[0].key, *problems[0].offset) : problems[0].key;
    CHECK(fmt::format("  {} | {}", place, problems[0].message) == line);
    definitions = {};
    ++checked;
  }
  CHECK(checked == 108);
}

TEST_CASE("every definition that cannot be read is named, each with its own problem") {
  const auto problems = formula_problems(
      {{"state.m", std::string("m +")}, {"let.o", std::string("(G")}, {"direction", std::string("m + o")}});
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].key == "let.o");
  CHECK(problems[1].key == "state.m");
}

TEST_CASE("what is right has no problem") {
  for (const char* text : {"G", "top(G, 3)", "G/colnorm(G)", "where(G < 0, G, 2*G)", "ambient(T)",
                           "G@power(C, -1) + 0.1*W", "sqrt(d_out/d_in)*G",
                           // W and states are zero at the first step, but have their shape.
                           "W + rowmean(G)", "rowmean(G) + W*G", "tanh(W)*colmean(G) - rowmean(G)",
                           "rowmean(G) + prev(m)", "polar(rowmean(G) + prev(m))", "polar(W + rowmean(G))",
                           // Divided by 0 they end the run.
                           "G/W", "G/abs(W)", "G*(1/norm(W))"})
    CHECK(formula_problems({{"direction", std::string(text)}, {"state.m", std::string("W + rowmean(G)")}})
              .empty());
  // Roots of squares in any order, and of what is left of the run: t - 1 is at most its steps.
  for (const std::string& text : cells_of(R"(
         0.1*G*G | G*0.1*G | G*(0.1*G) | G*G/7 | G/7*G | (2*G)*(G*3) | -G*-G | t*G*G | G*norm(G)*G
         0.1*G*G*t | G*W*G*W | 0.1*G*G*G*G | steps - step | 1 - step/steps | 1 - 0.5*step/steps
         2*steps - step | (steps - step)/steps | 1 - (step/steps)**2 | 1 - step/(2*steps) | clip(G, 1, 1))")) {
    CAPTURE(text);
    CHECK(formula_problems({{"direction", fmt::format("sqrt({})*G", text)}}).empty());
    CHECK(formula_problems(
              {{"state.v", fmt::format("0.9*v + ({})", text)}, {"direction", std::string("G/sqrt(v)")}})
              .empty());
  }
}
