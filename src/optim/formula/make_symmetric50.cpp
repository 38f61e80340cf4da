#include "optim/formula/operation_list.hpp"

namespace rarefact::formula {
template std::unique_ptr<UpdateRule<SymmetricMatrix<Real50>>> make(const ParameterValues&);
}
