#include "lines/syslog_format.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/ascii.h"

namespace steno::lines {
namespace {

constexpr std::string_view kCut = " [cut]";
constexpr std::uint32_t kLastSequence = 2147483647;  // RFC 5424, 7.3.1
constexpr std::int64_t kNsOfSecond = 1'000'000'000;

std::string_view view_of(const ByteBuffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}

// PRINTUSASCII but for what `forbidden` names, at most `most` bytes; "-" if nothing is left.
std::string header_field(std::string_view text, std::size_t most, std::string_view forbidden = {}) {
  std::string result;
  for (const char c : text.substr(0, most)) {
    const bool fits = c > ' ' && c < 0x7F && forbidden.find(c) == std::string_view::npos;
    result += fits ? c : '_';
  }
  return result.empty() ? "-" : result;
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// The end of what is at most `most` bytes of `text` and whole characters.
std::size_t whole_characters(std::string_view text, std::size_t most) {
  std::size_t end = std::min(most, text.size());
  while (end != 0 && end != text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return end;
}

// A string without a value is "null", as in the other formats.
void append_value_text(const reader::Site& site, std::size_t argument, std::span<const text::Value> values,
                       ByteBuffer& out) {
  const text::Value& value = values[argument];
  const bool is_null = is_string(value.type) && value.string.data() == nullptr;
  if (is_null || site.presences().is_absent(argument, values)) return put(out, "null");
  text::Value shown = value;
  if (value.type == ArgType::kErrno) shown.type = ArgType::kI32;
  text::print_value(shown, site.meaning(argument), out);
}

// Without the line end of the format.
std::string_view print_body(LineFormat& body, const reader::Slice& slice, std::uint32_t i, ByteBuffer& out) {
  out.clear();
  reader::Slice one = slice;
  one.begin = i;
  one.end = i + 1;
  body.append({&one, 1}, out);
  std::string_view text = view_of(out);
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return text;
}

class SyslogLines final : public LineFormat {
 public:
  SyslogLines(SyslogMessage options, std::unique_ptr<LineFormat> body)
      : options_(std::move(options)), body_(std::move(body)), time_(options_.zone, 'T') {}

  void append(std::span<const reader::Slice> slices, ByteBuffer& out) override {
    each_record(slices, [&](const reader::Slice& slice, std::uint32_t i) { append_record(slice, i, out); });
  }

 private:
  struct SiteText {
    std::string message_id;
    std::vector<std::string> keys;  // " qty=\""
  };

  void append_record(const reader::Slice& slice, std::uint32_t i, ByteBuffer& out) {
    message_.clear();
    if (options_.rfc3164) {
      append_old_header(slice, i);
    } else {
      append_header(slice, i);
    }
    text_.clear();
    append_text(print_body(*body_, slice, i, body_text_), Escape::kTerminal, text_);
    const std::string_view text = view_of(text_);
    const std::size_t room = options_.max_bytes - message_.size();
    if (text.size() <= room) {
      message_ += text;
    } else {
      message_ += text.substr(0, whole_characters(text, room - kCut.size()));
      message_ += kCut;
    }
    put(out, message_);
    out.put('\n');
  }

  void append_priority(Level level) {
    message_ += '<' + std::to_string(static_cast<int>(options_.facility) * 8 + severity_of(level)) + '>';
  }

  // "<134>1 2026-11-22T20:15:00.123456Z host app 4711 server.cc:120 [meta sequenceId="1"][steno@32473 qty="3"] "
  void append_header(const reader::Slice& slice, std::uint32_t i) {
    const reader::DecodedGroup& group = slice.block->group(i);
    const SiteText& site = sites_.get(group.site->ordinal(), [&] { return site_text(*group.site); });
    append_priority(group.site->info().level);
    message_ += "1 ";
    append_time(slice.block->wall(i));
    message_ += names(slice.block->session().info);
    message_ += site.message_id;
    sequence_ = sequence_ == kLastSequence ? 1 : sequence_ + 1;
    message_ += " [meta sequenceId=\"" + std::to_string(sequence_) + "\"]";
    if (options_.structured_data != "-") append_structured_data(slice, i, group, site);
    message_ += ' ';
  }

  // RFC 5424 has six digits of a second, not nine.
  void append_time(std::int64_t wall) {
    constexpr std::size_t kMicros = 26;
    char text[TimeText::kRoom];
    const auto size = static_cast<std::size_t>(time_.write(wall, text) - text);
    message_.append(text, kMicros).append(text + kMicros + 3, size - kMicros - 3);
  }

  // " host app pid "
  const std::string& names(const format::SessionBlock& session) {
    if (names_.empty()) {
      constexpr std::size_t kMostHost = 255;
      constexpr std::size_t kMostApp = 48;
      const std::string app = options_.app_name.empty() ? base_name(session.program) : options_.app_name;
      names_ = ' ' + header_field(session.host, kMostHost) + ' ' + header_field(app, kMostApp) + ' ' +
               std::to_string(session.pid) + ' ';
    }
    return names_;
  }

  // Appends as many parameters as fit into half of the remaining room; marks the text if it is truncated.
  void append_structured_data(const reader::Slice& slice, std::uint32_t i, const reader::DecodedGroup& group,
                              const SiteText& site) {
    const std::size_t limit = message_.size() + (options_.max_bytes - message_.size()) / 2;
    message_ += '[' + options_.structured_data;
    bool whole = true;
    const auto add = [&](std::string_view key, std::string_view value) {
      if (!whole) return;
      const std::size_t before = message_.size();
      message_ += key;
      append_parameter(value);
      message_ += '"';
      constexpr std::string_view kMore = " cut=\"true\"]";
      if (message_.size() + kMore.size() <= limit) return;
      message_.resize(before);
      whole = false;
    };
    if (!group.logger->info.name.empty()) add(" logger=\"", group.logger->info.name);
    add(" thread=\"", slice.thread->display());
    const std::span<const text::Value> values = row_.of(slice, i);
    for (std::size_t a = 0; a < values.size() && a < site.keys.size(); ++a) {
      if (group.site->presences().is_field(a)) continue;
      value_.clear();
      append_value_text(*group.site, a, values, value_);
      add(site.keys[a], view_of(value_));
    }
    message_ += whole ? "]" : " cut=\"true\"]";
  }

  // RFC 5424, 6.3.3.
  void append_parameter(std::string_view value) {
    escaped_.clear();
    append_text(value, Escape::kTerminal, escaped_);
    for (const char c : view_of(escaped_)) {
      if (c == '"' || c == '\\' || c == ']') message_ += '\\';
      message_ += c;
    }
  }

  static SiteText site_text(const reader::Site& site) {
    constexpr std::size_t kMostMessageId = 32;
    constexpr std::size_t kMostName = 32;
    const wire::SiteInfo& info = site.info();
    SiteText text;
    const std::string line = ':' + std::to_string(info.line);
    const std::string file = base_name(info.file);
    text.message_id =
        file.empty() ? "-" : header_field(file.substr(0, kMostMessageId - line.size()) + line, kMostMessageId);
    for (const std::string& name : site.argument_names()) {
      const bool taken = name == "logger" || name == "thread" || name == "cut";
      text.keys.push_back(' ' + header_field((taken ? "arg_" : "") + name, kMostName, "=\"]") + "=\"");
    }
    return text;
  }

  // "<134>Nov 22 20:15:00 host app[4711]: ": local time, as has always been the custom.
  void append_old_header(const reader::Slice& slice, std::uint32_t i) {
    constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    append_priority(slice.block->group(i).site->info().level);
    const auto second = static_cast<time_t>(slice.block->wall(i) / kNsOfSecond);
    if (second != old_second_ || old_time_.empty()) {
      old_second_ = second;
      std::tm parts{};
      localtime_r(&second, &parts);
      char text[64];
      std::snprintf(text, sizeof text, "%s %2d %02d:%02d:%02d ", kMonths[parts.tm_mon % 12], parts.tm_mday,
                    parts.tm_hour, parts.tm_min, parts.tm_sec);
      old_time_ = text;
    }
    message_ += old_time_;
    if (old_names_.empty()) old_names_ = old_names(slice.block->session().info);
    message_ += old_names_;
  }

  std::string old_names(const format::SessionBlock& session) const {
    constexpr std::size_t kMostHost = 255;
    constexpr std::size_t kMostTag = 32;
    std::string host = header_field(session.host, kMostHost);
    host = host.substr(0, host.find('.'));
    const std::string app = options_.app_name.empty() ? base_name(session.program) : options_.app_name;
    return (options_.host ? host + ' ' : "") + header_field(app, kMostTag, "[]:") + '[' + std::to_string(session.pid) +
           "]: ";
  }

  const SyslogMessage options_;
  const std::unique_ptr<LineFormat> body_;
  TimeText time_;
  std::uint32_t sequence_ = 0;
  ValueRow row_;
  PerEntry<SiteText> sites_;
  std::string names_;
  std::string old_names_;
  std::string old_time_;  // of old_second_
  time_t old_second_ = 0;
  std::string message_;
  ByteBuffer body_text_;
  ByteBuffer text_;
  ByteBuffer value_;
  ByteBuffer escaped_;
};

// https://systemd.io/JOURNAL_NATIVE_PROTOCOL
class JournalLines final : public LineFormat {
 public:
  JournalLines(JournalEntry options, std::unique_ptr<LineFormat> body)
      : options_(std::move(options)), body_(std::move(body)), time_(Zone::kUtc, 'T') {}

  void append(std::span<const reader::Slice> slices, ByteBuffer& out) override {
    each_record(slices, [&](const reader::Slice& slice, std::uint32_t i) { append_record(slice, i, out); });
  }

 private:
  struct SiteText {
    std::string fields;             // that are the same for all of its records
    std::vector<std::string> keys;  // "ARG_QTY"
  };

  void append_record(const reader::Slice& slice, std::uint32_t i, ByteBuffer& out) {
    const reader::DecodedGroup& group = slice.block->group(i);
    const SiteText& site = sites_.get(group.site->ordinal(), [&] { return site_text(*group.site); });
    append_field("MESSAGE", print_body(*body_, slice, i, value_), out);
    put(out, site.fields);
    append_session_fields(slice.block->session().info, out);
    append_field("TID", std::to_string(slice.thread->info.tid), out);
    append_field("STENO_THREAD", slice.thread->display(), out);
    if (!group.logger->info.name.empty()) append_field("STENO_LOGGER", group.logger->info.name, out);
    put(out, "STENO_TIME=");
    time_.append(slice.block->wall(i), out);
    out.put('\n');
    const std::span<const text::Value> values = row_.of(slice, i);
    for (std::size_t a = 0; a < values.size() && a < site.keys.size(); ++a) {
      if (group.site->presences().is_field(a)) continue;
      value_.clear();
      append_value_text(*group.site, a, values, value_);
      append_field(site.keys[a], view_of(value_), out);
    }
    out.put('\n');
  }

  // The size of a value with a line end comes before it, in 8 bytes.
  static void append_field(std::string_view name, std::string_view value, ByteBuffer& out) {
    put(out, name);
    if (value.find('\n') == std::string_view::npos) {
      out.put('=');
    } else {
      out.put('\n');
      out.put(static_cast<std::uint64_t>(value.size()));
    }
    put(out, value);
    out.put('\n');
  }

  void append_session_fields(const format::SessionBlock& session, ByteBuffer& out) {
    if (session_fields_.empty()) {
      ByteBuffer fields;
      append_field("SYSLOG_FACILITY", std::to_string(static_cast<int>(options_.facility)), fields);
      append_field("SYSLOG_IDENTIFIER", options_.app_name.empty() ? base_name(session.program) : options_.app_name,
                   fields);
      session_fields_ = view_of(fields);
    }
    put(out, session_fields_);
  }

  SiteText site_text(const reader::Site& site) const {
    const wire::SiteInfo& info = site.info();
    ByteBuffer fields;
    append_field("PRIORITY", std::to_string(severity_of(info.level)), fields);
    if (!info.file.empty()) append_field("CODE_FILE", info.file, fields);
    if (info.line != 0) append_field("CODE_LINE", std::to_string(info.line), fields);
    if (!info.function.empty()) append_field("CODE_FUNC", info.function, fields);
    SiteText text;
    text.fields = view_of(fields);
    for (const std::string& name : site.argument_names()) text.keys.push_back(field_name(name));
    return text;
  }

  // Capitals, digits and '_', at most 64: journald leaves other fields out.
  std::string field_name(const std::string& name) const {
    constexpr std::size_t kMostName = 64;
    std::string result = options_.argument_prefix;
    for (const char c : name) {
      const char capital = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      result += is_digit(capital) || (capital >= 'A' && capital <= 'Z') ? capital : '_';
    }
    result.resize(std::min(result.size(), kMostName));
    return result;
  }

  const JournalEntry options_;
  const std::unique_ptr<LineFormat> body_;
  TimeText time_;
  ValueRow row_;
  ByteBuffer value_;
  PerEntry<SiteText> sites_;
  std::string session_fields_;
};

}  // namespace

int severity_of(Level level) {
  switch (level) {
    case Level::kTrace:
    case Level::kDebug:
      return 7;
    case Level::kInfo:
      return 6;
    case Level::kNotice:
      return 5;
    case Level::kWarn:
      return 4;
    case Level::kError:
      return 3;
    case Level::kCritical:
      return 2;
  }
  return 6;
}

std::unique_ptr<LineFormat> make_syslog_format(SyslogMessage options, std::unique_ptr<LineFormat> body) {
  return std::make_unique<SyslogLines>(std::move(options), std::move(body));
}

std::unique_ptr<LineFormat> make_journal_format(JournalEntry options, std::unique_ptr<LineFormat> body) {
  return std::make_unique<JournalLines>(std::move(options), std::move(body));
}

}  // namespace steno::lines
