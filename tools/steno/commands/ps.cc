// steno ps: lists processes that log, and dead ones with records in shared memory.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "command.h"
#include "input/inputs.h"
#include "input/processes.h"
#include "lines/escape.h"
#include "output/output.h"
#include "reader/loss_text.h"
#include "staging/find_staging.h"

namespace steno::cli {
namespace {

struct PsOptions {
  std::vector<std::string> roots;
  bool json = false;
  bool running = false;  // only those that are alive
};

bool is_alive(const Process& row) {
  return row.state == "running" || row.state == "stopped" || row.state == "no session";
}

void append_json(const Process& row, ByteBuffer& out) {
  put(out, "{\"pid\":" + std::to_string(row.pid) + ",\"state\":\"" + row.state + "\",\"program\":\"" +
               json_escaped(row.program) + "\",\"path\":\"" + json_escaped(row.path) + "\",\"scribe\":\"" + row.scribe +
               "\",\"started\":\"" + reader::iso_time(row.start_wall) + "\",\"rings\":" + std::to_string(row.rings) +
               ",\"ring_bytes\":" + std::to_string(row.ring_bytes) +
               ",\"backlog_bytes\":" + std::to_string(row.backlog) + ",\"dropped\":" + std::to_string(row.dropped) +
               ",\"staging\":\"" + json_escaped(row.directory) + "\"}\n");
}

void append_text(const Process& row, ByteBuffer& out) {
  char line[160];
  std::snprintf(line, sizeof line, "%8u  %-13s %-8s %5zu %12s %12s %10s  ", row.pid, row.state.c_str(),
                row.scribe.c_str(), row.rings, reader::with_commas(row.ring_bytes).c_str(),
                reader::with_commas(row.backlog).c_str(), reader::with_commas(row.dropped).c_str());
  const std::string program = row.program.substr(row.program.rfind('/') + 1);
  put(out, line +
               escaped(program + "  " + (row.path.empty() ? "(no file: " + row.directory + ")" : row.path),
                       Escape::kTerminal) +
               "\n");
}

constexpr std::size_t kScreen = 20;  // rows, above which their number is told

void run_ps(const PsOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  std::vector<Process> rows;
  for (const std::string& directory : staging::find_staging(staging::Whose::kAll, options.roots)) {
    auto process = look_at_process(directory);
    if (process.ok()) {
      rows.push_back(std::move(process).value());
    } else if (process.status().code() != StatusCode::kNotFound) {
      complain(process.status().message());
      raise_to(code, kExitIncomplete);
    }
  }
  const auto dead = std::stable_partition(rows.begin(), rows.end(), is_alive);
  const auto alive = static_cast<std::size_t>(dead - rows.begin());
  if (options.running) rows.erase(dead, rows.end());
  if (!options.json && rows.empty()) {
    put(output.buffer(),
        std::string("no process logs on this machine") + (options.running ? "\n" : ", and none has left records\n"));
  } else if (!options.json) {
    put(output.buffer(),
        "     PID  STATE         SCRIBE   RINGS       MEMORY      BACKLOG    DROPPED  PROGRAM  FILE\n");
  }
  for (const Process& row : rows) options.json ? append_json(row, output.buffer()) : append_text(row, output.buffer());
  if (!options.json && rows.size() > kScreen) {
    put(output.buffer(), reader::with_commas(rows.size()) + " processes, " + reader::with_commas(alive) +
                             " alive (--running lists these); 'steno recover --all' writes what the others left\n");
  }
  finish(output, code);
}

}  // namespace

void add_ps(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<PsOptions>();
  CLI::App* ps =
      app.add_subcommand("ps", "List the processes that log on this machine, and what dead ones left in shared memory");
  ps->add_flag("--json", options->json, "Print one JSON object per line, with the staging directory");
  ps->add_flag("--running", options->running, "Only processes that are alive");
  ps->add_option("--root", options->roots,
                 "Another directory to search for staging, besides /dev/shm, $TMPDIR, /tmp and $STENO_STAGING");
  ps->footer(
      "SCRIBE: who drains the rings. 'inside': a thread of the process; a number: that process ('steno scribe'); "
      "'none': nobody.\n"
      "MEMORY: bytes of shared memory that the rings occupy. BACKLOG: bytes in them that are not in the file yet. "
      "DROPPED: records dropped because a ring was full.\n"
      "STATE: running; stopped (by a debugger or a signal); no session (before start() or after stop()); died (during "
      "a session; the next start, or 'steno recover', writes what it left); left over (from a process that ended "
      "normally); vacant (ready for the next process that logs to the same file; the scribe removes it in the end); "
      "recovered now (another process is writing what it left); unfinished (died while starting).\n\n"
      "Examples:\n  steno ps\n  steno ps --json\n  steno ps --root /dev/shm");
  ps->callback([options, code] { run_ps(*options, code); });
}

}  // namespace steno::cli
