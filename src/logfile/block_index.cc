#include "logfile/block_index.h"

#include <algorithm>

namespace steno::logfile {
namespace {

// Bytes of a block for each of its statements in the index, which takes some three.
constexpr std::uint32_t kBytesOfSite = 3 * 64;

}  // namespace

void BlockIndex::begin(std::uint64_t session_id) {
  restart(0);
  index_.earlier.clear();
  index_.entries.reserve(1024);
  index_.runs.reserve(4096);
  index_.sites.reserve(4096);
  index_.session_id = session_id;
  known_session_ = false;
}

void BlockIndex::restart(std::uint64_t begin) {
  index_.entries.clear();
  index_.runs.clear();
  index_.sites.clear();
  index_.begin = begin;
  end_ = begin;
}

void BlockIndex::fill_data_entry(const format::BlockInput& input, const std::uint8_t* payload,
                                 format::IndexEntry* entry) {
  entry->records = static_cast<std::uint32_t>(input.order.size());
  if (entry->type == format::BlockType::kColumns) {  // file.md §6: it begins with them
    entry->min_clock = load<std::uint64_t>(payload);
    entry->max_clock = load<std::uint64_t>(payload + 8);
  } else {
    const auto [least, greatest] = std::minmax_element(input.clocks.begin(), input.clocks.end());
    entry->min_clock = *least;
    entry->max_clock = *greatest;
  }
  for (const format::Group& group : input.groups) {
    entry->levels = static_cast<std::uint8_t>(entry->levels | 1u << static_cast<unsigned>(group.level));
  }
}

// A statement has a group for each of its loggers.
void BlockIndex::add_sites(const format::BlockInput& input, format::IndexEntry* entry) {
  std::vector<format::SiteCount>& sites = index_.sites;
  const std::size_t first = sites.size();
  for (const format::Group& group : input.groups) sites.push_back({group.site, group.records});
  format::merge_sites(&sites, first);
  if (sites.size() - first > entry->length / kBytesOfSite) sites.resize(first);
  entry->first_site = static_cast<std::uint32_t>(first);
  entry->sites = static_cast<std::uint32_t>(sites.size() - first);
}

void BlockIndex::wrote(const ByteBuffer& blocks, const format::BlockInput* input, std::uint64_t end) {
  std::uint64_t at = end - blocks.size();
  if (at != end_) restart(at);
  format::BlockHeader header;
  for (std::size_t i = 0; i < blocks.size() && format::parse_header(blocks.data() + i, blocks.size() - i, &header);
       i += header.total_size()) {
    format::IndexEntry entry;
    entry.type = header.type;
    entry.length = header.length;
    if (header.type == format::BlockType::kSession) {
      index_.session_offset = at + i;
      known_session_ = true;
    }
    if (entry.is_data() && input != nullptr) {
      fill_data_entry(*input, blocks.data() + i + format::kBlockHeaderSize, &entry);
      entry.first_run = static_cast<std::uint32_t>(index_.runs.size());
      entry.runs = static_cast<std::uint32_t>(input->runs.size());
      index_.runs.insert(index_.runs.end(), input->runs.begin(), input->runs.end());
      add_sites(*input, &entry);
    }
    index_.entries.push_back(entry);
  }
  end_ = end;
}

void BlockIndex::append(std::uint64_t offset, format::SessionTag tag, ByteBuffer* out) {
  if (known_session_ && offset == end_ && !index_.entries.empty()) {
    index_.offset = offset;
    format::append_index_block(*out, index_, tag);
    auto& earlier = index_.earlier;
    if (earlier.size() == format::kMostEarlier) earlier.pop_back();
    earlier.insert(earlier.begin(), offset);
  }
  restart(offset);
}

}  // namespace steno::logfile
