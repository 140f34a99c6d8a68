// Makes .steno files for tests out of lists of records, as a scribe would: session, dictionary, data, clock, end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "format/clock_block.h"
#include "format/data_writer.h"
#include "format/end_block.h"
#include "format/session_block.h"
#include "format/strings/shared/codec.h"
#include "wire/dictionary.h"
#include "wire/record.h"

namespace steno::test {

// Arguments of one record, in wire form. Types are those of the calls: Args().add<int32_t>('i', 5).text("db1") is "iS".
class Args {
 public:
  template <class T>
  Args& add(char type, T value) {
    types_ += type;
    fixed_.put(value);
    return *this;
  }
  Args& i32(std::int32_t v) { return add('i', v); }
  Args& u64(std::uint64_t v) { return add('m', v); }
  Args& f64(double v) { return add('d', v); }
  // Bytes of a string type; of U and W in whole units.
  Args& text(std::string_view bytes, char type = 'S') {
    types_ += type;
    fixed_.put(static_cast<std::uint32_t>(bytes.size()));
    payloads_ += bytes;
    return *this;
  }
  Args& null_text(char type = 'S') { return add(type, kNullString); }

  const std::string& types() const { return types_; }
  void append_to(ByteBuffer& out) const {
    out.put_bytes(fixed_.data(), fixed_.size());
    out.put_bytes(payloads_.data(), payloads_.size());
  }

  Args() = default;
  Args(const Args& other) : types_(other.types_), payloads_(other.payloads_) {
    fixed_.put_bytes(other.fixed_.data(), other.fixed_.size());
  }

 private:
  std::string types_;
  ByteBuffer fixed_;
  std::string payloads_;
};

class FileBuilder {
 public:
  // rows: data blocks are rows blocks, else columns. share: blocks share strings.
  explicit FileBuilder(bool rows = false, bool share = false)
      : writer_(format::WriterOptions{.rows_below = rows ? 1u << 23 : 0,
                                      .shared_bytes = share ? format::SharedStrings::kMostBytes : 0}) {}

  // Starts a session. Ticks are nanoseconds since the epoch unless `kind` says otherwise.
  FileBuilder& session(std::uint64_t id = kId, std::uint32_t kind = 3, std::uint32_t pid = 4242,
                       std::int64_t start = kStart) {
    format::SessionBlock block;
    block.pid = pid;
    block.session_id = id;
    block.start_wall = start;
    block.clock_kind = kind;
    block.program = "testprog";
    block.host = "testhost";
    block.steno_version = "0.1.0";
    return session(block);
  }
  FileBuilder& session(const format::SessionBlock& block) {
    tag_ = format::session_tag(block.session_id, block.version);
    format::append_session_block(out_, block);
    writer_.begin_stretch();
    layouts_.clear();
    levels_.clear();
    rings_.clear();
    session_records_ = 0;
    return *this;
  }

