#pragma once

/// The associative memory on dense matrices: any embedding, one column a class.

#include <memory>

#include "rarefact/algebra/dense_matrix.hpp"
#include "rarefact/core/parallel.hpp"
#include "rarefact/model/gradient.hpp"
#include "rarefact/model/observation.hpp"
#include "rarefact/model/spectrum.hpp"

namespace rarefact {

/// S = Ẽᵀ W E, ∇L = Ẽ G Eᵀ. An absent embedding is the identity (or the task basis of orthonormal ones).
class DenseMemory {
 public:
  using State = DenseMatrix;

  /// Classes are those of `groups`, expanded group by group. Embeddings have K columns; runs may share them.
  /// K >= 2, 0 <= label_noise < 1.
  DenseMemory(const ClassGroups& groups, double label_noise, std::shared_ptr<const Matrix> query,
              std::shared_ptr<const Matrix> answer);

  State zero() const;
  std::vector<Cell> cells() const { return cells_; }
  void evaluate(const State& w, Gradient<State>* gradient, Observation* observation,
                const Workers& workers) const;
  /// Ẽᵀ W E.
  State logits(const State& w) const { return logits(w, Workers::serial()); }
  State logits(const State& w, const Workers& workers) const;
  /// Ẽ X Eᵀ.
  State to_ambient(const State& x) const { return to_ambient(x, Workers::serial()); }
  State to_ambient(const State& x, const Workers& workers) const;

 private:
  std::vector<Cell> cells_;
  double label_noise_;
  int exponent_;
  std::shared_ptr<const Matrix> query_, answer_;
};

}  // namespace rarefact
