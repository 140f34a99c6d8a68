// The fields of a statement whose places were logged in different contexts.
#pragma once

#include <memory>
#include <vector>

#include "arrow/batch_fields.h"

namespace steno::arrow {

// The fields of all `sites`, of which there is at least one: their arguments, which are the same in each, and each
// field of their contexts, nullable where a site lacks it. kInvalidArgument: two sites have a field of one name with
// different types, or an argument that the other lacks; the message names a way out.
Result<std::shared_ptr<const Fields>> unite_fields(const FieldPlan& plan,
                                                   const std::vector<const reader::Site*>& sites);

// The columns of `united`, each with the argument that it is in a site whose own fields are `own`.
std::shared_ptr<const Fields> place_fields(const Fields& united, const Fields& own);

}  // namespace steno::arrow