  // Declares a site; it is written with the next data block.
  FileBuilder& site(std::uint32_t id, Level level, std::string format, std::string types, std::uint32_t line = 0,
                    wire::Style style = wire::Style::kBrace, std::string file = "src/server.cc") {
    wire::SiteInfo info;
    info.id = id;
    info.level = level;
    info.style = style;
    info.line = line != 0 ? line : id;
    info.format = std::move(format);
    info.file = std::move(file);
    info.function = "serve";
    info.types = std::move(types);
    info.stable_id = wire::stable_site_id(info);
    return declare_in_file(std::move(info));
  }
  // Adds a site with meanings (types.md) of arguments by index, and names of the last types, which are fields.
  FileBuilder& site_with_meanings(std::uint32_t id, std::string format, std::string types,
                                  std::vector<wire::TypeMeaning> meanings, std::vector<std::string> fields = {}) {
    wire::SiteInfo info;
    info.id = info.line = id;
    info.format = std::move(format);
    info.file = "src/server.cc";
    info.function = "serve";
    info.types = std::move(types);
    info.meanings = std::move(meanings);
    info.context = std::move(fields);
    info.stable_id = wire::stable_site_id(info);
    return declare_in_file(std::move(info));
  }
  // Adds the same statement as `of`, with fields of context.
  FileBuilder& site_in_context(std::uint32_t id, std::uint32_t of, const std::string& types,
                               std::vector<std::string> names) {
    wire::SiteInfo info = sites_.at(of);
    info.id = id;
    info.types += types;
    info.context.insert(info.context.end(), names.begin(), names.end());
    return declare_in_file(std::move(info));
  }
  FileBuilder& logger(std::uint32_t id, std::string name) {
    wire::append_entry(dictionary_, wire::LoggerInfo{id, std::move(name)});
    return *this;
  }
  // A thread takes over a ring (or is renamed): a *thread* record, which its sequence does not count.
  FileBuilder& thread(std::uint32_t ring, std::uint32_t index, std::string name, std::uint64_t tid = 0) {
    end_run(rings_[ring]);
    rings_[ring].thread = index;
    wire::append_entry(dictionary_, wire::ThreadInfo{index, tid != 0 ? tid : 1000 + index, std::move(name)});
    return *this;
  }
  FileBuilder& log(std::uint32_t ring, std::uint32_t site, std::uint64_t ticks, const Args& args = {},
                   std::uint16_t logger = 0) {
    Ring& r = rings_[ring];
    if (r.runs.empty() || !r.open) {
      r.runs.push_back({r.thread, ring, 0, r.seq, 0});
      r.open = true;
    }
    ByteBuffer record;
    record.put(std::uint64_t{0});
    record.put(ticks);
    args.append_to(record);
    record.pad_to(8);
    wire::Header header;
    header.site = site;
    header.size8 = static_cast<std::uint16_t>(record.size() / 8);
    header.logger = logger;
    store(record.data(), header.pack());
    ++r.runs.back().records;
    ++r.seq;
    r.position += record.size();
    r.runs.back().end = r.position;
    r.records.push_back({site, logger, ticks, std::string(reinterpret_cast<char*>(record.data()), record.size())});
    return *this;
  }
  // Continues as if `n` records of the ring had gone missing here.
  FileBuilder& skip(std::uint32_t ring, std::uint64_t n) {
    end_run(rings_[ring]);
    rings_[ring].seq += n;
    session_records_ += n;
    return *this;
  }

  // Writes what was declared and logged since the last block as one data block.
  FileBuilder& flush() {
    write_dictionary();
    write_data();
    return *this;
  }
  // Begins a stretch, as after an index block: strings are written again.
  FileBuilder& begin_stretch() {
    writer_.begin_stretch();
    return *this;
  }
  FileBuilder& clock(std::vector<format::ClockPoint> points) {
    format::append_clock_block(out_, points, tag_);
    return *this;
  }
  FileBuilder& end(std::uint64_t dropped = 0, bool died = false) {
    flush();
    format::EndBlock block;
    block.records = session_records_;
    for (const auto& [ring, state] : rings_) {
      block.rings.push_back({ring, state.seq, state.position, block.rings.empty() ? dropped : 0});
    }
    block.died = died;
    format::append_end_block(out_, block, tag_);
    return *this;
  }
  FileBuilder& raw(std::string_view bytes) {
    out_.put_bytes(bytes.data(), bytes.size());
    return *this;
  }

  FileBuilder& block(format::BlockType type, const ByteBuffer& payload) {
    const std::size_t start = format::begin_block(out_, type, tag_);
    out_.put_bytes(payload.data(), payload.size());
    format::end_block(out_, start);
    return *this;
  }

  // Returns the offset of the next block.
  std::size_t size() const { return out_.size(); }
  std::string bytes() const { return std::string(reinterpret_cast<const char*>(out_.data()), out_.size()); }

  static constexpr std::int64_t kStart = 1'800'000'000'000'000'000;  // 2027-01-15T08:00:00Z
  static constexpr std::uint64_t kId = 0x1234;

