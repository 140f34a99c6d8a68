// Clocks of hosts that were set differently: --shift moves the times of all that a host logged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/work_meter.h"
#include "query/statistics/clock_groups.h"
#include "reader/log_set.h"
#include "steno/status.h"

namespace steno::cli {

// Each text is HOST=DURATION, "db1=-1.7s": what is added to the times of that host; or one text is "auto": what the
// logs say of their clocks, which is reported on standard error. Call it once, before anything reads times. The texts
// that say what was applied, none of which is "auto". kInvalidArgument: a text makes no sense, the logs do not have
// that host, two texts name one host, or there is no estimate; then nothing has changed. `reference`: with "auto", the
// host whose clock counts as right; empty: the first one by name, of those that pairs join.
Result<std::vector<std::string>> shift_hosts(const std::vector<std::string>& texts, const reader::LogSet& logs,
                                             const std::string& reference = {});
// kInvalidArgument: the logs do not have the host of --reference, which may be empty.
Status check_reference(const std::string& reference, const reader::LogSet& logs);

struct HostEstimate {
  query::HostShift shift;
  std::optional<double> uncertainty;  // ns; none: not known
};
struct ShiftEstimate {
  std::vector<HostEstimate> hosts;   // that are to be moved
  std::vector<std::string> unknown;  // hosts of which there is no estimate
  std::uint64_t pairs = 0;           // of records that it rests on
  std::string statements;            // of these, as words_for_clocks()
};
// Estimates the shifts by what the logs say of their clocks: "auto" applies these. kInvalidArgument: there is no
// estimate, and why.
Result<ShiftEstimate> estimate_shifts(const reader::LogSet& logs, WorkMeter* meter, const std::string& reference = {});

// The text that undoes a shift: "db1=-1700050000ns".
std::string shift_text(const query::HostShift& shift);

// The statements as 'steno clocks' takes them: 'sent {id}' 'came {id}' --key id.
std::string words_for_clocks(const std::vector<query::OrderedStatements>& ordered);
// A word that a shell passes on as it is.
std::string shell_word(const std::string& text);

}  // namespace steno::cli
