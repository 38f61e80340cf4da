#include "model/pairs.hpp"

namespace rarefact {

TypedPairs written_out(const Components& components) {
  TypedPairs written;
  auto& [pairs, types] = written;
  Index first_query = 0, first_answer = 0;  // types of the group
  for (const ComponentGroup& group : components.groups) {
    const std::size_t answer_types = group.answer_multiplicity.size();
    for (double component = 0; component < group.count; ++component) {
      std::vector<Index> first;  // answer of every type
      for (std::size_t b = 0; b < answer_types; ++b) {
        first.push_back(pairs.answers);
        pairs.answers += static_cast<Index>(group.answer_multiplicity[b]);
        types.answer.resize(pairs.answers, first_answer + static_cast<Index>(b));
      }
      for (std::size_t a = 0; a < group.queries.size(); ++a) {
        const QueryType& query = group.queries[a];
        for (double i = 0; i < query.multiplicity; ++i) {
          types.query.push_back(first_query + static_cast<Index>(a));
          for (const AnswerShare& share : query.answers) {
            for (Index k = 0; k < static_cast<Index>(group.answer_multiplicity[share.type]); ++k) {
              pairs.answer.push_back(first[share.type] + k);
              pairs.share.push_back(share.probability);
              pairs.right.push_back(share.right);
            }
          }
          pairs.add_query(query.probability);
        }
      }
    }
    first_query += std::ssize(group.queries);
    first_answer += static_cast<Index>(answer_types);
  }
  return written;
}

}  // namespace rarefact
