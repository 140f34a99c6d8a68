// Types that an engine does not take, as types that it does.
#pragma once

#include <memory>

#include "arrow/batch_data.h"
#include "steno/batch.h"

namespace steno::arrow {

// The fields of a stream of that profile; `fields` itself if nothing differs.
std::shared_ptr<const Fields> fields_of_profile(BatchOptions::Profile profile, std::shared_ptr<const Fields> fields);

// Makes of a batch of the first fields one of the second, which are those of a profile.
void convert(const Fields& from, const std::shared_ptr<const Fields>& to, BatchData* batch);

}  // namespace steno::arrow
