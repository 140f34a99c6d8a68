#include "lines/line_format.h"
#include "reader/message.h"

namespace steno::lines {
namespace {

// RFC 4180: a header line, CR LF, quotes where needed. Line breaks inside a message stay, in quotes; on a terminal they
// are escaped like other control characters.
class CsvFormat final : public LineFormat {
 public:
  explicit CsvFormat(const LineOptions& options)
      : escape_(options.escape == Escape::kTerminal ? Escape::kTerminal : Escape::kRaw),
        origin_(options.origin),
        time_(options.zone, 'T', options.times) {}

  void begin(ByteBuffer& out) override {
    put(out, "time,level,logger,thread,file,line,function,format,message,args");
    put(out, origin_.any() ? ",pid,program,host\r\n" : "\r\n");
  }

  void append(std::span<const reader::Slice> slices, ByteBuffer& out) override {
    each_record(slices, [&](const reader::Slice& slice, std::uint32_t i) { append_record(slice, i, out); });
  }

 private:
  void append_record(const reader::Slice& slice, std::uint32_t i, ByteBuffer& out) {
    const reader::DecodedGroup& group = slice.block->group(i);
    const SiteText& site = site_text(*group.site);
    time_.append(slice.block->wall(i), out);
    put(out, site.level);
    put(out, loggers_.get(group.logger->ordinal, [&] { return field(group.logger->info.name); }));
    put(out, ",");
    put(out, threads_.get(slice.thread->ordinal, [&] { return field(slice.thread->display()); }));
    put(out, site.rest);
    const std::span<const text::Value> values = row_.of(slice, i);
    scratch_.clear();
    reader::append_message(group, values, scratch_);
    escape_tail(scratch_, 0, escape_);
    append_csv(view(), out);
    out.put(',');
    scratch_.clear();
    args_.append(*group.site, values, scratch_);
    append_csv(view(), out);
    if (origin_.any()) put(out, origins_.get(slice.thread->ordinal, [&] { return origin_of(slice); }));
    put(out, "\r\n");
  }

  struct SiteText {
    std::string level;
    std::string rest;
  };

  std::string_view view() const { return {reinterpret_cast<const char*>(scratch_.data()), scratch_.size()}; }

  std::string field(std::string_view text) const {
    ByteBuffer out;
    append_csv(escaped(text, escape_), out);
    return std::string(reinterpret_cast<const char*>(out.data()), out.size());
  }

  std::string origin_of(const reader::Slice& slice) const {
    const format::SessionBlock& session = slice.block->session().info;
    return "," + std::to_string(session.pid) + "," + field(session.program) + "," + field(session.host);
  }

  const SiteText& site_text(const reader::Site& site) {
    return sites_.get(site.ordinal(), [&] {
      const wire::SiteInfo& info = site.info();
      SiteText text;
      text.level.append(",").append(level_name(info.level)).append(",");
      for (const std::string& part :
           {field(info.file), std::to_string(info.line), field(info.function), field(info.format)}) {
        text.rest.append(",").append(part);
      }
      text.rest += ',';
      return text;
    });
  }

  Escape escape_;
  Origin origin_;
  TimeText time_;
  ValueRow row_;
  JsonArgs args_;
  ByteBuffer scratch_;
  PerEntry<SiteText> sites_;
  PerEntry<std::string> loggers_;
  PerEntry<std::string> threads_;
  PerEntry<std::string> origins_;  // by thread, too
};

}  // namespace

std::unique_ptr<LineFormat> make_csv_format(const LineOptions& options) {
  return std::make_unique<CsvFormat>(options);
}

}  // namespace steno::lines
