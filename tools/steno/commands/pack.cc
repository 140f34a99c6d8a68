// steno pack: logs as one that takes less room.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "command.h"
#include "input/inputs.h"
#include "logfile/file_marks.h"
#include "rewrite/copy.h"
#include "rewrite/new_log.h"
#include "rewrite/proof.h"

namespace steno::cli {
namespace {

struct PackOptions : NewLogOptions {
  bool remove = false;
};

// The reason why a file is not packed; empty: there is none. A copy must not hide what is wrong with the original.
std::string obstacle(const reader::LogFile& file) {
  if (!file.damage().empty()) return "is damaged; 'steno cut' writes what can be read to a new file";
  if (file.unknown_records() != 0) return "has records that only a later version of steno knows";
  for (const auto& session : file.sessions()) {
    if (session->running) return "is being written; pack it when it is closed";
    if (session->extra_bytes != 0) return "has records in shared memory; write them with 'steno recover' first";
    if (session->dictionary.is_incomplete()) return "lacks a part of what it declares; 'steno verify' says more";
  }
  return {};
}

// The files as they were before any of them was read, by name.
using Originals = std::map<std::string, struct stat>;

Originals originals_of(const NewLogOptions& options) {
  Originals originals;
  for (const std::string& path : input_paths(options)) {
    struct stat st {};
    if (path != "-" && ::stat(path.c_str(), &st) == 0) originals[path] = st;
  }
  return originals;
}

// Returns whether the new file takes less room; logs of large blocks are small already.
bool is_smaller(const reader::LogSet& logs, const Originals& originals, const std::string& packed, ExitCode* code) {
  std::uint64_t before = 0;
  for (const auto& file : logs.files()) {
    // A compressed file is shorter than what is read of it.
    const auto found = originals.find(file->path());
    before += found != originals.end() ? static_cast<std::uint64_t>(found->second.st_size) : file->size();
  }
  struct stat st {};
  if (::stat(packed.c_str(), &st) == 0 && static_cast<std::uint64_t>(st.st_size) < before) return true;
  complain(packed + " is not smaller than what it was made of, which therefore is not removed");
  raise_to(code, kExitIncomplete);
  return false;
}

bool is_unchanged(const struct stat& before, const struct stat& now) {
  return before.st_dev == now.st_dev && before.st_ino == now.st_ino && before.st_size == now.st_size &&
         before.st_mtim.tv_sec == now.st_mtim.tv_sec && before.st_mtim.tv_nsec == now.st_mtim.tv_nsec;
}

// Removes the file that was packed. Empty: it is removed; else why it is not.
std::string remove_original(const std::string& path, const struct stat& before, int fd) {
  if (fd < 0) return std::strerror(errno);
  // From here on a scribe neither writes to this file nor renames it.
  const logfile::RenameLock lock(fd);
  if (!lock.held()) return "somebody renames it";
  const logfile::Writers writers = logfile::mark_removed(fd);
  if (writers == logfile::Writers::kSome) return "somebody writes to it";
  if (writers == logfile::Writers::kUnknown) {
    return "its file system has no locks, so nobody knows whether a process still writes to it; remove it by hand";
  }
  struct stat opened {};
  struct stat named {};
  if (::fstat(fd, &opened) != 0 || ::stat(path.c_str(), &named) != 0) return std::strerror(errno);
  if (!is_unchanged(before, opened) || !is_unchanged(before, named)) return "it has changed since it was read";
  return ::unlink(path.c_str()) == 0 ? std::string() : std::strerror(errno);
}

void remove_files(const Originals& originals, ExitCode* code) {
  for (const auto& [path, before] : originals) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (const std::string why = remove_original(path, before, fd); !why.empty()) {
      complain(path + ": is not removed: " + why);
      raise_to(code, kExitIncomplete);
    }
    if (fd >= 0) ::close(fd);
  }
}

void run_pack(const PackOptions& options, ExitCode* code) {
  ExitCode opened = kExitOk;
  const Originals originals = originals_of(options);
  reader::LogSet logs(reader::Secrets::kShown, reader::kCheckAll);
  open_inputs(options.paths, &logs, &opened);
  raise_to(code, opened);
  if (opened != kExitOk || logs.files().empty()) return;
  for (const auto& file : logs.files()) {
    if (const std::string why = obstacle(*file); !why.empty()) {
      complain(*file, why);
      raise_to(code, kExitUnreadable);
    }
  }
  if (*code != kExitOk) return;
  CopyRules rules;
  rules.block_records = 1u << 18;
  rules.block_bytes = std::size_t{1} << 26;
  rules.zstd_level = 9;
  rules.rehearsals = 5;
  const std::optional<Copied> copied = write_new_log(logs, options, rules, prove_same, code);
  if (!copied || copied->records == 0 || *code != kExitOk || !options.remove) return;
  if (is_smaller(logs, originals, options.out, code)) remove_files(originals, code);
}

}  // namespace

void add_pack(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<PackOptions>();
  CLI::App* pack = app.add_subcommand("pack", "Write closed logs as one that takes less room");
  add_new_log_options(*pack, options.get());
  pack->add_flag("--remove", options->remove,
                 "Remove the files that were packed, once the new one is proved and if it is smaller");
  pack->footer(
      "Examples:\n  steno pack a.steno b.steno -o archive.steno\n"
      "  steno pack 'app*.steno' -o archive.steno && steno verify archive.steno\n"
      "  steno pack --remove a.steno b.steno -o archive.steno\n\n"
      "The new file is read as the old ones were together: it has the same sessions, records and numbers. Before it "
      "gets its name, it is read again and compared with them record by record.\n"
      "Logs that are written, or damaged, are refused.");
  pack->callback([options, code] { run_pack(*options, code); });
}

}  // namespace steno::cli
