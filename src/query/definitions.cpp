#include <algorithm>

#include "query/evaluate.hpp"

namespace rarefact::query {

void refuse_long_chains(const Definitions& definitions) {
  struct Links {
    std::size_t depth = 1, missing = 0;  ///< definitions that it uses of which the depth is not known
    std::vector<std::string> users = {};
  };
  std::map<std::string, Links> links;
  for (const auto& [name, definition] : definitions) {
    std::set<std::string> used;
    any_part(definition.tree, {}, [&](const Syntax& part) {
      if (part.kind == Syntax::Kind::name && definitions.contains(part.text)) used.insert(part.text);
      return false;
    });
    for (const std::string& other : used) links[other].users.push_back(name);
    links[name].missing = used.size();
  }
  std::vector<std::string> known;
  for (const auto& [name, own] : links)
    if (own.missing == 0) known.push_back(name);
  while (!known.empty()) {
    const Links& own = links.at(known.back());
    known.pop_back();
    for (const std::string& name : own.users) {
      Links& user = links.at(name);
      user.depth = std::max(user.depth, own.depth + 1);
      if (user.depth > deepest_definition) {
        const InputError error = bad_input("more than {} definitions use one another", deepest_definition);
        if (definitions.at(name).failed) definitions.at(name).failed(error);
        throw error;
      }
      if (--user.missing == 0) known.push_back(name);
    }
  }
}

bool any_part(const Syntax& tree, const Definitions& definitions,
              const std::function<bool(const Syntax& part)>& is) {
  std::set<std::string> names;
  std::vector<const Syntax*> left = {&tree};
  while (!left.empty()) {
    const Syntax& part = *left.back();
    left.pop_back();
    if (is(part)) return true;
    for (const Syntax& argument : part.arguments) left.push_back(&argument);
    if (part.kind != Syntax::Kind::name || !names.insert(part.text).second) continue;
    const auto found = definitions.find(part.text);
    if (found != definitions.end()) left.push_back(&found->second.tree);
  }
  return false;
}

}  // namespace rarefact::query
