#include "optim/formula/operation_list.hpp"

namespace rarefact::formula {
template std::unique_ptr<UpdateRule<ColumnMatrix>> make(const ParameterValues&);
}
