/// Closed forms that read the classes of a point.

#include "algebra/centred_columns.hpp"
#include "algebra/runs.hpp"
#include "core/transform.hpp"
#include "theory/closed_form.hpp"
#include "theory/one_step.hpp"
#include "theory/require_legal.hpp"
#include "theory/sharpness.hpp"

namespace rarefact {

namespace {

/// A row whose function exists for double and Real50 and returns a list.
template <class F>
ClosedForm class_form(CatalogueRow row, std::vector<std::string> arguments, F) {
  const std::size_t count = arguments.size();
  return {std::move(row), std::move(arguments), nullptr, nullptr,
          [count](const FormClasses& classes, const double* x, bool precise) {
            if (!precise) return F()(classes, x);
            const std::vector<Real50> exact(x, x + count);
            return mapped(F()(classes, exact.data()),
                          [](const Real50& number) { return static_cast<double>(number); });
          }};
}

template <class Real>
SingularValuesOf<Real> residual_values(const FormClasses& classes) {
  const std::vector<double>& length = classes.answers.probability;
  return centred_singular_values<Real>(classes.answers.count, {length.begin(), length.end()});
}

/// A right entry minus 1. Between classes of one group it is the entry, which has all digits of the difference.
template <class Real>
Real right_excess(const SymmetricMatrix<Real>& direction, Index group) {
  return direction.structure().count[group] > 1 ? Real(direction.off_block(group, group)(0, 0))
                                                : Real(direction.diagonal_block(group)(0, 0) - Real(1));
}

/// ϱ of one step of Muon at the threshold under queries of this cosine. With several queries of an answer that must be 0.
template <class Real>
std::vector<Real> rho_of_muon(const FormClasses& classes, const Real& cosine, const Real& epsilon) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (classes.queries.size() != classes.answers.size() || cosine != cosine) return {Real(nan)};
  SymmetricMatrix<Real> direction = muon_direction<Real>(classes.answers, cosine);
  for (const auto& [answer, part] : classes.queries) {
    if (part == 1) continue;
    if (cosine != 0) return {Real(nan)};
    direction.diagonal_block(answer) *= Real(part);
    direction.off_entries().col(answer) *= Real(part);
  }
  const auto rho = one_step_rho<Real>(logits_of_direction(direction), epsilon);
  return {rho ? rho->at_threshold.value : Real(nan)};
}

}  // namespace

