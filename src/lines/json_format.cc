#include <bit>
#include <cmath>
#include <utility>

#include "base/ascii.h"
#include "lines/line_format.h"
#include "reader/message.h"

namespace steno::lines {
namespace {

// Appends what print_value makes of it, as a JSON string.
void append_string(const text::Value& value, ByteBuffer& out) {
  out.put('"');
  const std::size_t start = out.size();
  text::print_value(value, out);
  json_escape_tail(out, start);
  out.put('"');
}

// NaN and infinities are no JSON numbers; whatever print_value makes of them starts with no digit.
void append_float(const text::Value& value, ByteBuffer& out) {
  const std::size_t start = out.size();
  text::print_value(value, out);
  const char* text = reinterpret_cast<const char*>(out.data()) + start;
  const std::size_t first = out.size() > start && text[0] == '-' ? 1 : 0;
  if (out.size() > start + first && is_digit(text[first])) return;
  out.truncate(start);
  append_string(value, out);
}

void append_value(const text::Value& value, const text::Meaning* meaning, ByteBuffer& out) {
  if (meaning != nullptr && meaning->kind() == text::Meaning::Kind::kList && value.string.data() != nullptr) {
    char before = '[';
    const std::string_view mark =
        meaning->each(value.string, [&](const text::Value& element, const text::Meaning* of_element) {
          out.put(std::exchange(before, ','));
          append_value(element, of_element, out);
        });
    if (!mark.empty()) {
      out.put(std::exchange(before, ','));
      out.put('"');
      put(out, json_escaped(mark));
      out.put('"');
    }
    if (before == '[') out.put('[');
    return out.put(']');
  }
  if (meaning != nullptr && !meaning->is_number() && meaning->kind() != text::Meaning::Kind::kList) {
    out.put('"');
    const std::size_t start = out.size();
    meaning->print_for_machines(value, out);
    json_escape_tail(out, start);
    return out.put('"');
  }
  switch (value.type) {
    case ArgType::kBool:
      return put(out, value.bits != 0 ? "true" : "false");
    case ArgType::kF32:
    case ArgType::kF64:
    case ArgType::kF80:
    case ArgType::kF128:
      return append_float(value, out);
    case ArgType::kString:
    case ArgType::kString16:
    case ArgType::kString32:
      return value.string.data() == nullptr ? put(out, "null") : append_string(value, out);
    case ArgType::kChar:
    case ArgType::kChar16:
    case ArgType::kChar32:
    case ArgType::kPointer:
      return append_string(value, out);
    case ArgType::kErrno: {
      text::Value number = value;
      number.type = ArgType::kI32;
      return text::print_value(number, out);
    }
    default:
      return text::print_value(value, out);
  }
}

class JsonFormat final : public LineFormat {
 public:
  explicit JsonFormat(const LineOptions& options) : time_(options.zone, 'T') {}

  void append(std::span<const reader::Slice> slices, ByteBuffer& out) override {
    each_record(slices, [&](const reader::Slice& slice, std::uint32_t i) { append_record(slice, i, out); });
  }

 private:
  void append_record(const reader::Slice& slice, std::uint32_t i, ByteBuffer& out) {
    const reader::DecodedGroup& group = slice.block->group(i);
    const SiteText& site = site_text(*group.site);
    put(out, "{\"time\":\"");
    time_.append(slice.block->wall(i), out);
    put(out, site.before_logger);
    put(out, loggers_.get(group.logger->ordinal, [&] { return json_escaped(group.logger->info.name); }));
    put(out, "\",\"thread\":\"");
    put(out, threads_.get(slice.thread->ordinal, [&] { return json_escaped(slice.thread->display()); }));
    put(out, site.before_message);
    const std::span<const text::Value> values = row_.of(slice, i);
    const std::size_t start = out.size();
    reader::append_message(group, values, out);
    json_escape_tail(out, start);
    put(out, "\",\"args\":");
    args_.append(*group.site, values, out);
    put(out, "}\n");
  }

  struct SiteText {
    std::string before_logger;   // from the end of the time on
    std::string before_message;  // from the end of the thread on
  };

  const SiteText& site_text(const reader::Site& site) {
    return sites_.get(site.ordinal(), [&] {
      const wire::SiteInfo& info = site.info();
      SiteText text;
      text.before_logger = std::string("\",\"level\":\"") + level_name(info.level) + "\",\"logger\":\"";
      text.before_message = "\",\"file\":\"" + json_escaped(info.file) + "\",\"line\":" + std::to_string(info.line) +
                            ",\"function\":\"" + json_escaped(info.function) + "\",\"format\":\"" +
                            json_escaped(info.format) + "\",\"message\":\"";
      return text;
    });
  }

  TimeText time_;
  ValueRow row_;
  JsonArgs args_;
  PerEntry<SiteText> sites_;
  PerEntry<std::string> loggers_;
  PerEntry<std::string> threads_;
};

}  // namespace

void JsonArgs::append(const reader::Site& site, std::span<const text::Value> values, ByteBuffer& out) {
  if (values.empty()) return put(out, "{}");
  const std::vector<std::string>& keys = keys_.get(site.ordinal(), [&] {
    std::vector<std::string> made;
    for (const std::string& name : site.argument_names()) {
      made.push_back((made.empty() ? "{\"" : ",\"") + json_escaped(name) + "\":");
    }
    return made;
  });
  const text::Presences& presences = site.presences();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (presences.is_field(i)) continue;
    put(out, keys[i]);
    if (presences.is_absent(i, values)) {
      put(out, "null");
    } else {
      append_value(values[i], site.meaning(i), out);
    }
  }
  out.put('}');
}

std::unique_ptr<LineFormat> make_json_format(const LineOptions& options) {
  return std::make_unique<JsonFormat>(options);
}

}  // namespace steno::lines
