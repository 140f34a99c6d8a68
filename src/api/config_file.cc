#include "api/config_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <system_error>
#include <vector>

#include "api/config_values.h"
#include "base/level_rules.h"
#include "sink/target.h"

namespace steno::api {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

FileStamp stamp_of(const struct stat& st) {
  return {st.st_dev, st.st_ino, st.st_size, st.st_mtim.tv_sec * std::int64_t{1'000'000'000} + st.st_mtim.tv_nsec};
}

Result<std::string> read_text(const std::string& path, FileStamp* stamp) {
  const auto fails = [&path](int error) {
    return Status(error == ENOENT ? StatusCode::kNotFound : StatusCode::kIoError,
                  "cannot read " + path + ": " + std::generic_category().message(error));
  };
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return fails(errno);
  struct stat st {};
  if (fstat(fd, &st) == 0) *stamp = stamp_of(st);
  std::string text(kMostBytes + 1, '\0');
  std::size_t size = 0;
  ssize_t n = 0;
  do {
    n = read(fd, text.data() + size, text.size() - size);
    if (n > 0) size += static_cast<std::size_t>(n);
  } while ((n > 0 && size < text.size()) || (n < 0 && errno == EINTR));
  const int error = n < 0 ? errno : 0;
  close(fd);
  if (error != 0) return fails(error);
  if (size > kMostBytes)
    return Status(StatusCode::kInvalidArgument, path + " is not a configuration file: it is larger than 1 MiB");
  text.resize(size);
  return text;
}

TakeValue take_when_full(WhenFull* to) {
  return take_one_of(to, {{"block", WhenFull::kBlock}, {"drop", WhenFull::kDrop}});
}

TakeValue take_facility(Facility* to) {
  return take_one_of(to, {{"kernel", Facility::kKernel},
                          {"user", Facility::kUser},
                          {"mail", Facility::kMail},
                          {"daemon", Facility::kDaemon},
                          {"auth", Facility::kAuth},
                          {"syslog", Facility::kSyslog},
                          {"printer", Facility::kPrinter},
                          {"news", Facility::kNews},
                          {"uucp", Facility::kUucp},
                          {"cron", Facility::kCron},
                          {"authpriv", Facility::kAuthPrivate},
                          {"ftp", Facility::kFtp},
                          {"ntp", Facility::kNtp},
                          {"audit", Facility::kAudit},
                          {"alert", Facility::kAlert},
                          {"clock", Facility::kClock},
                          {"local0", Facility::kLocal0},
                          {"local1", Facility::kLocal1},
                          {"local2", Facility::kLocal2},
                          {"local3", Facility::kLocal3},
                          {"local4", Facility::kLocal4},
                          {"local5", Facility::kLocal5},
                          {"local6", Facility::kLocal6},
                          {"local7", Facility::kLocal7}});
}

TakeValue take_bytes(std::size_t* to) {
  return take_size([to](std::uint64_t bytes) { *to = bytes; });
}
TakeValue take_time(std::chrono::milliseconds* to, bool forever = false) {
  return take_duration([to](std::chrono::milliseconds time) { *to = time; }, forever);
}

// The keys of one file.
class Schema {
 public:
  Schema(Options* options, ConfigProblems& problems) : options_(*options), problems_(problems) {}

  void take(const TomlNode& root) {
    Options& o = options_;
    take_table(
        root,
        {{"path", take_text(&o.path)},
         {"console", take_bool(&o.console)},
         {"sinks", [this](const TomlNode& node) { return take_sinks(node); }},
         {"rotation", [this](const TomlNode& node) { return take_rotation(node, "rotation", &options_.rotation); }},
         {"level", [this](const TomlNode& node) { return take_own_level(node); }},
         {"recorder", [this](const TomlNode& node) { return take_recorder(node); }},
         {"levels", [this](const TomlNode& node) { return take_levels(node); }},
         {"crash_record", take_bool(&o.crash_record)},
         {"ring_bytes", take_bytes(&o.ring_bytes)},
         {"staging_limit", take_bytes(&o.staging_limit)},
         {"when_full", take_when_full(&o.when_full)},
         {"when_full_at", [this](const TomlNode& node) { return take_when_full_at(node); }},
         {"block_at_most", take_time(&o.block_at_most, true)},
         {"clock", take_one_of(&o.clock, {{"best", Clock::kBest}, {"wall", Clock::kWall}, {"coarse", Clock::kCoarse}})},
         {"flush_interval", take_time(&o.flush_interval)},
         {"flush_level", take_level(&o.flush_level)},
         {"sync", take_one_of(&o.sync, {{"never", Sync::kNever},
                                        {"each_block", Sync::kEachBlock},
                                        {"on_level", Sync::kOnLevel},
                                        {"interval", Sync::kInterval}})},
         {"sync_level", take_level(&o.sync_level)},
         {"sync_interval", take_time(&o.sync_interval)},
         {"zstd_level", take_integer(-1, 19, [&o](std::int64_t v) { o.zstd_level = static_cast<int>(v); })},
         {"keep_up", take_bool(&o.keep_up)},
         {"stop_waits", take_bool(&o.stop_waits)},
         {"scribe", take_one_of(&o.scribe, {{"thread", Scribe::kThread}, {"external", Scribe::kExternal}})},
         {"scribe_thread", take_bool(&o.scribe_thread)},
         {"scribe_cpu", take_integer(-1, 4095, [&o](std::int64_t v) { o.scribe_cpu = static_cast<int>(v); })},
         {"scribe_nice", take_integer(-20, 19, [&o](std::int64_t v) { o.scribe_nice = static_cast<int>(v); })},
         {"scribe_wait", take_one_of(&o.scribe_wait, {{"block", ScribeWait::kBlock},
                                                      {"sleep", ScribeWait::kSleep},
                                                      {"yield", ScribeWait::kYield},
                                                      {"spin", ScribeWait::kSpin}})},
         {"staging_directory", take_text(&o.staging_directory)},
         {"file_mode", take_file_mode(&o.file_mode)}},
        "", problems_);
  }

  ConfigFile file;

 private:
  std::string take_own_level(const TomlNode& node) {
    std::string problem = take_level(&options_.level)(node);
    if (problem.empty()) file.level = options_.level;
    return problem;
  }

  // Rules as text, a list of such, or a table of names and levels.
  std::string take_levels(const TomlNode& node) {
    std::string& rules = file.levels;
    const auto add = [&rules](const std::string& rule) { rules += (rules.empty() ? "" : ",") + rule; };
    if (node.kind == TomlNode::Kind::kString) {
      add(node.string);
    } else if (node.kind == TomlNode::Kind::kTable) {
      if (!add_levels(node, "", add)) return "must hold names of levels: \"net.http\" = \"debug\"";
    } else {
      if (node.kind != TomlNode::Kind::kArray) return "must be rules, or a table: \"net.http\" = \"debug\"";
      for (const TomlNode& rule : node.children) {
        if (rule.kind != TomlNode::Kind::kString) return "must hold rules as \"net.http=debug\"";
        add(rule.string);
      }
    }
    const LevelRules parsed = parse_level_rules(rules);
    if (!parsed.problems.empty()) return joined(parsed.problems);
    options_.levels = rules;
    return {};
  }

  // net.http = "debug" is a table in a table.
  template <class Add>
  static bool add_levels(const TomlNode& table, const std::string& under, const Add& add) {
    for (const TomlNode& value : table.children) {
      if (value.kind == TomlNode::Kind::kTable) {
        if (!add_levels(value, under + value.key + '.', add)) return false;
      } else if (value.kind == TomlNode::Kind::kString) {
        add(under + value.key + '=' + value.string);
      } else {
        return false;
      }
    }
    return true;
  }

  std::string take_when_full_at(const TomlNode& node) {
    const TomlNode* const table = as_table(node, "when_full_at", problems_);
    if (table == nullptr) return {};
    std::map<Level, WhenFull> taken;
    std::vector<ConfigKey> keys;
    for (int i = 0; i < kLevelCount; ++i) {
      constexpr const char* kNames[] = {"trace", "debug", "info", "notice", "warn", "error", "critical"};
      const auto level = static_cast<Level>(i);
      keys.push_back(
          {kNames[i], [&taken, level](const TomlNode& value) { return take_when_full(&taken[level])(value); }});
    }
    take_table(*table, keys, "when_full_at", problems_);
    for (const auto& [level, when_full] : taken) options_.when_full_at[level] = when_full;
    return {};
  }

  std::string take_rotation(const TomlNode& node, const std::string& where, Rotation* rotation) {
    const TomlNode* const table = as_table(node, where, problems_);
    if (table == nullptr) return {};
    Rotation& r = *rotation;
    const std::int64_t most = std::numeric_limits<std::uint32_t>::max();
    take_table(*table,
               {{"max_bytes", take_size([&r](std::uint64_t v) { r.max_bytes = v; })},
                {"when", take_text(&r.when)},
                {"local_time", take_bool(&r.local_time)},
                {"on_start", take_bool(&r.on_start)},
                {"name", take_text(&r.name)},
                {"keep", take_integer(0, most, [&r](std::int64_t v) { r.keep = static_cast<std::uint32_t>(v); })},
                {"keep_for", take_duration([&r](std::chrono::milliseconds v) {
                   r.keep_for = std::chrono::duration_cast<std::chrono::seconds>(v);
                 })},
                {"keep_bytes", take_size([&r](std::uint64_t v) { r.keep_bytes = v; })}},
               where, problems_);
    return {};
  }

  std::string take_recorder(const TomlNode& node) {
    const TomlNode* const table = as_table(node, "recorder", problems_);
    if (table == nullptr) return {};
    Recorder& r = options_.recorder;
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    take_table(*table,
               {{"below", take_level(&r.below)},
                {"bytes", take_bytes(&r.bytes)},
                {"trigger", take_level(&r.trigger)},
                {"records", take_integer(0, most, [&r](std::int64_t v) { r.records = static_cast<std::uint64_t>(v); })},
                {"time", take_time(&r.time)}},
               "recorder", problems_);
    return {};
  }

  std::string take_sinks(const TomlNode& node) {
    if (node.kind != TomlNode::Kind::kArray) return "must be tables: [[sinks]]";
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const std::string where = "sinks[" + std::to_string(i) + ']';
      const TomlNode* const table = as_table(node.children[i], where, problems_);
      if (table == nullptr) continue;
      SinkOptions sink;
      take_sink(*table, where, &sink);
      file.sinks.emplace_back(sink::rule_name(sink), sink.level);
      options_.sinks.push_back(std::move(sink));
    }
    return {};
  }

  void take_sink(const TomlNode& table, const std::string& where, SinkOptions* sink) {
    SinkOptions& s = *sink;
    take_table(
        table,
        {{"console", take_one_of(&s.console, {{"stderr", Console::kStderr}, {"stdout", Console::kStdout}})},
         {"path", take_text(&s.path)},
         {"file_mode", take_file_mode(&s.file_mode)},
         {"syslog", [&](const TomlNode& node) { return take_syslog(node, where + ".syslog", &s.syslog); }},
         {"journal", [&](const TomlNode& node) { return take_journal(node, where + ".journal", &s.journal); }},
         {"name", take_text(&s.name)},
         {"level", take_level(&s.level)},
         {"logger", take_text(&s.logger)},
         {"format", take_one_of(&s.format, {{"text", LineFormat::kText},
                                            {"json", LineFormat::kJson},
                                            {"csv", LineFormat::kCsv},
                                            {"logfmt", LineFormat::kLogfmt}})},
         {"pattern", take_text(&s.pattern)},
         {"local_time", take_bool(&s.local_time)},
         {"colour",
          take_one_of(&s.colour, {{"auto", Colour::kAuto}, {"never", Colour::kNever}, {"always", Colour::kAlways}})},
         {"max_rate", take_integer(-1, std::numeric_limits<std::int32_t>::max(),
                                   [&s](std::int64_t v) { s.max_rate = static_cast<std::int32_t>(v); })},
         {"queue_bytes", take_bytes(&s.queue_bytes)},
         {"when_full", take_when_full(&s.when_full)},
         {"rotation", [&](const TomlNode& node) { return take_rotation(node, where + ".rotation", &s.rotation); }}},
        where, problems_);
  }

  std::string take_syslog(const TomlNode& node, const std::string& where, SyslogOptions* syslog) {
    const TomlNode* const table = as_table(node, where, problems_);
    if (table == nullptr) return {};
    SyslogOptions& s = *syslog;
    take_table(*table,
               {{"address", take_text(&s.address)},
                {"tls", [&](const TomlNode& table_of) { return take_tls(table_of, where + ".tls", &s.tls); }},
                {"facility", take_facility(&s.facility)},
                {"format", take_one_of(&s.format, {{"auto", SyslogFormat::kAuto},
                                                   {"rfc5424", SyslogFormat::kRfc5424},
                                                   {"rfc3164", SyslogFormat::kRfc3164}})},
                {"app_name", take_text(&s.app_name)},
                {"structured_data", take_text(&s.structured_data)},
                {"max_bytes", take_bytes(&s.max_bytes)},
                {"retry_for", take_time(&s.retry_for)}},
               where, problems_);
    return {};
  }

  std::string take_tls(const TomlNode& node, const std::string& where, TlsOptions* tls) {
    const TomlNode* const table = as_table(node, where, problems_);
    if (table == nullptr) return {};
    take_table(*table,
               {{"ca_file", take_text(&tls->ca_file)},
                {"peer_name", take_text(&tls->peer_name)},
                {"cert_file", take_text(&tls->cert_file)},
                {"key_file", take_text(&tls->key_file)}},
               where, problems_);
    return {};
  }

  std::string take_journal(const TomlNode& node, const std::string& where, JournalOptions* journal) {
    const TomlNode* const table = as_table(node, where, problems_);
    if (table == nullptr) return {};
    JournalOptions& j = *journal;
    take_table(*table,
               {{"address", take_text(&j.address)},
                {"facility", take_facility(&j.facility)},
                {"app_name", take_text(&j.app_name)},
                {"argument_prefix", take_text(&j.argument_prefix)},
                {"retry_for", take_time(&j.retry_for)}},
               where, problems_);
    return {};
  }

  Options& options_;
  ConfigProblems& problems_;
};

// The table [steno] of a file that is an application's own, else all of the file.
const TomlNode* root_of(const TomlNode& file) {
  for (const TomlNode& child : file.children) {
    if (child.key == "steno" && child.kind == TomlNode::Kind::kTable) return &child;
  }
  return &file;
}

std::string value_text(const TomlNode& node) {
  switch (node.kind) {
    case TomlNode::Kind::kBool:
      return node.boolean ? "true" : "false";
    case TomlNode::Kind::kInteger:
      return std::to_string(node.integer);
    default:
      return node.string;
  }
}

void list_settings(const TomlNode& node, const std::string& name, ConfigFile* file) {
  const bool array = node.kind == TomlNode::Kind::kArray;
  if (node.kind != TomlNode::Kind::kTable && !array) {
    file->settings[name] = {value_text(node), node.line, node.column};
    return;
  }
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const TomlNode& child = node.children[i];
    const std::string& key = child.key;
    if (name.empty() && (key == "level" || key == "levels")) continue;
    list_settings(child, array ? name + '[' + std::to_string(i) + ']' : name.empty() ? key : name + '.' + key, file);
  }
}

// Returns whether `name` is a word of `text`.
bool has_word(const std::string& text, const std::string& name) {
  const auto is_word = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

}  // namespace

Status ConfigFile::located(const std::string& path, const Status& status) const {
  // The one with the longest name that is a word of the message: what that is about.
  const Setting* found = nullptr;
  std::size_t longest = 0;
  for (const auto& [name, setting] : settings) {
    const std::string last = name.substr(name.rfind('.') + 1);
    if (last.size() <= longest || !has_word(status.message(), last)) continue;
    longest = last.size();
    found = &setting;
  }
  const std::string place =
      found == nullptr ? "" : ':' + std::to_string(found->line) + ':' + std::to_string(found->column);
  return {status.code(), path + place + ": " + status.message()};
}

bool is_level_of_sink(const std::string& name) {
  const std::size_t end = name.find(']');
  return name.starts_with("sinks[") && end != std::string::npos && name.compare(end, std::string::npos, "].level") == 0;
}

bool find_stamp(const std::string& path, FileStamp* stamp) {
  struct stat st {};
  if (stat(path.c_str(), &st) != 0) return false;
  *stamp = stamp_of(st);
  return true;
}

Result<ConfigFile> read_config_file(const std::string& path, Options* options) {
  FileStamp stamp;
  Result<std::string> text = read_text(path, &stamp);
  if (!text.ok()) return text.status();
  Result<ConfigFile> file = read_config_text(path, *text, options);
  if (file.ok()) file->stamp = stamp;
  return file;
}

Result<ConfigFile> read_config_text(const std::string& name, const std::string& text, Options* options) {
  Result<TomlNode> tree = parse_toml(text);
  if (!tree.ok()) return Status(tree.status().code(), name + ":" + tree.status().message());
  ConfigProblems problems;
  Schema schema(options, problems);
  const TomlNode* const root = root_of(*tree);
  schema.take(*root);
  if (!problems.empty()) return Status(StatusCode::kInvalidArgument, name + ":" + problems.text());
  list_settings(*root, "", &schema.file);
  return std::move(schema.file);
}

}  // namespace steno::api
