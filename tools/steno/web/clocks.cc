// /api/clocks: how far the clocks of hosts are to be moved, by what the logs say: as --shift auto does.
#include "input/shifts.h"
#include "output/table.h"
#include "web/answers.h"

namespace steno::cli::web {

void answer_clocks(const Asked& asked, Json* out) {
  const Result<ShiftEstimate> estimate = estimate_shifts(asked.logs(), asked.meter());
  if (!estimate.ok()) throw Refused(404, estimate.status().message());
  out->begin('{').name("shifts").begin('[');
  for (const HostEstimate& host : estimate->hosts) {
    out->begin('{').name("host").text(host.shift.host);
    out->name("add").text(machine_text(query::Cell::of(-host.shift.ahead), Zone::kUtc));
    out->name("uncertainty");
    host.uncertainty ? out->real(*host.uncertainty) : out->null();
    out->end('}');
  }
  out->end(']').name("unknown").begin('[');
  for (const std::string& host : estimate->unknown) out->text(host);
  out->end(']').name("pairs").number(estimate->pairs);
  out->name("statements").text(estimate->statements);
  out->end('}');
}

}  // namespace steno::cli::web
