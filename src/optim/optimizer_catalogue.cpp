#include "optim/formula/formula.hpp"

namespace rarefact {

namespace rules {
OptimizerRow gd(), ngd(), momentum(), signgd(), tra_signgd(), adam(), muon(), newton(), formula();
}

const std::vector<OptimizerRow>& optimizer_catalogue() {
  static const std::vector<OptimizerRow> rows = {rules::gd(),     rules::ngd(),        rules::momentum(),
                                                 rules::signgd(), rules::tra_signgd(), rules::adam(),
                                                 rules::muon(),   rules::newton(),     rules::formula()};
  return rows;
}

Symmetries OptimizerRow::symmetries_of(const ParameterValues& values) const {
  return definitions ? formula_symmetries(definitions(values)) : symmetries(values);
}

RuleWork OptimizerRow::work_of(const ParameterValues& values) const {
  return definitions ? formula_work(definitions(values)) : RuleWork{.matrices = matrices};
}

const OptimizerRow& optimizer_row(const std::string& rule) {
  return row_named(optimizer_catalogue(), rule, "update rule");
}

}  // namespace rarefact
