#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace rarefact {

/// Applies f, a function or a member, to every element of a list.
template <class List, class Function>
auto mapped(const List& list, const Function& f) {
  std::vector<std::decay_t<decltype(std::invoke(f, *list.begin()))>> all;
  if constexpr (requires { list.size(); }) all.reserve(list.size());
  for (const auto& item : list) all.push_back(std::invoke(f, item));
  return all;
}

/// The member `name` of every row.
template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  return mapped(rows, [](const auto& row) { return std::string(row.name); });
}

}  // namespace rarefact
