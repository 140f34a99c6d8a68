// steno cat: records as text, JSON lines or CSV.
#include <unistd.h>

#include <cstdlib>

#include "command.h"
#include "format_options.h"
#include "inputs.h"
#include "line_format.h"
#include "output.h"
#include "progress.h"

namespace steno::cli {
namespace {

struct CatOptions : FormatOptions {
  std::vector<std::string> paths;
  std::vector<std::string> live;
  bool no_sort = false;
};

}  // namespace

bool parse_level(std::string name, Level* level) {
  for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  if (name == "WARNING") name = "WARN";
  for (int i = 0; i < kLevelCount; ++i) {
    *level = static_cast<Level>(i);
    if (name == level_name(*level)) return true;
  }
  return false;
}

namespace {

bool wants_colour(const std::string& when, const Output& output) {
  if (when != "auto") return when == "always";
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return output.is_terminal() && (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

}  // namespace

Result<std::unique_ptr<LineFormat>> make_format(const FormatOptions& options, const Output& output) {
  LineOptions line;
  line.zone = options.local ? Zone::kLocal : Zone::kUtc;
  line.escape = options.raw ? Escape::kRaw : output.is_terminal() ? Escape::kTerminal : Escape::kControls;
  line.colour = wants_colour(options.colour, output);
  if (options.format == "json") return make_json_format(line);
  if (options.format == "csv") return make_csv_format(line);
  if (options.pattern.empty()) {
    line.pattern = default_pattern();
  } else {
    auto pattern = parse_pattern(options.pattern);
    if (!pattern.ok()) return pattern.status();
    line.pattern = std::move(pattern).value();
  }
  return make_text_format(std::move(line));
}

void add_format_options(CLI::App& command, const std::shared_ptr<FormatOptions>& options) {
  command.add_option("--format", options->format, "text, json (a line an object), or csv")
      ->check(CLI::IsMember({"text", "json", "csv"}));
  command.add_option("--pattern", options->pattern,
                     "What a line of text holds: {time} {level} {logger} {thread} {tid} {file} {basename} {line} "
                     "{function} {format} {message} {args} {pid} {program} {host}");
  command.add_option("--level", options->level, "Only this level and more important ones");
  auto* utc = command.add_flag("--utc", options->utc, "Times in UTC (the default)");
  command.add_flag("--local", options->local, "Times in the local time zone")->excludes(utc);
  command.add_flag("--raw", options->raw, "Do not escape control characters in text");
  command
      .add_option("--color,--colour", options->colour, "auto (on a terminal, unless NO_COLOR is set), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

namespace {

// False: nobody reads any more.
bool print_all(reader::Merge& merge, Level min_level, LineFormat& format, Progress& progress, Output& output) {
  ByteBuffer& out = output.buffer();
  format.begin(out);
  reader::Slice slice;
  std::uint64_t done = 0;
  while (merge.next(&slice)) {
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      if (slice.block->group(i).site->info().level < min_level) continue;
      format.append(slice, i, out);
      if (!output.tick()) return false;
    }
    done += slice.end - slice.begin;
    progress.update(done);
  }
  return true;
}

void run_cat(const CatOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  Level min_level = Level::kTrace;
  if (!parse_level(options.level, &min_level)) {
    throw CLI::ValidationError("--level", "there is no level '" + options.level +
                                              "'; the levels are TRACE DEBUG INFO NOTICE WARN ERROR CRITICAL");
  }
  auto format = make_format(options, output);
  if (!format.ok()) throw CLI::ValidationError(format.status().message());

  reader::LogSet logs;
  open_inputs(options.paths, &logs, code);
  open_processes(options.live, &logs, code);
  if (logs.files().empty()) return;
  std::uint64_t records = 0;
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) records += session->records;
  }
  reader::ReadOptions read;
  read.decode.min_level = min_level;
  read.sort = !options.no_sort;
  reader::Merge merge(logs, read);
  bool whole;
  {
    Progress progress(records, output.is_terminal());
    whole = print_all(merge, min_level, **format, progress, output);
  }
  finish(output, code);
  if (!whole || !output.good()) return;  // `| head`: nobody asked for the rest, so nobody misses it
  for (const reader::DecodeFailure& failure : merge.failures()) {
    complain(*failure.file, describe(failure.damage));
    raise_to(code, kExitIncomplete);
  }
  report_losses(logs, code);
}

}  // namespace

void add_cat(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<CatOptions>();
  CLI::App* cat = app.add_subcommand("cat", "Print the messages, in the order of time over all threads and files");
  cat->add_option("FILE", options->paths, "Files; '-' is standard input");
  cat->add_option("--live", options->live,
                  "A process, by number or staging directory: its file and what it has not written yet");
  add_format_options(*cat, options);
  cat->add_flag("--no-sort", options->no_sort, "In the order of the files: faster, each thread in its order only");
  cat->footer(
      "Examples:\n"
      "  steno cat --level WARN app.steno\n"
      "  steno cat --live 4711\n"
      "  steno cat --pattern '{time} {thread} {message}' a.steno b.steno\n"
      "  steno cat --format json app.steno | jq 'select(.args.qty > 100)'");
  cat->callback([options, code] {
    if (options->paths.empty() && options->live.empty()) throw CLI::RequiredError("FILE or --live");
    if (!options->pattern.empty() && options->format != "text") {
      throw CLI::ValidationError("--pattern", "goes with --format text only");
    }
    run_cat(*options, code);
  });
}

}  // namespace steno::cli
