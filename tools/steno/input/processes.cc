#include "input/processes.h"

#include <cstdlib>
#include <fstream>

#include "staging/foreign_staging.h"

namespace steno::cli {
namespace {

// The kernel's state of a process that holds its lock; "stopped" by a debugger or SIGSTOP.
std::string kernel_state(std::uint32_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return "recovered now";
  const char state = text[name_end + 2];
  return state == 'T' || state == 't' ? "stopped" : "running";
}

std::string state_of(const staging::ForeignStaging& view) {
  switch (view.state()) {
    case staging::State::kUnfinished:
      return "unfinished";
    case staging::State::kOrphan:
      if (view.session().vacant != 0) return "vacant";
      return view.session().stopped != 0 ? "left over" : "died";
    case staging::State::kLive:
      break;
  }
  const std::string state = kernel_state(view.session().pid);
  return state == "running" && view.session().state != ring::kRunning ? "no session" : state;
}

// Returns who drains the session while its process is alive: "none", "inside" or the number of a process. The number
// comes from that process itself.
std::string scribe_of(const staging::ForeignStaging& view) {
  if (view.state() != staging::State::kLive) return "none";
  if (view.session().external == 0) return view.session().state == ring::kRunning ? "inside" : "none";
  if (!view.is_drained()) return "none";
  return view.session().consumer_pid != 0 ? std::to_string(view.session().consumer_pid) : "inside";
}

}  // namespace

Result<Process> look_at_process(const std::string& directory) {
  auto view = staging::ForeignStaging::open(directory, staging::ForeignStaging::Access::kRead,
                                            staging::ForeignStaging::Extent::kRings);
  if (!view.ok()) return view.status();
  const ring::SessionFile& session = view->session();
  Process process;
  process.directory = directory;
  process.program = session.program;
  process.path = session.log_path;
  process.state = state_of(*view);
  process.scribe = scribe_of(*view);
  const std::string name = directory.substr(directory.rfind('/') + 1);  // "<pid>-<nonce>"
  process.pid = session.pid != 0 ? session.pid : static_cast<std::uint32_t>(std::strtoul(name.c_str(), nullptr, 10));
  process.start_wall = session.start_wall;
  process.rings = view->rings().size();
  for (const staging::ForeignRing& ring : view->rings()) {
    staging::RingFacts facts;
    if (!ring.read(&facts)) continue;
    process.ring_bytes += facts.extent.capacity;
    if (ring.kind() == ring::kRecorderRing) continue;  // nobody waits for what is there
    if (facts.tail > facts.head && facts.tail - facts.head <= facts.extent.capacity) {
      process.backlog += facts.tail - facts.head;
    }
    process.dropped += facts.dropped;
  }
  return process;
}

}  // namespace steno::cli