std::vector<ClosedForm> class_forms() {
  std::vector<ClosedForm> rows = {
      class_form(
          {"muon_gain",
           "for every class row, the change of its right logit by the first update of Muon at η = 1",
           "diagonal entries of msgn[(I - 11ᵀ/K) diag(σ)] V, V = diag(1/σ) F diag(p)", "docs/variants.md"},
          {},
          []<class Real>(const FormClasses& classes, const Real*) {
            const auto direction = muon_direction<Real>(classes.answers);
            return mapped(classes.queries, [&](const FormClasses::Query& query) {
              return Real(direction.diagonal_block(query.answer)(0, 0) * Real(query.part));
            });
          }),
      class_form(
          {"muon_log_mean_exp",
           "for every group of classes, the change of ln Σ_k e^logit of a query by a step of Muon of size x from W = 0",
           "ln(Σ_k e^(x D_kl)/K), D = msgn((I - 11ᵀ/K) diag(p))"},
          {"x"},
          []<class Real>(const FormClasses& classes, const Real* x) {
            using std::exp, std::log;
            const auto direction = muon_direction<Real>(classes.answers);
            std::vector<Real> sums(classes.answers.size(), Real(0));
            for_runs(direction, [&](Index l, Index, Index size, const Real* times, const Real* entry) {
              for (Index k = 0; k < size; ++k) sums[l] += times[k] * exp(Real(x[0] * entry[k]));
            });
            const Real total(classes.answers.total());
            return mapped(sums, [&](const Real& sum) { return Real(log(Real(sum / total))); });
          }),
      class_form(
          {"muon_rate_excess",
           "for every group of classes, ε such that the first step of Muon moves its margin by η (1 + ε)",
           "(1 + oK)/(K-1), 1 + o the diagonal entry of msgn((I - 11ᵀ/K) diag(p))"},
          {},
          []<class Real>(const FormClasses& classes, const Real*) {
            const auto direction = muon_direction<Real>(classes.answers);
            const Real total(classes.answers.total());
            return mapped(classes.queries, [&](const FormClasses::Query& query) {
              return Real((Real(1) + right_excess(direction, query.answer) * total) / (total - Real(1)));
            });
          }),
      class_form({"muon_deviation", "K times the largest entry of Muon's first update minus the identity",
                  "K max |msgn((I - 11ᵀ/K) diag(p)) - I|"},
                 {},
                 []<class Real>(const FormClasses& classes, const Real*) {
                   using std::abs;
                   const auto direction = muon_direction<Real>(classes.answers);
                   Real largest = direction.off_entries().cwiseAbs().maxCoeff();
                   for (Index g = 0; g < std::ssize(classes.answers.count); ++g)
                     largest = std::max(largest, Real(abs(right_excess(direction, g))));
                   return std::vector<Real>{Real(largest * Real(classes.answers.total()))};
                 }),
      class_form(
          {"muon_deficit_constant", "c of Muon's (1-ϱ)/ε - 1 = c ln(K(1-ε)/ε)/K, K → ∞",
           "(1-ε) (max b - min b), b_i = (msgn(Y)_ii - 1) K/n_i, Y = (I - uuᵀ) diag(p), u_i = (n_i/K)^½",
           "wang2025, Theorem 5.3"},
          {"eps"},
          []<class Real>(const FormClasses& classes, const Real* x) {
            return std::vector<Real>{muon_deficit_constant<Real>(classes.answers, x[0])};
          }),
      class_form({"residual_value", "the nonzero singular values of the residual at W = 0, descending",
                  "of (I - 11ᵀ/K) diag(σ)", "wang2025, section 4.2"},
                 {},
                 []<class Real>(const FormClasses& classes, const Real*) {
                   return residual_values<Real>(classes).values;
                 }),
      class_form({"residual_times", "the multiplicity of each residual_value",
                  "multiplicities of the singular values of (I - 11ᵀ/K) diag(σ)", "wang2025, section 4.2"},
                 {},
                 []<class Real>(const FormClasses& classes, const Real*) {
                   return mapped(residual_values<Real>(classes).multiplicities,
                                 [](double times) { return Real(times); });
                 }),
      class_form(
          {"rho_muon",
           "ϱ of one step of Muon at the threshold, orthonormal embeddings; NaN where no step retrieves",
           "ϱ of msgn[(I - 11ᵀ/K) diag(σ)] V", "wang2025, Theorem 5.3"},
          {"eps"},
          []<class Real>(const FormClasses& classes, const Real* x) {
            return rho_of_muon<Real>(classes, Real(0), x[0]);
          }),
      class_form(
          {"rho_muon_correlated",
           "ϱ of one step of Muon at the threshold, equicorrelated queries of cosine ρ, 0 <= ρ < 1, and answers of any; NaN "
           "where no step retrieves",
           "ϱ of msgn[(I - 11ᵀ/K) diag(p) A^½] A^½, A = (1-ρ) I + ρ 11ᵀ; one query per answer",
           "rarefact2026, docs/closed-forms.md"},
          {"rho", "eps"},
          []<class Real>(const FormClasses& classes, const Real* x) {
            require_range(!(x[0] < 0 || x[0] >= 1), "rho_muon_correlated needs 0 <= rho < 1");
            require_range(!(x[1] <= 0 || x[1] >= 0.5), "rho_muon_correlated needs 0 < eps < 1/2");
            return rho_of_muon<Real>(classes, x[0], x[1]);
          }),
  };
  rows.push_back(
      {{"haar_sign_sharpness",
        "nds of the first update of SignGD in Haar-distributed embeddings, in the limit of many classes; NaN if "
        "data.sampling_exponent is not 1",
        "(2/(πK)) Σ_l p_l³ E[x_l²/Σp²x²] + (1 - 2/π)/K², x standard normal", "wang2026"},
       {},
       nullptr,
       nullptr,
       [](const FormClasses& classes, const double*, bool) {
         const ClassGroups& groups = classes.answers;
         if (classes.measured_apart) return std::vector{std::numeric_limits<double>::quiet_NaN()};
         return std::vector<double>{first_sharpness_of_haar_sign(groups.count, groups.probability)};
       }});
  return rows;
}

}  // namespace rarefact
