#include "optim/formula/operation_list.hpp"

namespace rarefact::formula {
template std::unique_ptr<UpdateRule<DenseMatrix>> make(const ParameterValues&);
}
