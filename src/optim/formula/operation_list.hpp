#pragma once

/// Leaves and operations on whole matrices. Each is a struct with `row` (its name), `trait` (the traits of
/// its result) and `evaluate` for every algebra.

#include "optim/formula/leaves.hpp"
#include "optim/formula/matrix_operations.hpp"
#include "optim/formula/reductions.hpp"
#include "optim/formula/spectral_operations.hpp"

namespace rarefact::formula {

template <class... O>
struct OperationList {
  static std::vector<Operation> rows() {
    std::vector<Operation> rows = {O::row()...};
    const std::vector<Trait (*)(Calculus&, int)> traits = {O::trait...};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      rows[k].trait = traits[k];
      rows[k].evaluator = static_cast<int>(k);
    }
    return rows;
  }

  template <class M>
  static void evaluate(int evaluator, FormulaRule<M>& rule, int i) {
    static constexpr void (*evaluators[])(FormulaRule<M>&, int) = {O::evaluate...};
    evaluators[evaluator](rule, i);
  }
};

using WholeOperations =
    OperationList<row::Number, row::Step, row::StepsBefore, row::Steps, row::Pi, row::Size, row::GradientLeaf,
                  row::Weights, row::Task, row::SecondMomentLeaf, row::QueryProbability,
                  row::AnswerProbability, row::StateBefore, row::Variable, row::Sum, row::Norm, row::Largest,
                  row::Inner, row::Trace, row::Nuclear, row::SpectralNorm, row::Product, row::Transpose,
                  row::Ambient, row::Spectral, row::SpectralPower, row::SpectralRaise, row::SmoothPolar,
                  row::Polynomial, row::Top, row::Eigenbasis>;

template <class M>
void FormulaRule<M>::evaluate(int i) {
  WholeOperations::evaluate(node(i).op->evaluator, *this, i);
}

/// The rule of a formula. Compiled in make_*.cpp, one algebra per file, because together they take a minute.
template <class M>
std::unique_ptr<UpdateRule<M>> make(const ParameterValues& definitions) {
  return std::make_unique<FormulaRule<M>>(definitions);
}

}  // namespace rarefact::formula
