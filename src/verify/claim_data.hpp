#pragma once

/// The data of one experiment that claims read: variables of the result, numbers of the problem, and keys.

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiment/setting.hpp"
#include "query/frame.hpp"
#include "verify/evidence.hpp"

namespace rarefact::claims {

using namespace query;

/// Changes the values of a variable, in tests.
using Tamper = std::function<void(const std::string& variable, Array& values)>;

class ExperimentData : public Frame {
 public:
  /// The points must outlive the data. `before`: nothing has run, and entries of variables are absent.
  explicit ExperimentData(const EvidencePoints& points, bool before = false, Tamper tamper = {});

  /// A variable, or a number of the problem (docs/reference.md).
  std::optional<Array> read(const std::string& name) const override;
  std::vector<std::string> names() const override;
  Array key(const std::string& key) const override;
  bool has_key(const std::string& key) const override { return axis_of(key) || setting_of(key); }
  FormClasses classes(std::size_t point) const override;
  /// The variables that have been read.
  const std::set<std::string>& variables_read() const { return read_; }

 private:
  template <class F>
  Array of_points(std::size_t optimizers, std::size_t width, std::size_t class_rows, const F& numbers) const;
  Array variable(const std::string& name, std::size_t width) const;
  std::optional<ConfigNode> setting_of(const std::string& key) const;

  const EvidencePoints& evidence_;
  Tamper tamper_;
  mutable std::set<std::string> read_ = {};
};

}  // namespace rarefact::claims
