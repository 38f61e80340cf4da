#pragma once

/// Queries and answers computed the plain way: a K x N softmax, entry by entry.

#include <cmath>

#include "core/random.hpp"
#include "io/array_file.hpp"
#include "model/pairs.hpp"

namespace reference {

using rarefact::Index;
using rarefact::Matrix;
using rarefact::Vector;

/// Reads a table of counts, n_kl of answer k and query l, whatever the path.
inline rarefact::FileReaders readers_of(const Matrix& table) {
  rarefact::FileReaders readers;
  readers.pairs = [table](const std::string&) {
    rarefact::PairCounts counts;
    counts.queries = table.cols();
    counts.answers = table.rows();
    for (Index l = 0; l < table.cols(); ++l) {
      for (Index k = 0; k < table.rows(); ++k) {
        if (table(k, l) == 0) continue;
        counts.query.push_back(l);
        counts.answer.push_back(k);
        counts.count.push_back(table(k, l));
      }
    }
    return counts;
  };
  return readers;
}

/// What pairs hold of each answer, as a matrix, K x N.
template <class T>
Matrix as_matrix(const rarefact::Pairs& pairs, const std::vector<T>& of_answers) {
  Matrix result = Matrix::Zero(pairs.answers, pairs.queries());
  for (Index l = 0; l < pairs.queries(); ++l) {
    const auto query = static_cast<std::size_t>(l);
    for (std::size_t i = pairs.begin[query]; i < pairs.begin[query + 1]; ++i)
      result(pairs.answer[i], l) = of_answers[i];
  }
  return result;
}

/// π₀.
inline Matrix shares_of(const rarefact::Pairs& pairs) {
  return as_matrix(pairs, pairs.share);
}

/// 1 for right answers, else 0.
inline Matrix right_of(const rarefact::Pairs& pairs) {
  return as_matrix(pairs, pairs.right);
}

inline Vector probability_of(const rarefact::Pairs& pairs) {
  return Eigen::Map<const Vector>(pairs.probability.data(), pairs.queries());
}

/// π = (1-α) π₀ + α b.
inline Matrix targets_of(const rarefact::Pairs& pairs, double noise, bool by_frequency) {
  const Matrix shares = shares_of(pairs);
  const Vector b = by_frequency
                       ? Vector(shares * probability_of(pairs))
                       : Vector(Vector::Constant(pairs.answers, 1.0 / static_cast<double>(pairs.answers)));
  return ((1 - noise) * shares).colwise() + noise * b;
}

inline Matrix softmax_of(const Matrix& logits) {
  Matrix result = logits;
  for (Index l = 0; l < result.cols(); ++l) {
    result.col(l) = (result.col(l).array() - result.col(l).maxCoeff()).exp();
    result.col(l) /= result.col(l).sum();
  }
  return result;
}

/// A law in which queries have one to `most` answers of unequal shares; `doubtful`: some of them are not right.
inline rarefact::Pairs random_pairs(Index queries, Index answers, int most, bool doubtful,
                                    std::uint64_t seed) {
  const rarefact::RandomStream random(seed, "pairs");
  rarefact::Pairs pairs;
  pairs.answers = answers;
  pairs.begin = {0};
  double mass = 0;
  for (Index l = 0; l < queries; ++l) {
    const auto number = [&](std::uint64_t i) { return random.uniform(static_cast<std::uint64_t>(l), i); };
    pairs.probability.push_back(0.1 + number(0));
    mass += pairs.probability.back();
    const int wanted = 1 + static_cast<int>(number(1) * most);
    double total = 0;
    const std::size_t first = pairs.answer.size();
    for (Index k = 0; k < answers; ++k) {
      const auto left = static_cast<double>(answers - k);
      const double missing = wanted - static_cast<double>(pairs.answer.size() - first);
      if (!(number(10 + static_cast<std::uint64_t>(k)) * left < missing)) continue;
      pairs.answer.push_back(k);
      pairs.share.push_back(0.2 + number(100 + static_cast<std::uint64_t>(k)));
      pairs.right.push_back(!doubtful || pairs.answer.size() == first + 1 ||
                            number(200 + static_cast<std::uint64_t>(k)) < 0.5);
      total += pairs.share.back();
    }
    for (std::size_t i = first; i < pairs.share.size(); ++i) pairs.share[i] /= total;
    pairs.begin.push_back(pairs.answer.size());
  }
  for (double& p : pairs.probability) p /= mass;
  return pairs;
}

}  // namespace reference
