#include "drain/session_info.h"

#include <unistd.h>

#include "base/clock.h"
#include "format/clock_block.h"

namespace steno::drain {
namespace {

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

format::SessionBlock session_info(const ring::SessionFile& session, const std::string& staging) {
  const bool wall_ticks = ticks_are_wall(static_cast<ClockKind>(session.clock_kind));
  format::SessionBlock block;
  block.pid = session.pid;
  block.session_id = session.session_id;
  block.start_wall = session.start_wall;
  block.ns_per_tick = wall_ticks || !format::plausible_rate(session.ns_per_tick) ? 1.0 : session.ns_per_tick;
  block.clock_kind = session.clock_kind;
  block.utc_offset = format::plausible_utc_offset(session.utc_offset) ? session.utc_offset : 0;
  block.program = session.program;
  block.host = host_name();
  block.steno_version = STENO_VERSION;
  block.staging = staging;
  return block;
}

}  // namespace steno::drain
