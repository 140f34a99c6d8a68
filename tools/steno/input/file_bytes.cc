#include "input/file_bytes.h"

#include "format/block.h"
#include "reader/loss_text.h"

namespace steno::cli {

std::string codecs_of(const reader::ColumnStat& column) {
  std::string text;
  for (const auto& [codec, blocks] : column.codecs) {
    text += (text.empty() ? "" : ", ") + codec + " " + reader::with_commas(blocks);
  }
  return text;
}

std::vector<ByteShare> byte_shares(reader::Files files, const reader::Statistics& stats) {
  using format::BlockType;
  const auto of = [files](BlockType type) {
    std::uint64_t bytes = 0;
    for (const auto& file : files) bytes += file->count_of(static_cast<std::uint8_t>(type)).bytes;
    return bytes;
  };
  const std::uint64_t data = of(BlockType::kColumns);
  const std::uint64_t columns = stats.argument_bytes + stats.order.bytes + stats.clock.bytes;
  std::uint64_t damaged = 0;
  std::uint64_t size = 0;
  for (const auto& file : files) {
    size += file->size();
    for (const reader::Damage& damage : file->damage()) {
      // Blocks whose content makes no sense are counted by their type.
      if (damage.kind != reader::DamageKind::kContent) damaged += damage.size;
    }
  }
  std::vector<ByteShare> shares = {
      {"arguments", stats.argument_bytes, ""},
      {"order", stats.order.bytes, codecs_of(stats.order)},
      {"clock", stats.clock.bytes, codecs_of(stats.clock)},
      {"directories", data > columns ? data - columns : 0, "block headers and padding too"},
      {"rows", of(BlockType::kRows), "blocks of few records, which have no columns"},
      {"dictionary", of(BlockType::kDictionary), ""},
      {"strings", of(BlockType::kStrings), "strings that several blocks share"},
      {"clock_points", of(BlockType::kClock), ""},
      {"index", of(BlockType::kIndex), ""},
      {"packed", of(BlockType::kPacked), "short sessions, as what differs from others"},
      {"sessions", of(BlockType::kSession) + of(BlockType::kEnd), "begin and end of sessions"},
      {"damaged", damaged, "'steno verify' shows details"},
  };
  std::uint64_t known = 0;
  for (const ByteShare& share : shares) known += share.bytes;
  shares.push_back({"other", size > known ? size - known : 0, "padding, blocks of unknown types, gaps"});
  return shares;
}

}  // namespace steno::cli
