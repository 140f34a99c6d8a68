// Lines that have the columns that somebody asked for, and nothing else.
#include <utility>

#include "base/unique_names.h"
#include "lines/json_value.h"
#include "lines/line_format.h"
#include "reader/message.h"

namespace steno::lines {
namespace {

class ColumnsFormat final : public LineFormat {
 public:
  ColumnsFormat(LineKind kind, LineOptions options)
      : kind_(kind), options_(std::move(options)), time_(options_.zone, separator(), options_.times) {
    for (const Piece& piece : options_.pattern) {
      styled_times_.emplace_back(options_.zone, separator(), piece.times);
      names_.push_back(piece.literal);
    }
    make_unique(names_);
  }

  void begin(ByteBuffer& out) override {
    if (kind_ != LineKind::kCsv) return;
    for (std::size_t c = 0; c < names_.size(); ++c) {
      if (c != 0) out.put(',');
      append_csv(names_[c], out);
    }
    put(out, "\r\n");
  }

  void append(std::span<const reader::Slice> slices, ByteBuffer& out) override {
    each_record(slices, [&](const reader::Slice& slice, std::uint32_t i) { append_record(slice, i, out); });
  }

 private:
  char separator() const { return kind_ == LineKind::kText ? ' ' : 'T'; }

  // A column of one record; in text_, unless it is absent.
  enum class Found { kAbsent, kText, kNumber, kJson };

  void append_record(const reader::Slice& slice, std::uint32_t i, ByteBuffer& out) {
    const std::span<const text::Value> values = row_.of(slice, i);
    bool first = true;
    for (std::size_t c = 0; c < names_.size(); ++c) {
      text_.clear();
      const Found found = find(options_.pattern[c], slice, i, values);
      append_column(names_[c], found, first, out);
      first = first && kind_ == LineKind::kLogfmt && found == Found::kAbsent;
    }
    put(out, kind_ == LineKind::kJson ? "}\n" : kind_ == LineKind::kCsv ? "\r\n" : "\n");
  }

  std::string_view text() const { return {reinterpret_cast<const char*>(text_.data()), text_.size()}; }

  void append_column(const std::string& name, Found found, bool first, ByteBuffer& out) {
    switch (kind_) {
      case LineKind::kText:
        if (!first) out.put('\t');
        return found == Found::kAbsent ? out.put('-') : append_line_text(out);
      case LineKind::kCsv:
        if (!first) out.put(',');
        return append_csv(text(), out);
      case LineKind::kLogfmt:
        if (found == Found::kAbsent) return;
        put(out, first ? "" : " ");
        put(out, logfmt_key(name));
        out.put('=');
        return append_logfmt_value(text(), out);
      case LineKind::kJson:
        put(out, first ? "{\"" : ",\"");
        append_json(name, out);
        put(out, "\":");
        if (found == Found::kAbsent) return put(out, "null");
        return found == Found::kText ? append_quoted(out) : put(out, text());
    }
  }

  // Tabs separate columns.
  void append_line_text(ByteBuffer& out) {
    std::string line = escaped(text(), options_.escape);
    for (std::size_t at = line.find('\t'); at != std::string::npos; at = line.find('\t', at))
      line.replace(at, 1, "\\t");
    put(out, line);
  }

  void append_quoted(ByteBuffer& out) {
    out.put('"');
    append_json(text(), out);
    out.put('"');
  }

  Found text_of(std::string_view text) {
    put(text_, text);
    return Found::kText;
  }
  Found number_of(std::uint64_t value) {
    put(text_, std::to_string(value));
    return Found::kNumber;
  }

