#include "format/index_block.h"

#include <algorithm>

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
  if (entry->records > kMaxRecords) return corrupt("the index has more records than a block");
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

void append_earlier(ByteBuffer& out, const IndexBlock& index) {
  out.put_varint(index.earlier.size());
  std::uint64_t after = index.offset;
  for (const std::uint64_t offset : index.earlier) {
    out.put_varint(after - offset);
    after = offset;
  }
}

// Bytes that are no such list count as none: a list comes after all that an index must have. Beyond kMostEarlier they
// are passed over. False: what comes after it cannot be read.
bool read_earlier(ByteReader& in, std::uint64_t offset, std::vector<std::uint64_t>* earlier) {
  const std::uint64_t count = in.get_varint();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t distance = in.get_varint();
    if (!in.ok() || distance == 0 || distance > offset) {
      earlier->clear();
      return false;
    }
    offset -= distance;
    if (earlier->size() < kMostEarlier) earlier->push_back(offset);
  }
  return in.ok();
}

void append_sites(ByteBuffer& out, std::span<const SiteCount> sites) {
  out.put_varint(sites.size());
  std::uint32_t previous = 0;
  for (const SiteCount& count : sites) {
    out.put_varint(count.site - previous);
    out.put_varint(count.records);
    previous = count.site;
  }
}

// Reads the statements of one block. False: they are not what a writer says.
bool read_sites(ByteReader& in, IndexBlock* index, IndexEntry* entry) {
  const std::uint64_t count = in.get_varint();
  if (!in.ok() || count > kMostSites) return false;
  entry->first_site = static_cast<std::uint32_t>(index->sites.size());
  entry->sites = static_cast<std::uint32_t>(count);
  std::uint64_t site = 0;
  std::uint64_t records = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t step = in.get_varint();
    const std::uint64_t of_site = in.get_varint();
    if (!in.ok() || step == 0 || step > UINT32_MAX - site || of_site == 0 || of_site > entry->records) return false;
    site += step;
    records += of_site;
    index->sites.push_back({static_cast<std::uint32_t>(site), static_cast<std::uint32_t>(of_site)});
  }
  return count == 0 || records == entry->records;
}

void read_all_sites(ByteReader& in, IndexBlock* index) {
  const auto read = [&](IndexEntry& entry) { return !entry.is_data() || read_sites(in, index, &entry); };
  if (std::all_of(index->entries.begin(), index->entries.end(), read)) return;
  for (IndexEntry& entry : index->entries) entry.first_site = entry.sites = 0;
  index->sites.clear();
}

}  // namespace

void merge_sites(std::vector<SiteCount>* sites, std::size_t first) {
  const auto begin = sites->begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, sites->end(), [](const SiteCount& a, const SiteCount& b) { return a.site < b.site; });
  auto last = begin;
  for (auto next = begin; next != sites->end(); ++next) {
    if (next == begin) continue;
    if (next->site == last->site) {
      last->records += next->records;
    } else {
      *++last = *next;
    }
  }
  if (begin != sites->end()) sites->erase(last + 1, sites->end());
  if (sites->size() - first > kMostSites) sites->resize(first);
}

void append_index_block(ByteBuffer& out, const IndexBlock& index, SessionTag tag) {
  const std::size_t start = begin_block(out, BlockType::kIndex, tag);
  out.put(index.session_id);
  out.put(index.session_offset);
  out.put(index.begin);
  out.put(index.offset);
  out.put_varint(index.entries.size());
  std::uint64_t previous = 0;
  for (const IndexEntry& entry : index.entries) append_entry(out, index, entry, &previous);
  append_earlier(out, index);
  for (const IndexEntry& entry : index.entries) {
    if (entry.is_data()) append_sites(out, std::span(index.sites).subspan(entry.first_site, entry.sites));
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
  if (in.remaining() != 0 && read_earlier(in, index.offset, &index.earlier) && in.remaining() != 0) {
    read_all_sites(in, &index);
  }
  return index;
}

}  // namespace steno::format
