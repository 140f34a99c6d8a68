#include "sink/notice.h"

#include "wire/dictionary.h"

namespace steno::sink {

void declare_notice(ByteBuffer& out) {
  wire::SiteInfo site;
  site.id = kNoticeId;
  site.level = Level::kWarn;
  site.file = "steno";
  site.format = "lines skipped here: {lines} ({reason})";
  site.types = "mS";
  site.stable_id = wire::stable_site_id(site);
  wire::append_entry(out, site);
  wire::append_entry(out, wire::ThreadInfo{kNoticeId, 0, "steno"});
}

std::shared_ptr<const Records> make_notice(std::uint64_t ticks, std::uint64_t lines, std::string_view reason) {
  auto notice = std::make_shared<Records>();
  const std::size_t size = round_up(wire::kArgsOffset + 12 + reason.size(), 8);
  notice->bytes.put(wire::Header{kNoticeId, static_cast<std::uint16_t>(size / 8), 0}.pack());
  notice->bytes.put(ticks);
  notice->bytes.put(lines);
  notice->bytes.put(static_cast<std::uint32_t>(reason.size()));
  notice->bytes.put_bytes(reason.data(), reason.size());
  notice->bytes.pad_to(8);
  notice->runs.push_back({kNoticeId, 0, 1, 0, 0});
  notice->groups.push_back({.site = kNoticeId, .level = Level::kWarn, .records = 1});
  notice->order.push_back(0);
  notice->clocks.push_back(ticks);
  notice->offsets.push_back(0);
  return notice;
}

}  // namespace steno::sink
