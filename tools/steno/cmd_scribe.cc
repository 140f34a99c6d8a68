// steno scribe: drains programs that log without a scribe of their own.
#include <sys/resource.h>

#include <cstdlib>

#include "base/absolute_path.h"
#include "command.h"
#include "inputs.h"
#include "lines/escape.h"
#include "lines_names.h"
#include "live/external_scribe.h"
#include "screen.h"

namespace steno::cli {
namespace {

struct ScribeOptions {
  std::vector<std::string> paths;
  std::vector<std::string> roots;
  std::string out;
  double flush_seconds = 1;
  bool all = false;
};

// A session takes some descriptors.
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

void replace(std::string* text, const std::string& field, const std::string& value) {
  for (std::size_t at = 0; (at = text->find(field, at)) != std::string::npos; at += value.size())
    text->replace(at, field.size(), value);
}

// A program's name is a stranger's text: it names a file, never a directory, and no hidden one.
std::string file_part(const std::string& name) {
  std::string part = name.substr(name.rfind('/') + 1);
  for (char& c : part) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '_';
  }
  if (part.empty() || part[0] == '.') part.insert(0, "_");
  return part;
}

std::string log_of(const std::string& pattern, const ring::SessionFile& session) {
  std::string path = pattern;
  replace(&path, "{pid}", std::to_string(session.pid));
  replace(&path, "{program}", file_part(session.program));
  return path;
}

void check_pattern(const std::string& pattern) {
  std::string rest = pattern;
  replace(&rest, "{pid}", "");
  replace(&rest, "{program}", "");
  if (rest.find_first_of("{}") != std::string::npos)
    throw CLI::ValidationError("--out may have {program} and {pid}, and no other braces");
}

void run_scribe(const ScribeOptions& options) {
  live::ExternalScribeOptions scribe;
  for (const std::string& path : options.paths) scribe.paths.push_back(absolute_path(path));
  scribe.all = options.all;
  scribe.roots = options.roots;
  scribe.attach.flush_interval_ns = static_cast<std::int64_t>(options.flush_seconds * 1e9);
  scribe.attach.warn = [](const std::string& what) { complain(what); };
  if (!options.out.empty()) {
    scribe.attach.log_of = [pattern = absolute_path(options.out)](const ring::SessionFile& session) {
      return log_of(pattern, session);
    };
  }
  allow_many_files();
  catch_ends();
  live::ExternalScribe(std::move(scribe)).run(end_asked);
}

}  // namespace

void add_scribe(CLI::App& app, ExitCode*) {
  auto options = std::make_shared<ScribeOptions>();
  CLI::App* scribe = app.add_subcommand("scribe", "Write the logs of programs that bring no scribe");
  scribe->add_option("FILE", options->paths, "Drain the sessions that log to these files");
  scribe->add_option("--out", options->out,
                     "Drain the sessions that name no file, into this one; {program} and {pid} stand for theirs");
  scribe->add_flag("--all", options->all, "Drain the sessions that log to any file");
  scribe->add_option("--flush", options->flush_seconds, "Seconds that a record waits at most until it is in its file")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  scribe->add_option("--root", options->roots,
                     "Where to look for staging besides /dev/shm, $TMPDIR, /tmp and $STENO_STAGING");
  scribe->footer(
      "For programs that start with Options::scribe = Scribe::kExternal or STENO_SCRIBE=external. Runs until SIGINT or "
      "SIGTERM. May be killed and started again at any moment: nothing is lost or written twice. A session that "
      "another scribe drains is taken over when that one ends.\n\n"
      "Examples:\n  steno scribe app.steno\n  steno scribe --out '/var/log/app/{program}.steno'");
  scribe->callback([options] {
    if (options->paths.empty() && options->out.empty() && !options->all) {
      throw CLI::RequiredError("FILE, --out or --all");
    }
    check_pattern(options->out);
    run_scribe(*options);
  });
}

}  // namespace steno::cli
