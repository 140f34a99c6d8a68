#include <unordered_map>

#include "format/ints/source.h"
#include "format/rows.h"

namespace steno::format {
namespace {

Status corrupt(const char* what) {
  return Status(StatusCode::kCorrupt, std::string("rows block: ") + what);
}

bool read_argument(ByteReader& in, RowsBlock::Column& column) {
  const ArgType type = column.type;
  if (is_string(type)) {
    const std::uint64_t code = in.get_varint();
    if (code > kNullString) return false;
    const std::uint8_t* p = code == 0 ? nullptr : in.take(code - 1);
    column.strings.emplace_back(reinterpret_cast<const char*>(p), p == nullptr ? 0 : code - 1);
  } else if (fixed_size(type) == 16) {
    column.wide.push_back(in.take(16));
  } else {
    const IntType domain = IntType::of(type);
    std::uint64_t v = 0;
    if (domain.is_float) {
      v = domain.bytes == 4 ? in.get<std::uint32_t>() : in.get<std::uint64_t>();
    } else {
      v = domain.is_signed ? static_cast<std::uint64_t>(in.get_signed_varint()) : in.get_varint();
    }
    column.ints.push_back(domain.extend(v));
  }
  return in.ok();
}

// Finds the group of a site and logger, or opens it.
class Groups {
 public:
  static constexpr std::int64_t kUnknown = -1;  // no such site
  static constexpr std::int64_t kTooWide = -2;  // it has more arguments than bytes are left

  Groups(const LayoutSource& layouts, RowsBlock* block) : layouts_(layouts), block_(block) {}

  // Its index. `left`: bytes that may be arguments, at least one each.
  std::int64_t find(std::uint32_t site, std::uint32_t logger, std::size_t left) {
    const auto [at, added] = index_.try_emplace(std::uint64_t{site} << 16 | logger, block_->groups.size());
    if (!added) return static_cast<std::int64_t>(at->second);
    const wire::Layout* layout = layouts_.layout_of(site);
    if (layout == nullptr) return kUnknown;
    if (layout->fields.size() > left) return kTooWide;
    const auto columns = static_cast<std::uint32_t>(layout->fields.size());
    block_->first_column.push_back(static_cast<std::uint32_t>(block_->columns.size()));
    block_->groups.push_back({site, logger, 0, columns});
    for (const wire::Field& field : layout->fields) block_->columns.emplace_back().type = field.type;
    return static_cast<std::int64_t>(at->second);
  }

 private:
  const LayoutSource& layouts_;
  RowsBlock* block_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
};

}  // namespace

bool read_run(ByteReader& in, Run* run) {
  const std::uint64_t thread = in.get_varint();
  const std::uint64_t ring = in.get_varint();
  const std::uint64_t records = in.get_varint();
  run->thread = static_cast<std::uint32_t>(thread);
  run->ring = static_cast<std::uint32_t>(ring);
  run->records = static_cast<std::uint32_t>(records);
  run->first_seq = in.get_varint();
  run->end = in.get_varint();
  return in.ok() && thread <= UINT32_MAX && ring <= UINT32_MAX && records <= kMaxRecords;
}

Result<RowsBlock> parse_rows_block(std::span<const std::uint8_t> payload, const LayoutSource& layouts) {
  ByteReader in(payload.data(), payload.size());
  RowsBlock block;
  const std::uint64_t records = in.get_varint();
  const std::uint64_t runs = in.get_varint();
  if (records == 0 || records > kMaxRecords || runs > in.remaining() / kLeastRun) return corrupt("impossible counts");
  std::uint64_t in_runs = 0;
  for (std::uint64_t i = 0; i < runs; ++i) {
    Run run;
    if (!read_run(in, &run)) return corrupt("damaged run");
    in_runs += run.records;
    block.runs.push_back(run);
  }
  if (in_runs != records) return corrupt("its runs do not sum up");
  auto clock = in.get<std::uint64_t>();
  if (records > in.remaining() / 2) return corrupt("it ends too early");
  block.order.reserve(records);
  block.clocks.reserve(records);
  Groups groups(layouts, &block);
  for (std::uint64_t i = 0; i < records; ++i) {
    const std::uint64_t word = in.get_varint();
    const std::uint64_t logger = (word & 1) != 0 ? in.get_varint() : 0;
    clock += static_cast<std::uint64_t>(in.get_signed_varint());
    if (!in.ok() || word >> 1 > UINT32_MAX || logger > UINT16_MAX) return corrupt("damaged record");
    const std::int64_t group =
        groups.find(static_cast<std::uint32_t>(word >> 1), static_cast<std::uint32_t>(logger), in.remaining());
    if (group < 0) {
      return corrupt(group == Groups::kUnknown ? "a site that is in no dictionary" : "damaged argument");
    }
    DataBlock::GroupView& view = block.groups[static_cast<std::size_t>(group)];
    ++view.records;
    block.order.push_back(static_cast<std::uint32_t>(group));
    block.clocks.push_back(clock);
    const std::size_t first = block.first_column[static_cast<std::size_t>(group)];
    for (std::size_t k = 0; k < view.columns; ++k) {
      if (!read_argument(in, block.columns[first + k])) return corrupt("damaged argument");
    }
  }
  if (!in.at_end()) return corrupt("it has bytes behind its last record");
  return block;
}

}  // namespace steno::format