  Found find(const Piece& piece, const reader::Slice& slice, std::uint32_t i, std::span<const text::Value> values) {
    const reader::DecodedGroup& group = slice.block->group(i);
    const wire::SiteInfo& info = group.site->info();
    const format::SessionBlock& session = slice.block->session().info;
    switch (piece.field) {
      case Field::kTime:
        time_.append(slice.block->wall(i), text_);
        return Found::kText;
      case Field::kStyledTime:
        styled_times_[static_cast<std::size_t>(&piece - options_.pattern.data())].append(slice.block->wall(i), text_);
        return Found::kText;
      case Field::kLevel:
      case Field::kPaddedLevel:
        return text_of(level_name(info.level));
      case Field::kLevelCode:
        return text_of(std::string_view(level_name(info.level)).substr(0, 1));
      case Field::kLogger:
      case Field::kLoggerIfNamed:
        return text_of(group.logger->info.name);
      case Field::kThread:
      case Field::kOriginAndThread:
        return text_of(slice.thread->display());
      case Field::kTid:
        return number_of(slice.thread->info.tid);
      case Field::kFile:
        return text_of(info.file);
      case Field::kBasename:
        return text_of(group.site->known() ? info.file.substr(info.file.rfind('/') + 1) : "?");
      case Field::kSite:
        return text_of(info.file + ":" + std::to_string(info.line));
      case Field::kLine:
        return number_of(info.line);
      case Field::kFunction:
        return text_of(info.function);
      case Field::kFormat:
        return text_of(info.format);
      case Field::kMessage:
        reader::append_message(group, values, text_);
        return Found::kText;
      case Field::kArgs:
        args_.append(*group.site, values, text_);
        return Found::kJson;
      case Field::kContext:
      case Field::kContextIfAny:
        return context_of(*group.site, values);
      case Field::kArgument:
        return argument_of(*group.site, piece.literal, values);
      case Field::kSequence:
        return number_of(slice.block->sequence(i));
      case Field::kPid:
        return number_of(session.pid);
      case Field::kProgram:
        return text_of(session.program);
      case Field::kHost:
        return text_of(session.host);
      case Field::kLiteral:
        break;
    }
    return Found::kAbsent;
  }

  Found argument_of(const reader::Site& site, const std::string& name, std::span<const text::Value> values) {
    const auto index = site.find_argument(name);
    if (!index || *index >= values.size() || site.presences().is_absent(*index, values)) return Found::kAbsent;
    return value_of(values[*index], site.meaning(*index));
  }

  Found value_of(const text::Value& value, const text::Meaning* meaning) {
    if (is_string(value.type) && value.string.data() == nullptr) return Found::kAbsent;
    if (kind_ == LineKind::kJson) {
      append_json_value(value, meaning, text_, options_.big_integers);
      return Found::kJson;
    }
    text::print_value(value, meaning, text_);
    return Found::kText;
  }

  // "request_id=7 tenant=acme"; in JSON an object.
  Found context_of(const reader::Site& site, std::span<const text::Value> values) {
    const std::vector<std::string>& names = site.argument_names();
    const std::size_t fields = std::min(site.info().context.size(), values.size());
    const bool json = kind_ == LineKind::kJson;
    for (std::size_t i = values.size() - fields; i < values.size(); ++i) {
      if (site.presences().is_field(i)) continue;
      if (text_.size() != 0) out_separator(json);
      if (json) {
        put(text_, text_.size() == 0 ? "{\"" : "\"");
        append_json(names[i], text_);
        put(text_, "\":");
        append_json_value(values[i], site.meaning(i), text_, options_.big_integers);
      } else {
        put(text_, names[i] + "=");
        text::print_value(values[i], site.meaning(i), text_);
      }
    }
    if (text_.size() == 0) return Found::kAbsent;
    if (json) text_.put('}');
    return json ? Found::kJson : Found::kText;
  }
  void out_separator(bool json) { text_.put(json ? ',' : ' '); }

  const LineKind kind_;
  const LineOptions options_;
  TimeText time_;
  std::vector<std::string> names_;      // by column, each once
  std::vector<TimeText> styled_times_;  // by column
  ValueRow row_;
  JsonArgs args_{options_.big_integers};
  ByteBuffer text_;
};

}  // namespace

std::unique_ptr<LineFormat> make_columns_format(LineKind kind, LineOptions options) {
  return std::make_unique<ColumnsFormat>(kind, std::move(options));
}

}  // namespace steno::lines
