// The questions of the page, each answered as JSON from what the engine says (docs/web.md). Each throws Refused where a
// parameter makes no sense, and WorkStopped where the meter was stopped.
#pragma once

#include <string>
#include <vector>

#include "query/statistics/chosen_records.h"
#include "web/asked.h"
#include "web/json.h"

namespace steno::cli::web {

// `control`: whether levels can be changed here.
void answer_log(const Asked& asked, bool control, Json* out);
void answer_verify(const Asked& asked, Json* out);
void answer_timeline(const Asked& asked, Json* out);
void answer_lines(const Asked& asked, Json* out);
void answer_breakdown(const Asked& asked, Json* out);
void answer_diff(const Asked& asked, Json* out);
void answer_latency(const Asked& asked, Json* out);
void answer_scatter(const Asked& asked, Json* out);
void answer_threads(const Asked& asked, Json* out);
void answer_clocks(const Asked& asked, Json* out);
void answer_request(const Asked& asked, Json* out);

// "levels": the names of the places of query::TimeLine.
void append_levels(Json* out);
// Records as the page shows them, in the order of `refs`; empty: it cannot be read. `most_bytes`: as of LineJson.
std::vector<std::string> lines_of(const Asked& asked, const std::vector<query::RecordRef>& refs,
                                  std::size_t most_bytes);
// Their messages alone.
std::vector<std::string> messages_of(const Asked& asked, const std::vector<query::RecordRef>& refs);

}  // namespace steno::cli::web
