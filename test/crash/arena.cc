#include "arena.h"

#include <fcntl.h>
#include <steno/reader.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "../sanitizers.h"
#include "ring/layout.h"

namespace steno::crash {
namespace {

namespace fs = std::filesystem;

std::string make_directory(std::string pattern) {
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  return pattern;
}

std::string tail(const std::string& text, std::size_t size) {
  return text.substr(text.size() - std::min(text.size(), size));
}

// Lines of the command's that are none of the log.
std::string complaints(const std::string& said) {
  std::string text;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("steno: ")) text += line + "\n";
  }
  return text;
}

Level level_of(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames = {"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"};
  return static_cast<Level>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
}

// A line of '{thread}\t{logger}\t{level}\t{message}'; no message of ours has a tab.
bool parse_line(std::string_view text, Line* line) {
  std::array<std::string_view, 3> fields;
  for (std::string_view& field : fields) {
    const std::size_t tab = text.find('\t');
    if (tab == std::string_view::npos) return false;
    field = text.substr(0, tab);
    text.remove_prefix(tab + 1);
  }
  *line = {fields[0], fields[1], level_of(fields[2]), text};
  return true;
}

}  // namespace

std::string text_of(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return text;
}

SharedCounts::SharedCounts(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  void* memory = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, sizeof(Counts)) == 0)
    memory = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0) close(fd);
  if (memory == MAP_FAILED) throw std::runtime_error("cannot map " + path);
  counts_ = static_cast<Counts*>(memory);
}

SharedCounts::~SharedCounts() {
  munmap(counts_, sizeof(Counts));
}

Counts SharedCounts::read() const {
  Counts counts;
  counts.started = __atomic_load_n(&counts_->started, __ATOMIC_ACQUIRE);
  counts.rotations = __atomic_load_n(&counts_->rotations, __ATOMIC_RELAXED);
  counts.reopened = __atomic_load_n(&counts_->reopened, __ATOMIC_RELAXED);
  counts.restarts = __atomic_load_n(&counts_->restarts, __ATOMIC_RELAXED);
  for (unsigned t = 0; t < kMaxThreads; ++t)
    counts.threads[t].done = __atomic_load_n(&counts_->threads[t].done, __ATOMIC_ACQUIRE);
  return counts;
}

Arena::Arena() : directory_(make_directory((fs::temp_directory_path() / "steno-crash-XXXXXX").string())) {
  test::check_no_leaks_in_children();
  staging_ = make_directory(access("/dev/shm", W_OK) == 0 ? "/dev/shm/steno-crash-XXXXXX" : directory_ + "/XXXXXX");
}

Arena::~Arena() {
  if (getenv("STENO_CRASH_KEEP") != nullptr) return;
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
  fs::remove_all(staging_, ignored);
}

