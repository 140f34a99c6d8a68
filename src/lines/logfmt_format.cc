#include <cctype>
#include <cstring>
#include <unordered_set>

#include "lines/line_format.h"
#include "reader/message.h"

namespace steno::lines {
namespace {

// Names of the line's own fields: an argument of the same name gets "arg_" before it.
const std::unordered_set<std::string> kOwnNames = {"time", "level", "logger", "thread", "site", "msg"};
// These are added where it shows the process.
const std::unordered_set<std::string> kOriginNames = {"pid", "program", "host"};

std::string value_text(std::string_view text) {
  ByteBuffer out;
  append_logfmt_value(text, out);
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

// "time=... level=info logger=net thread=main site=server.cc:120 msg="..." qty=3 client=acme", as many tools take it.
class LogfmtFormat final : public LineFormat {
 public:
  explicit LogfmtFormat(const LineOptions& options)
      : origin_(options.origin), time_(options.zone, 'T', options.times) {}

  void append(std::span<const reader::Slice> slices, ByteBuffer& out) override {
    each_record(slices, [&](const reader::Slice& slice, std::uint32_t i) { append_record(slice, i, out); });
  }

 private:
  struct SiteText {
    std::string level;              // from the end of the time on
    std::string site;               // from the end of the thread on, up to the message
    std::vector<std::string> keys;  // " qty="
  };

  void append_record(const reader::Slice& slice, std::uint32_t i, ByteBuffer& out) {
    const reader::DecodedGroup& group = slice.block->group(i);
    const SiteText& site = sites_.get(group.site->ordinal(), [&] { return site_text(*group.site); });
    put(out, "time=");
    time_.append(slice.block->wall(i), out);
    put(out, site.level);
    put(out, loggers_.get(group.logger->ordinal, [&] {
      return group.logger->info.name.empty() ? std::string() : " logger=" + value_text(group.logger->info.name);
    }));
    put(out, threads_.get(slice.thread->ordinal, [&] { return thread_of(slice); }));
    put(out, site.site);
    const std::span<const text::Value> values = row_.of(slice, i);
    scratch_.clear();
    reader::append_message(group, values, scratch_);
    out.put('"');
    append_json(view(), out);
    out.put('"');
    const text::Presences& presences = group.site->presences();
    for (std::size_t a = 0; a < values.size(); ++a) {
      if (presences.is_field(a)) continue;
      append_argument(site.keys[a], values[a], group.site->meaning(a), presences.is_absent(a, values), out);
    }
    out.put('\n');
  }

  void append_argument(const std::string& key, const text::Value& value, const text::Meaning* meaning, bool is_absent,
                       ByteBuffer& out) {
    put(out, key);
    if (is_absent || (is_string(value.type) && value.string.data() == nullptr)) return put(out, "null");
    scratch_.clear();
    text::Value shown = value;
    if (value.type == ArgType::kErrno) shown.type = ArgType::kI32;
    text::print_value(shown, meaning, scratch_);
    append_logfmt_value(view(), out);
  }

  // With its process, if that is shown.
  std::string thread_of(const reader::Slice& slice) const {
    const std::string thread = " thread=" + value_text(slice.thread->display());
    if (!origin_.any()) return thread;
    const format::SessionBlock& session = slice.block->session().info;
    return thread + " pid=" + std::to_string(session.pid) + " program=" + value_text(session.program) +
           " host=" + value_text(session.host);
  }

  bool is_own(const std::string& key) const {
    return kOwnNames.count(key) != 0 || (origin_.any() && kOriginNames.count(key) != 0);
  }

  SiteText site_text(const reader::Site& site) const {
    const wire::SiteInfo& info = site.info();
    SiteText text;
    std::string level = level_name(info.level);
    for (char& c : level) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    text.level = " level=" + level;
    const std::string file = info.file.substr(info.file.rfind('/') + 1);
    text.site = " site=" + value_text((file.empty() ? "?" : file) + ":" + std::to_string(info.line)) + " msg=";
    for (const std::string& name : site.argument_names()) {
      const std::string key = logfmt_key(name);
      const bool number = !key.empty() && std::isdigit(static_cast<unsigned char>(key[0])) != 0;
      text.keys.push_back((number || is_own(key) ? " arg_" : " ") + key + "=");
    }
    return text;
  }

  std::string_view view() const { return {reinterpret_cast<const char*>(scratch_.data()), scratch_.size()}; }

  Origin origin_;
  TimeText time_;
  ValueRow row_;
  ByteBuffer scratch_;
  PerEntry<SiteText> sites_;
  PerEntry<std::string> loggers_;
  PerEntry<std::string> threads_;
};

}  // namespace

std::unique_ptr<LineFormat> make_logfmt_format(const LineOptions& options) {
  return std::make_unique<LogfmtFormat>(options);
}

}  // namespace steno::lines
