// Tables by place: file names without directories, and the texts of the statements beside them.
#pragma once

#include <vector>

#include "query/statistics/aggregate.h"
#include "reader/log_set.h"

namespace steno::cli {

// For people. `keys` and the keys of the rows get a column `format` after `site`, unless one of the keys is that
// already. A directory stays where two files of the logs have the same name.
void add_site_texts(const reader::LogSet& logs, std::vector<query::KeySpec>* keys, std::vector<query::AnswerRow>* rows);

}  // namespace steno::cli
