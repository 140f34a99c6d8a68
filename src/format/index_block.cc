#include "format/index_block.h"

#include "format/rows.h"

namespace steno::format {
namespace {

constexpr std::size_t kHeadSize = 32;
constexpr std::size_t kLeastEntry = 2;  // bytes an entry takes at least

Status corrupt(const char* what) {
  return {StatusCode::kCorrupt, what};
}

void append_entry(ByteBuffer& out, const IndexBlock& index, const IndexEntry& entry, std::uint64_t* previous) {
  out.put(static_cast<std::uint8_t>(entry.type));
  out.put_varint(entry.length);
  if (!entry.is_data()) return;
  out.put(entry.levels);
  out.put_varint(entry.records);
  out.put_signed_varint(static_cast<std::int64_t>(entry.min_clock - *previous));
  out.put_varint(entry.max_clock - entry.min_clock);
  *previous = entry.min_clock;
  out.put_varint(entry.runs);
  for (const Run& run : std::span(index.runs).subspan(entry.first_run, entry.runs)) append_run(run, out);
}

std::uint32_t get_u32(ByteReader& in, bool* fits) {
  const std::uint64_t value = in.get_varint();
  *fits = *fits && value <= UINT32_MAX;
  return static_cast<std::uint32_t>(value);
}

// Reads the entry of a data block, after type and length.
Status parse_data_entry(ByteReader& in, IndexBlock* index, IndexEntry* entry, std::uint64_t* previous) {
  bool fits = true;
  entry->levels = in.get<std::uint8_t>();
  entry->records = get_u32(in, &fits);
  entry->min_clock = *previous + static_cast<std::uint64_t>(in.get_signed_varint());
  entry->max_clock = entry->min_clock + in.get_varint();
  *previous = entry->min_clock;
  entry->runs = get_u32(in, &fits);
  entry->first_run = static_cast<std::uint32_t>(index->runs.size());
  if (!in.ok() || !fits || entry->runs > in.remaining() / kLeastRun) return corrupt("the index ends too early");
  if (entry->max_clock < entry->min_clock) return corrupt("the index has a clock range that is upside down");
  std::uint64_t records = 0;
  for (std::uint32_t i = 0; i < entry->runs; ++i) {
    Run run;
    if (!read_run(in, &run)) return corrupt("the index has a damaged run");
    records += run.records;
    index->runs.push_back(run);
  }
  return records == entry->records && records != 0 ? Status() : corrupt("the index has runs that do not add up");
}

// Bytes that are no such list count as none: a list comes after all that an index must have.
std::vector<std::uint64_t> read_earlier(ByteReader& in, std::uint64_t offset) {
  std::vector<std::uint64_t> earlier;
  const std::uint64_t count = in.get_varint();
  for (std::uint64_t i = 0; i < count && i < kMostEarlier; ++i) {
    const std::uint64_t distance = in.get_varint();
    if (!in.ok() || distance == 0 || distance > offset) return {};
    offset -= distance;
    earlier.push_back(offset);
  }
  return earlier;
}

}  // namespace

void append_index_block(ByteBuffer& out, const IndexBlock& index, SessionTag tag) {
  const std::size_t start = begin_block(out, BlockType::kIndex, tag);
  out.put(index.session_id);
  out.put(index.session_offset);
  out.put(index.begin);
  out.put(index.offset);
  out.put_varint(index.entries.size());
  std::uint64_t previous = 0;
  for (const IndexEntry& entry : index.entries) append_entry(out, index, entry, &previous);
  if (!index.earlier.empty()) out.put_varint(index.earlier.size());
  std::uint64_t after = index.offset;
  for (const std::uint64_t offset : index.earlier) {
    out.put_varint(after - offset);
    after = offset;
  }
  end_block(out, start);
}

bool peek_index_block(std::span<const std::uint8_t> payload, IndexBlock* head) {
  if (payload.size() < kHeadSize) return false;
  head->session_id = load<std::uint64_t>(payload.data());
  head->session_offset = load<std::uint64_t>(payload.data() + 8);
  head->begin = load<std::uint64_t>(payload.data() + 16);
  head->offset = load<std::uint64_t>(payload.data() + 24);
  return true;
}

Result<IndexBlock> parse_index_block(std::span<const std::uint8_t> payload) {
  IndexBlock index;
  if (!peek_index_block(payload, &index)) return corrupt("the index ends too early");
  ByteReader in(payload.data() + kHeadSize, payload.size() - kHeadSize);
  const std::uint64_t count = in.get_varint();
  if (!in.ok() || count > in.remaining() / kLeastEntry) return corrupt("the index ends too early");
  index.entries.reserve(count);
  std::uint64_t at = index.begin;
  std::uint64_t previous = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    IndexEntry entry;
    entry.type = static_cast<BlockType>(in.get<std::uint8_t>());
    const std::uint64_t length = in.get_varint();
    if (!in.ok() || length > kMaxPayload) return corrupt("the index has a block that is too long");
    entry.length = static_cast<std::uint32_t>(length);
    if (entry.is_data()) {
      if (Status status = parse_data_entry(in, &index, &entry, &previous); !status.ok()) return status;
    }
    if (index.offset - at < entry.total_size() || at > index.offset) return corrupt("the index has more than there is");
    at += entry.total_size();
    index.entries.push_back(entry);
  }
  if (at != index.offset) return corrupt("the index has less than there is");
  if (in.remaining() != 0) index.earlier = read_earlier(in, index.offset);
  return index;
}

}  // namespace steno::format
