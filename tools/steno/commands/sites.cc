// steno sites: lists the log statements in the dictionaries of files.
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <tuple>

#include "command.h"
#include "input/inputs.h"
#include "options/jobs_option.h"
#include "output/output.h"
#include "reader/statistics.h"

namespace steno::cli {
namespace {

struct SitesOptions {
  std::vector<std::string> paths;
  bool json = false;
  bool per_file = false;
};

struct Row {
  const reader::Site* site;
  std::uint64_t records;
};

// The statements of some files; the same one in several sessions counts once (by stable_id). Those whose declaration is
// lost are counted one by one.
std::vector<Row> rows_of(std::span<const std::unique_ptr<reader::LogFile>> files) {
  std::map<std::uint64_t, Row> rows;
  for (const auto& file : files) {
    for (const auto& session : file->sessions()) {
      for (const reader::Site& site : session->dictionary.sites()) {
        if (site.known() && site.info().id >= wire::kFirstUserSite)
          rows.try_emplace(site.info().stable_id, Row{&site, 0});
      }
    }
    for (const reader::SiteStat& stat : reader::collect_statistics(*file).sites) {
      const std::uint64_t id = stat.site->known() ? stat.site->info().stable_id : stat.site->ordinal();
      const auto row = rows.try_emplace(id, Row{stat.site, 0}).first;
      row->second.records += stat.records;
    }
  }
  std::vector<Row> sorted;
  for (const auto& [id, row] : rows) sorted.push_back(row);
  std::sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) {
    const wire::SiteInfo& x = a.site->info();
    const wire::SiteInfo& y = b.site->info();
    return std::tie(x.file, x.line, x.stable_id, x.id) < std::tie(y.file, y.line, y.stable_id, y.id);
  });
  return sorted;
}

std::string hex(std::uint64_t n) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(n));
  return text;
}

// `file`: nullptr if the row is of several.
void append_json_row(const reader::LogFile* file, const Row& row, ByteBuffer& out) {
  const wire::SiteInfo& info = row.site->info();
  const std::string path = file != nullptr ? "\"path\":\"" + json_escaped(file->path()) + "\"," : "";
  put(out, "{" + path + "\"stable_id\":\"" + hex(info.stable_id) + "\",\"level\":\"" + level_name(info.level) +
               "\",\"file\":\"" + json_escaped(info.file) + "\",\"line\":" + std::to_string(info.line) +
               ",\"function\":\"" + json_escaped(info.function) + "\",\"style\":\"" +
               (info.style == wire::Style::kPrintf ? "printf" : "brace") + "\",\"format\":\"" +
               json_escaped(info.format) + "\",\"types\":\"" + json_escaped(info.types) +
               "\",\"records\":" + std::to_string(row.records) + "}\n");
}

// Groups digits only for terminals: `sort -n` does not understand groups.
void append_text_row(const Row& row, Escape escape, ByteBuffer& out) {
  const wire::SiteInfo& info = row.site->info();
  const std::string name = level_name(info.level);
  std::string count = escape == Escape::kTerminal ? reader::with_commas(row.records) : std::to_string(row.records);
  if (count.size() < 14) count.insert(0, 14 - count.size(), ' ');
  put(out, count + "  " + name + std::string(name.size() < 8 ? 8 - name.size() : 0, ' ') + "  ");
  if (row.site->known()) {
    append_text(info.file + ":" + std::to_string(info.line), escape, out);
    put(out, "  ");
    append_text(info.format, escape == Escape::kRaw ? Escape::kControls : escape, out);
  } else {
    put(out, "(" + row.site->problem() + ")");
  }
  put(out, "\n");
}

void run_sites(const SitesOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  const Escape escape = output.is_terminal() ? Escape::kTerminal : Escape::kControls;
  reader::LogSet logs;
  open_inputs(options.paths, &logs, code);
  const std::span<const std::unique_ptr<reader::LogFile>> files = logs.files();
  const std::size_t together = options.per_file ? 1 : std::max<std::size_t>(files.size(), 1);
  for (std::size_t first = 0; first < files.size(); first += together) {
    const reader::LogFile* const file = together == 1 ? files[first].get() : nullptr;
    if (!options.json) {
      if (options.per_file && files.size() > 1) put(output.buffer(), escaped(file->path(), escape) + ":\n");
      put(output.buffer(), "       records  level     statement\n");
    }
    for (const Row& row : rows_of(files.subspan(first, together))) {
      options.json ? append_json_row(file, row, output.buffer()) : append_text_row(row, escape, output.buffer());
      if (!output.tick()) break;
    }
  }
  finish(output, code);
  if (output.good()) report_losses(logs, all_times(), code);
}

}  // namespace

void add_sites(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<SitesOptions>();
  CLI::App* sites = app.add_subcommand("sites", "List the log statements and how often each was logged");
  sites->add_option("FILE", options->paths, "Files; '-' is standard input")->required();
  sites->add_flag("--json", options->json, "Print one JSON object per line");
  sites->add_flag("--per-file", options->per_file, "Of several files: each on its own, in place of all together");
  add_jobs_option(*sites);
  sites->footer(
      "Examples:\n  steno sites app.steno | sort -rn | head\n  steno sites 'app*.steno' --per-file\n"
      "  steno sites --json app.steno | head -1");
  sites->callback([options, code] { run_sites(*options, code); });
}

}  // namespace steno::cli
