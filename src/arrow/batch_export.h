// Batches as Arrow's C structures. Exported structures share the batch's memory and hold it until they are released.
#pragma once

#include <memory>

#include "arrow/batch_data.h"
#include "steno/arrow.h"

namespace steno::arrow {

// A struct with a child for each field. The caller owns what is filled; throws std::bad_alloc and then has filled
// nothing.
void export_schema(const Fields& fields, ArrowSchema* out);
void export_array(std::shared_ptr<const BatchData> data, ArrowArray* out);

}  // namespace steno::arrow