std::vector<std::string> Arena::log_files() const {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    if (entry.path().filename().string().rfind("app.steno", 0) == 0) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> Arena::written_files() const {
  std::vector<std::string> files = log_files();
  std::erase_if(files, [](const std::string& file) { return fs::is_empty(file); });
  return files;
}

void Arena::remove_logs() {
  for (const std::string& file : log_files()) fs::remove(file);
}

Process Arena::start(std::vector<std::string> arguments, const std::string& who, std::vector<std::string> environment) {
  environment.push_back("STENO_STAGING=" + staging_);
  // Processes that die must not look for leaks; that stops other threads, and may hang when these fork.
  const char* sanitizer = getenv("ASAN_OPTIONS");
  environment.push_back("ASAN_OPTIONS=" + (sanitizer != nullptr ? std::string(sanitizer) + ":" : "") +
                        "detect_leaks=0");
  return Process(std::move(arguments), std::move(environment), said_path(who));
}

Process Arena::start_checker(const std::string& program, std::uint64_t run, const Settings& settings,
                             std::vector<std::string> environment) {
  std::vector<std::string> arguments = {program, log(), counts_path(run), "run=" + std::to_string(run)};
  for (const auto& [name, value] : settings) arguments.push_back(name + "=" + std::to_string(value));
  return start(std::move(arguments), "checker", std::move(environment));
}

Process Arena::start_steno(std::vector<std::string> arguments, const std::string& who) {
  arguments.insert(arguments.begin(), STENO_BINARY);
  return start(std::move(arguments), who);
}

std::vector<fs::path> Arena::stagings() const {
  std::vector<fs::path> found;
  std::error_code gone;
  for (const auto& user : fs::directory_iterator(staging_, gone)) {
    for (const auto& session : fs::directory_iterator(user.path(), gone)) {
      if (session.is_directory() && session.path().filename() != "by-log") found.push_back(session.path());
    }
  }
  return found;
}

std::vector<fs::path> Arena::marks() const {
  std::vector<fs::path> found;
  std::error_code gone;
  for (const auto& user : fs::directory_iterator(staging_, gone)) {
    for (const auto& key : fs::directory_iterator(user.path() / "by-log", gone)) {
      for (const auto& mark : fs::directory_iterator(key.path(), gone)) found.push_back(mark.path());
    }
  }
  return found;
}

bool Arena::is_homeless(const fs::path& staging) {
  std::ifstream in(staging / "session", std::ios::binary);
  ring::SessionFile file{};
  in.read(reinterpret_cast<char*>(&file), sizeof file);
  return in.gcount() == sizeof file && file.version != 0 && file.state != ring::kRemoving && file.log_path[0] == '\0' &&
         fs::exists(staging / "ring-0");
}

void Arena::remove_staging(const fs::path& staging) {
  fs::remove_all(staging);
  for (const fs::path& mark : marks()) {
    if (mark.filename() == staging.filename()) fs::remove(mark);
  }
}

std::string Arena::leftovers() const {
  std::string text;
  for (const fs::path& mark : marks()) {
    if (!fs::exists(mark)) text += mark.string() + " leads nowhere\n";
  }
  for (const fs::path& staging : stagings()) {
    if (is_homeless(staging)) continue;
    text += staging.string() + ":";
    std::error_code gone;
    for (const auto& file : fs::directory_iterator(staging, gone)) text += " " + file.path().filename().string();
    const std::string session = read_text(staging / "session");
    if (session.size() == sizeof(ring::SessionFile)) {
      ring::SessionFile file{};
      std::memcpy(&file, session.data(), sizeof file);
      text += " (version " + std::to_string(file.version) + ", state " + std::to_string(file.state) + ", path '" +
              std::string(file.log_path) + "')";
    }
    text += "\n";
  }
  return text;
}

std::optional<std::string> Arena::read_lines(const std::function<void(const Line&)>& take) const {
  const std::vector<std::string> files = written_files();
  if (files.empty()) return std::nullopt;
  auto reader = LogReader::open(files);
  if (!reader.ok()) return reader.status().message();
  std::string message;
  reader->for_each([&](const Record& record) {
    message.clear();
    record.append_message(&message);
    take({record.thread(), record.logger(), record.level(), message});
  });
  return std::nullopt;
}

std::optional<std::string> Arena::read_log(Ledger* ledger) const {
  return read_lines([ledger](const Line& line) { ledger->add(line); });
}

std::optional<std::string> Arena::cat_log(Ledger* ledger, const std::string& who) {
  std::vector<std::string> arguments = {"cat", "--pattern", "{thread}\\t{logger}\\t{level}\\t{message}"};
  for (const std::string& file : written_files()) {
    if (file != log()) arguments.push_back(file);
  }
  // The log may not be there yet, or be empty: who made it died at once. Its staging, if any, then has what it holds.
  std::error_code gone;
  const bool exists = fs::exists(log());
  const bool there = exists && fs::file_size(log(), gone) != 0;
  const bool no_other = arguments.size() == 3;
  if (exists || no_other || !stagings().empty()) arguments.push_back(log());
  const End end = start_steno(std::move(arguments), who).wait();
  std::string said = read_text(said_path(who));
  const std::string missing =
      "steno: " + log() + (exists ? ": is empty, so it is no steno file (yet)\n" : ": no such file\n");
  const std::size_t complaint = said.find(missing);
  const bool nothing = !there && !end.signalled && end.code == 3 && complaint != std::string::npos;
  if (nothing) said.erase(complaint, missing.size());
  if (!end.ok() && !nothing) return "steno cat ends with " + end.text() + ": " + complaints(said) + tail(said, 1000);
  for (std::string_view rest = said; !rest.empty();) {
    const std::size_t size = rest.find('\n');
    Line line;
    if (!parse_line(rest.substr(0, size), &line)) return "steno cat prints " + std::string(rest.substr(0, size));
    ledger->add(line);
    rest.remove_prefix(size == std::string_view::npos ? rest.size() : size + 1);
  }
  return std::nullopt;
}

std::optional<End> Arena::verify_log() {
  std::vector<std::string> arguments = written_files();
  if (arguments.empty()) return std::nullopt;
  arguments.insert(arguments.begin(), "verify");
  return start_steno(std::move(arguments), "verify").wait();
}

}  // namespace steno::crash
