#include "verify/hypotheses.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "model/embedding.hpp"

namespace rarefact::hypothesis {

namespace {

bool is_orthonormal(const Component& side) {
  if (embedding_row(side.kind).orthonormal) return true;
  if (side.kind == "noisy") return side.parameters.number("sigma") == 0;
  const bool correlated = side.kind == "toeplitz" || side.kind == "equicorrelated";
  return correlated && side.parameters.number("rho") == 0;
}

/// Both embeddings of every point have a property.
template <class Property>
Hypothesis of_embeddings(std::string text, const EvidencePoints& points, const Property& property) {
  bool met = true;
  std::set<std::string> kinds;
  for (const EvidencePoint& point : points) {
    for (const Component* side : {&point.experiment.query_embedding, &point.experiment.answer_embedding}) {
      met = met && property(*side);
      kinds.insert(side->kind);
    }
  }
  std::string detail;
  for (const std::string& kind : kinds) detail += (detail.empty() ? "" : ", ") + kind;
  return {std::move(text), met, detail};
}

}  // namespace

Hypothesis orthonormal(const EvidencePoints& points) {
  return of_embeddings("orthonormal embeddings", points, is_orthonormal);
}

Hypothesis identity(const EvidencePoints& points) {
  return of_embeddings("identity embeddings", points,
                       [](const Component& side) { return embedding_row(side.kind).identity; });
}

Hypothesis rotated_blocks(const EvidencePoints& points) {
  bool met = true;
  double largest = 0;
  for (const EvidencePoint& point : points) {
    for (const auto& [side, name] : {std::pair{&point.experiment.query_embedding, "query"},
                                     std::pair{&point.experiment.answer_embedding, "answer"}}) {
      met = met && embedding_row(side->kind).block;
      if (!embedding_row(side->kind).block) continue;
      const Matrix given = rotation_block(side->parameters, name), published = rotation_block({}, name);
      const bool alike = given.rows() == published.rows();
      largest = std::max(largest, alike ? (given - published).cwiseAbs().maxCoeff() : 2.0);
    }
  }
  return {"embeddings I ⊗ R with the angles of wang2025", met && largest < 1e-12,
          met ? fmt::format("blocks differ from those by at most {:.2g}", largest)
              : "an embedding is not made of rotated blocks"};
}

Hypothesis population_without_noise(const EvidencePoints& points) {
  std::set<std::string> modes;
  double noise = 0;
  for (const EvidencePoint& point : points) {
    modes.insert(point.experiment.data_mode);
    noise = std::max(noise, point.experiment.label_noise);
  }
  std::string detail;
  for (const std::string& mode : modes) detail += mode + ", ";
  return {"population gradient without label noise",
          modes == std::set<std::string>{"population"} && noise == 0,
          fmt::format("{}α {} {:g}", detail, noise > 0 ? "up to" : "=", noise)};
}

Hypothesis gradient(const EvidencePoints& points, bool thresholded) {
  const bool met = std::all_of(points.begin(), points.end(), [thresholded](const EvidencePoint& point) {
    return point.experiment.removes_recovered == thresholded;
  });
  return {thresholded ? "recovered facts give no gradient" : "the exact gradient", met,
          met ? "every run" : "not every run"};
}

Hypothesis two_levels(const EvidencePoints& points) {
  bool met = true;
  std::set<std::size_t> groups;
  for (const EvidencePoint& point : points) {
    const std::vector<double>& p = point.run().class_probability;
    met = met && p.size() == 2 && p[0] != p[1];
    groups.insert(p.size());
  }
  std::string detail;
  for (const std::size_t count : groups) detail += fmt::format("{}{}", detail.empty() ? "" : ", ", count);
  return {"two levels of p", met, detail + " groups of equally likely classes"};
}

Hypothesis constant_step_sizes(const EvidencePoints& points) {
  std::set<std::string> others;
  for (const EvidencePoint& point : points) {
    for (const OptimizerChoice& choice : point.experiment.optimizers) {
      if (choice.schedule != "constant") others.insert(choice.schedule);
    }
  }
  return {"constant step sizes", others.empty(), joined({others.begin(), others.end()})};
}

Hypothesis complete(const EvidencePoints& points) {
  std::size_t reached = 0, all = 0;
  for (const EvidencePoint& point : points) {
    for (const Trajectory& one : point.run().trajectories) {
      ++all;
      reached += one.status == "complete" ? 1 : 0;
    }
  }
  return {"every run reaches its last step", reached == all, fmt::format("{} of {}", reached, all)};
}

}  // namespace rarefact::hypothesis
