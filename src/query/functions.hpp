#pragma once

/// The functions of expressions by name.

#include "query/evaluate.hpp"

namespace rarefact::query {

struct Function {
  std::size_t least, most;  ///< numbers of arguments
  const char* takes;        ///< for messages
  Array (*of)(Evaluator& e, const Syntax& call);
};

/// All functions except number_functions() (core/number_operations.hpp) and the closed forms.
const std::map<std::string, Function>& functions();

/// Calls a function or a closed form. Throws InputError.
Array call_function(Evaluator& e, const Syntax& call);

// class_functions.cpp
/// Means over the class rows from, ..., 2 from - 1, and over every further octave that is complete.
Array octaves(Evaluator& e, const Syntax& call);
/// A measure of singular values: its name, then values and multiplicities; class rows are taken together.
Array spectral(Evaluator& e, const Syntax& call);
/// Refuses to reduce class rows that are not all classes, and to sum rows that stand for several. `several`: numbers to
/// reduce.
void require_classes(const Evaluator& e, const Syntax& call, bool several);
Array closed_form(Evaluator& e, const ClosedForm& form, const Syntax& call);

[[noreturn]] void refuse_arguments(const Syntax& call);

}  // namespace rarefact::query
