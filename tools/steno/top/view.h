// A round of `steno top` as a table or JSON.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "input/processes.h"
#include "lines/escape.h"
#include "lines/time_text.h"
#include "output/lines_names.h"
#include "top/counts.h"

namespace steno::cli {

struct TopStyle {
  Escape escape = Escape::kControls;
  Zone zone = Zone::kUtc;
  std::size_t width = 0;  // columns of a line; 0: any
  std::size_t rows = 0;   // statements; 0: all
};

void append_top(const TopRound& round, const std::vector<Process>& processes, const std::vector<std::string>& paths,
                const TopStyle& style, ByteBuffer& out);
// One object and a line end.
void append_top_json(const TopRound& round, const std::vector<Process>& processes, ByteBuffer& out);

}  // namespace steno::cli
