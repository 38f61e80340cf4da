#include "reference/precise_run.hpp"

#include <tuple>
#include <utility>

namespace reference {

using rarefact::Index, rarefact::Matrix, rarefact::MatrixOf;

namespace {

template <int Digits>
using State = MatrixOf<Number<Digits>>;

/// Eigen's own product is made for speed and compiles slowly.
template <class A, class B>
auto product(const A& a, const B& b) {
  return MatrixOf<typename A::Scalar>(a.lazyProduct(b));
}

template <int Digits>
struct Problem {
  explicit Problem(const PreciseProblem& given)
      : joint(given.joint.cast<Number<Digits>>()),
        query(embedding(given.query, joint.cols())),
        answer(embedding(given.answer, joint.rows())),
        noise(given.noise) {
    joint /= joint.sum();
  }

  static State<Digits> embedding(const Matrix& given, Index classes) {
    if (given.size() > 0) return given.cast<Number<Digits>>();
    return State<Digits>::Identity(classes, classes);
  }

  /// ∇L, and what is seen of W.
  State<Digits> gradient(const State<Digits>& w, PreciseState<Digits>& seen) const {
    using Real = Number<Digits>;
    const State<Digits> s = product(product(answer.transpose(), w), query);
    State<Digits> g(s.rows(), s.cols()), odds(s.rows(), 1);
    for (Index l = 0; l < s.cols(); ++l) {
      const Real p = joint.col(l).sum();
      Index most = 0;
      const Real peak = s.col(l).maxCoeff(&most);
      Real others = 0, wrong = 0;  // beside that of the largest logit, which is 1
      for (Index k = 0; k < s.rows(); ++k) {
        odds(k) = exp(s(k, l) - peak);
        if (k != most) others += odds(k);
      }
      const Real log_sum = log1p(others);
      g(most, l) = 0;
      for (Index k = 0; k < s.rows(); ++k) {
        const Real likely = odds(k) / (1 + others), pi = (1 - noise) * joint(k, l) / p + noise / s.rows();
        if (joint(k, l) == 0) wrong += likely;
        if (pi > 0) {
          const Real log_likely = s(k, l) - peak - log_sum;
          seen.loss -= p * pi * log_likely;
          seen.excess_loss += p * pi * (log(pi) - log_likely);
        }
        // 1 - likely would have no digits where the others are below 1e-80.
        if (k == most) continue;
        g(k, l) = p * (likely - pi);
        g(most, l) -= g(k, l);
      }
      seen.error.push_back(wrong);
    }
    return product(product(answer, g), query.transpose());
  }

  State<Digits> joint, query, answer;
  Number<Digits> noise;
};

/// msgn, and its rank: one-sided Jacobi rotations make the columns of A = X V orthogonal.
template <int Digits>
std::pair<State<Digits>, int> msgn(const State<Digits>& x) {
  using Real = Number<Digits>;
  State<Digits> a = x, v = State<Digits>::Identity(x.cols(), x.cols());
  // What is skipped as rounding of X turns a small column beside it, so that is far below what counts for the rank.
  const Real least = x.squaredNorm() * pow(Real(10), 2 * (45 - Digits)),
             dust = x.squaredNorm() * pow(Real(10), 2 * (8 - Digits)),
             orthogonal = pow(Real(10), 2 * (5 - Digits));
  for (bool rotated = true; rotated;) {
    rotated = false;
    for (Index i = 0; i < x.cols(); ++i) {
      for (Index j = i + 1; j < x.cols(); ++j) {
        const Real one = a.col(i).squaredNorm(), two = a.col(j).squaredNorm(), both = a.col(i).dot(a.col(j));
        if (one <= dust || two <= dust || both * both <= orthogonal * one * two) continue;
        const Real zeta = (two - one) / (2 * both), size = 1 / (abs(zeta) + sqrt(1 + zeta * zeta)),
                   tangent = zeta < 0 ? -size : size, cosine = 1 / sqrt(1 + tangent * tangent);
        for (State<Digits>* side : {&a, &v}) {
          for (Index k = 0; k < side->rows(); ++k) {
            const Real before = (*side)(k, i);
            (*side)(k, i) = cosine * (before - tangent * (*side)(k, j));
            (*side)(k, j) = cosine * (tangent * before + (*side)(k, j));
          }
        }
        rotated = true;
      }
    }
  }
  State<Digits> factor = State<Digits>::Zero(x.rows(), x.cols());
  int rank = 0;
  for (Index i = 0; i < x.cols(); ++i) {
    const Real square = a.col(i).squaredNorm();
    if (square <= least) continue;
    factor += (a.col(i) / sqrt(square)).lazyProduct(v.col(i).transpose());
    ++rank;
  }
  return {std::move(factor), rank};
}

}  // namespace

template <int Digits>
std::vector<PreciseState<Digits>> precise_run(const PreciseProblem& given, const std::string& rule,
                                              double step_size, double momentum, int steps) {
  using Real = Number<Digits>;
  const Problem<Digits> problem(given);
  State<Digits> w = State<Digits>::Zero(problem.answer.rows(), problem.query.rows()), mean = w, square = w;
  std::vector<PreciseState<Digits>> states(static_cast<std::size_t>(steps) + 1);
  for (int t = 0; t <= steps; ++t) {
    const State<Digits> g = problem.gradient(w, states[t]);
    const Real kept = rule == "adam" ? 0.9 : momentum, added = rule == "adam" ? 1 - kept : Real(1);
    mean = State<Digits>(kept * mean + added * g);
    State<Digits> d = mean;
    if (rule == "ngd") d /= d.norm();
    if (rule == "muon on unit columns") d.colwise().normalize();
    if (rule.starts_with("muon")) std::tie(d, states[t].rank) = msgn<Digits>(d);
    if (rule == "signgd") d = mean.unaryExpr([](const Real& x) { return Real(x > 0 ? 1 : x < 0 ? -1 : 0); });
    if (rule == "adam") {
      square = State<Digits>(Real(0.999) * square + (1 - Real(0.999)) * g.cwiseProduct(g));
      const Real first = 1 - pow(Real(0.9), t + 1), second = 1 - pow(Real(0.999), t + 1);
      d = mean.binaryExpr(square, [&](const Real& m, const Real& v) {
        return (m / first) / (sqrt(v / second) + Real(1e-8));
      });
    }
    w -= Real(step_size) * d;
  }
  return states;
}

template std::vector<PreciseState<80>> precise_run(const PreciseProblem&, const std::string&, double, double,
                                                   int);
template std::vector<PreciseState<400>> precise_run(const PreciseProblem&, const std::string&, double, double,
                                                    int);

}  // namespace reference
