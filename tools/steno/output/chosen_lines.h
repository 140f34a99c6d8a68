// Prints records in an order of their own.
#pragma once

#include "lines/line_format.h"
#include "output/output.h"
#include "output/printing.h"
#include "query/statistics/chosen_records.h"
#include "reader/log_set.h"

namespace steno::cli {

// Prints them in order, with what the format puts before its first line; between records of different ranks a gap if
// `gaps`. Each block is decoded once for a stretch of records; blocks that cannot be are added to the failures.
void print_chosen(const reader::LogSet& logs, query::ChosenRecords* chosen, bool gaps, LineFormat& format,
                  Output* output);

}  // namespace steno::cli
