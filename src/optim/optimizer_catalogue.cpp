#include <atomic>
#include <stdexcept>

#include "optim/update_rule.hpp"

namespace rarefact {

namespace rules {
OptimizerRow gd(), ngd(), momentum(), signgd(), tra_signgd(), adam(), muon(), newton(), formula();
}

namespace {

struct Catalogue {
  std::vector<OptimizerRow> rows = {rules::gd(),     rules::ngd(),        rules::momentum(),
                                    rules::signgd(), rules::tra_signgd(), rules::adam(),
                                    rules::muon(),   rules::newton(),     rules::formula()};
  std::atomic<bool> read = false;
};

Catalogue& catalogue() {
  static Catalogue all;
  return all;
}

}  // namespace

const std::vector<OptimizerRow>& optimizer_catalogue() {
  catalogue().read = true;
  return catalogue().rows;
}

void add_optimizer(OptimizerRow row) {
  if (catalogue().read) throw std::logic_error("rules are added before the first experiment is read");
  if (find_row(catalogue().rows, row.name))
    throw std::logic_error("there is a rule '" + row.name + "' already");
  catalogue().rows.push_back(std::move(row));
}

const OptimizerRow& optimizer_row(const std::string& rule) {
  return row_named(optimizer_catalogue(), rule, "update rule");
}

}  // namespace rarefact