 private:
  FileBuilder& declare_in_file(wire::SiteInfo info) {
    wire::append_entry(dictionary_, info);
    declare(info);
    sites_[info.id] = std::move(info);
    return *this;
  }

  struct LoggedRecord {
    std::uint32_t site;
    std::uint16_t logger;
    std::uint64_t ticks;
    std::string bytes;
  };
  struct Ring {
    std::uint32_t thread = 0;
    std::uint64_t seq = 0;
    std::uint64_t position = 0;
    bool open = false;
    std::vector<format::Run> runs;
    std::vector<LoggedRecord> records;
  };

  void declare(const wire::SiteInfo& info) {
    wire::Layout layout;
    if (!wire::Layout::parse(info.types, &layout)) layout = {};
    layouts_[info.id] = layout;
    levels_[info.id] = info.level;
  }
  static void end_run(Ring& ring) { ring.open = false; }

  void write_dictionary() {
    if (dictionary_.empty()) return;
    block(format::BlockType::kDictionary, dictionary_);
    dictionary_.clear();
  }

  void write_data() {
    std::vector<format::Run> runs;
    std::vector<LoggedRecord> records;
    for (auto& [number, ring] : rings_) {
      runs.insert(runs.end(), ring.runs.begin(), ring.runs.end());
      for (auto& record : ring.records) records.push_back(std::move(record));
      ring.runs.clear();
      ring.records.clear();
      ring.open = false;
    }
    if (records.empty()) return;
    session_records_ += records.size();

    std::map<std::pair<std::uint32_t, std::uint16_t>, std::vector<std::uint32_t>> members;
    ByteBuffer base;
    std::vector<std::uint64_t> clocks;
    std::vector<std::uint32_t> all_offsets;
    for (std::uint32_t i = 0; i < records.size(); ++i) {
      members[{records[i].site, records[i].logger}].push_back(i);
      all_offsets.push_back(static_cast<std::uint32_t>(base.size() / 8));
      clocks.push_back(records[i].ticks);
      base.put_bytes(records[i].bytes.data(), records[i].bytes.size());
    }
    std::vector<format::Group> groups;
    std::vector<std::uint32_t> order(records.size());
    std::vector<std::uint32_t> offsets;
    for (const auto& [key, list] : members) {
      format::Group group;
      group.site = key.first;
      group.logger = key.second;
      group.level = level_of(key.first);
      group.layout = &layout_of(key.first);
      group.first = static_cast<std::uint32_t>(offsets.size());
      group.records = static_cast<std::uint32_t>(list.size());
      for (const std::uint32_t i : list) {
        order[i] = static_cast<std::uint32_t>(groups.size());
        offsets.push_back(all_offsets[i]);
      }
      groups.push_back(group);
    }
    base.reserve(64);  // gathering may read past a record
    format::BlockInput input;
    input.base = reinterpret_cast<const std::byte*>(base.data());
    input.runs = runs;
    input.groups = groups;
    input.order = order;
    input.clocks = clocks;
    input.offsets = offsets;
    writer_.write(input, tag_, out_);
  }

  Level level_of(std::uint32_t site) const {
    const auto found = levels_.find(site);
    return found != levels_.end() ? found->second : Level::kWarn;
  }
  const wire::Layout& layout_of(std::uint32_t site) {
    if (layouts_.count(site) == 0) {
      if (const wire::SiteInfo* known = wire::protocol_site(site); known != nullptr) declare(*known);
    }
    return layouts_[site];
  }

  format::DataWriter writer_;
  ByteBuffer out_;
  ByteBuffer dictionary_;
  format::SessionTag tag_;
  std::uint64_t session_records_ = 0;
  std::map<std::uint32_t, wire::Layout> layouts_;
  std::map<std::uint32_t, Level> levels_;
  std::map<std::uint32_t, wire::SiteInfo> sites_;
  std::map<std::uint32_t, Ring> rings_;
};

}  // namespace steno::test
