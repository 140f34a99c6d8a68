// steno ps: who logs here, and who died with records in shared memory.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "command.h"
#include "escape.h"
#include "inputs.h"
#include "line_format.h"
#include "live/staging_view.h"
#include "output.h"
#include "reader/loss_text.h"
#include "time_text.h"

namespace steno::cli {
namespace {

struct PsOptions {
  std::vector<std::string> roots;
  bool json = false;
};

struct Row {
  std::string directory;
  std::string program;
  std::string path;
  std::string state;
  std::uint32_t pid = 0;
  std::int64_t start_wall = 0;
  std::size_t rings = 0;
  std::uint64_t ring_bytes = 0;
  std::uint64_t backlog = 0;
  std::uint64_t dropped = 0;
};

// What the kernel says of a process that holds its lock: "stopped" is what a debugger or a SIGSTOP does.
std::string process_state(std::uint32_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return "recovered now";
  const char state = text[name_end + 2];
  return state == 'T' || state == 't' ? "stopped" : "running";
}

std::string state_of(const live::StagingView& view) {
  switch (view.state()) {
    case live::State::kUnfinished:
      return "unfinished";
    case live::State::kOrphan:
      return "orphan";
    case live::State::kLive:
      break;
  }
  const std::string state = process_state(view.session().pid);
  return state == "running" && view.session().state != ring::kRunning ? "no session" : state;
}

bool look_at(const std::string& directory, Row* row, ExitCode* code) {
  auto view = live::StagingView::open(directory, live::StagingView::Access::kRead);
  if (!view.ok()) {
    if (view.status().code() == StatusCode::kNotFound) return false;
    complain(view.status().message());
    raise_to(code, kExitIncomplete);
    return false;
  }
  const ring::SessionFile& session = view->session();
  row->directory = directory;
  row->program = session.program;
  row->path = session.log_path;
  row->state = state_of(*view);
  const std::string name = directory.substr(directory.rfind('/') + 1);  // "<pid>-<nonce>"
  row->pid = session.pid != 0 ? session.pid : static_cast<std::uint32_t>(std::strtoul(name.c_str(), nullptr, 10));
  row->start_wall = session.start_wall;
  row->rings = view->rings().size();
  for (const live::ForeignRing& ring : view->rings()) {
    const std::uint64_t head = ring::load_head(ring.header);
    const std::uint64_t tail = ring::load_tail(ring.header);
    row->ring_bytes += ring.capacity;
    if (tail > head && tail - head <= ring.capacity) row->backlog += tail - head;
    row->dropped += __atomic_load_n(&ring.header->dropped, __ATOMIC_RELAXED);
  }
  return true;
}

void append_json(const Row& row, ByteBuffer& out) {
  put(out, "{\"pid\":" + std::to_string(row.pid) + ",\"state\":\"" + row.state + "\",\"program\":\"" +
               json_escaped(row.program) + "\",\"path\":\"" + json_escaped(row.path) + "\",\"started\":\"" +
               reader::iso_time(row.start_wall) + "\",\"rings\":" + std::to_string(row.rings) +
               ",\"ring_bytes\":" + std::to_string(row.ring_bytes) +
               ",\"backlog_bytes\":" + std::to_string(row.backlog) + ",\"dropped\":" + std::to_string(row.dropped) +
               ",\"staging\":\"" + json_escaped(row.directory) + "\"}\n");
}

void append_text(const Row& row, ByteBuffer& out) {
  char line[160];
  std::snprintf(line, sizeof line, "%8u  %-13s %5zu %12s %10s  ", row.pid, row.state.c_str(), row.rings,
                reader::with_commas(row.backlog).c_str(), reader::with_commas(row.dropped).c_str());
  const std::string program = row.program.substr(row.program.rfind('/') + 1);
  put(out, line +
               escaped(program + "  " + (row.path.empty() ? "(no file: " + row.directory + ")" : row.path),
                       Escape::kTerminal) +
               "\n");
}

void run_ps(const PsOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  std::vector<Row> rows;
  for (const std::string& directory : live::find_staging(options.roots)) {
    Row row;
    if (look_at(directory, &row, code)) rows.push_back(std::move(row));
  }
  if (!options.json && rows.empty()) put(output.buffer(), "no process logs here, and none left anything\n");
  if (!options.json && !rows.empty()) {
    put(output.buffer(), "     PID  STATE         RINGS      BACKLOG    DROPPED  PROGRAM  FILE\n");
  }
  for (const Row& row : rows) options.json ? append_json(row, output.buffer()) : append_text(row, output.buffer());
  finish(output, code);
}

}  // namespace

void add_ps(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<PsOptions>();
  CLI::App* ps = app.add_subcommand("ps", "List the processes that log here, and what dead ones left");
  ps->add_flag("--json", options->json, "A line an object, with the staging directory");
  ps->add_option("--root", options->roots,
                 "Where to look for staging besides /dev/shm, $TMPDIR, /tmp and $STENO_STAGING");
  ps->footer(
      "BACKLOG: bytes that wait in rings. DROPPED: records refused by full rings since the process made them.\n"
      "States: running; stopped (by a debugger or a signal); no session (before start() or after stop()); orphan "
      "(dead,\n"
      "with staging that the next start, or 'steno recover', writes); recovered now; unfinished (died at birth).");
  ps->callback([options, code] { run_ps(*options, code); });
}

}  // namespace steno::cli
