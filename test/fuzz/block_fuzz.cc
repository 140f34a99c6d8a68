// One block's payload, past the checksum. Input: a byte for the block's type, then the payload.
#include "format/clock_block.h"
#include "format/data_reader.h"
#include "format/end_block.h"
#include "format/session_block.h"
#include "fuzz_input.h"

namespace steno {
namespace {

using fuzz::require;

constexpr std::uint32_t kMostRecords = 1u << 16;  // more take a fuzzer too long

// Some sites with every type among them; the others are unknown.
class Sites final : public format::LayoutSource {
 public:
  Sites() {
    constexpr const char* kTypes[] = {"", "i", "mS", "bcasilnhtjmofdegpuwSUWE", "dd", "SS", "mm"};
    for (std::size_t i = 0; i < std::size(kTypes); ++i) {
      require(wire::Layout::parse(kTypes[i], &layouts_[i]), "the types are types");
    }
  }
  const wire::Layout* layout_of(std::uint32_t site) const override {
    const std::uint32_t first = wire::kFirstUserSite;
    return site >= first && site < first + std::size(layouts_) ? &layouts_[site - first] : nullptr;
  }

 private:
  wire::Layout layouts_[7];
};

void read_columns(const format::DataBlock& block, const Sites& sites) {
  format::ColumnValues values;
  for (std::size_t g = 0; g < block.groups().size(); ++g) {
    const auto& group = block.groups()[g];
    const wire::Layout* layout = sites.layout_of(group.site);
    for (std::size_t c = 0; c < group.columns; ++c) {
      (void)block.column_info(g, c);
      const ArgType type = layout != nullptr && c < layout->fields.size() ? layout->fields[c].type : ArgType::kU32;
      const bool good = block.decode_column(g, c, type, &values).ok();
      if (!good) continue;
      const std::size_t got = is_string(type)          ? values.strings.size()
                              : fixed_size(type) == 16 ? values.bytes.size() / 16
                                                       : values.ints.size();
      require(got == group.records, "a column has a value for each record");
      std::uint64_t sum = 0;
      for (const std::string_view text : values.strings) {
        for (const char c2 : text) sum += static_cast<unsigned char>(c2);
      }
      require(sum != 1 || !values.strings.empty(), "strings are readable");
      std::uint64_t least = 0;
      std::uint64_t greatest = 0;
      (void)block.column_zone(g, c, type, &least, &greatest);
    }
  }
}

void read_data(format::BlockType type, std::span<const std::uint8_t> payload) {
  static const Sites sites;
  const auto block = format::DataBlock::open(type, payload, sites);
  if (!block.ok()) return;
  require(block->records() != 0 && block->min_clock() <= block->max_clock(), "an open block has records and a range");
  if (block->records() > kMostRecords) return;
  std::uint64_t in_runs = 0;
  for (const format::Run& run : block->runs()) in_runs += run.records;
  require(in_runs == block->records(), "the runs sum up");
  RawVector<std::uint32_t> order;
  RawVector<std::uint64_t> clocks;
  if (block->decode_order(&order).ok()) {
    require(order.size() == block->records(), "the order has an entry for each record");
    std::vector<std::uint32_t> counts(block->groups().size());
    for (const std::uint32_t group : order) {
      require(group < counts.size() && ++counts[group] <= block->groups()[group].records, "the order fits the groups");
    }
  }
  if (block->decode_clocks(&clocks).ok()) {
    require(clocks.size() == block->records(), "the clock has an entry for each record");
  }
  (void)block->order_info();
  (void)block->clock_info();
  read_columns(*block, sites);
}

}  // namespace
}  // namespace steno

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steno;
  if (size == 0) return 0;
  const fuzz::Exact payload(data + 1, size - 1);
  const std::span<const std::uint8_t> bytes(payload.data(), payload.size());
  switch (data[0] % 8) {
    case 1:
      (void)format::parse_session_block(bytes);
      break;
    case 2: {
      std::vector<format::ClockPoint> points;
      (void)format::parse_clock_block(bytes, &points);
      break;
    }
    case 3:
      (void)format::parse_end_block(bytes);
      break;
    case 4:
      read_data(format::BlockType::kRows, bytes);
      break;
    default:
      read_data(format::BlockType::kColumns, bytes);
  }
  return 0;
}
