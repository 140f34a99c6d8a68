// Reads the directory of a data block (file.md §6): counts, runs, groups, and where the columns lie.
#include <algorithm>
#include <array>
#include <utility>

#include "format/data_block_impl.h"

namespace steno::format {
namespace {

constexpr std::size_t kFixedHeader = 32;  // file.md §6

}  // namespace

Status DataBlock::Impl::parse_columns(Bytes payload) {
  ByteReader in(payload.data(), payload.size());
  min_clock = in.get<std::uint64_t>();
  max_clock = in.get<std::uint64_t>();
  records = in.get<std::uint32_t>();
  const auto run_count = in.get<std::uint32_t>();
  const auto group_count = in.get<std::uint32_t>();
  const auto directory_size = in.get<std::uint32_t>();
  const std::uint8_t* directory = in.take(directory_size);
  if (directory == nullptr) return corrupt_columns("it ends too early");
  if (records == 0 || records > kMaxRecords || run_count > directory_size / kLeastRun || group_count > records ||
      min_clock > max_clock) {
    return corrupt_columns("impossible counts");
  }
  return parse_directory(ByteReader(directory, directory_size), run_count, group_count,
                         payload.subspan(kFixedHeader + directory_size));
}

bool DataBlock::Impl::read_group(std::uint64_t site, ByteReader& in, std::vector<std::uint32_t>* lengths) {
  const std::uint64_t logger = in.get_varint();
  const std::uint64_t count = in.get_varint();
  const std::uint64_t column_count = in.get_varint();
  // A length takes a byte at least, so the directory's size bounds what is kept.
  if (!in.ok() || site > UINT32_MAX || logger > UINT16_MAX || count == 0 || count > records ||
      column_count > in.remaining()) {
    return false;
  }
  first_column.push_back(static_cast<std::uint32_t>(lengths->size()));
  groups.push_back({static_cast<std::uint32_t>(site), static_cast<std::uint32_t>(logger),
                    static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(column_count)});
  for (std::uint64_t i = 0; i < column_count; ++i) {
    const std::uint64_t length = in.get_varint();
    if (length > kMaxPayload) return false;
    lengths->push_back(static_cast<std::uint32_t>(length));
  }
  return in.ok();
}

// Groups that share columns, at most so many.
bool DataBlock::Impl::read_stack(std::uint32_t most, ByteReader& in, std::vector<std::uint32_t>* lengths) {
  const std::uint64_t count = in.get_varint();
  const std::uint64_t column_count = in.get_varint();
  if (!in.ok() || count == 0 || count > most || column_count > in.remaining()) return false;
  Stack stack;
  stack.first_column = static_cast<std::uint32_t>(lengths->size());
  for (std::uint64_t i = 0; i < column_count; ++i) {
    const std::uint64_t length = in.get_varint();
    if (length > kMaxPayload) return false;
    lengths->push_back(static_cast<std::uint32_t>(length));
  }
  std::array<std::vector<std::uint64_t>, 3> facts;  // sites, loggers, records
  for (auto& column : facts) {
    column.resize(count);
    if (!in.ok() || !decode_ints(in, kTypeU32, count, 0, column.data())) return false;
  }
  stack_of.resize(groups.size(), kNoStack);
  first_value.resize(groups.size(), 0);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [sites, loggers, counts] = facts;
    if (sites[i] == 0 || loggers[i] > UINT16_MAX || counts[i] == 0 || counts[i] > records) return false;
    first_column.push_back(stack.first_column);
    groups.push_back({static_cast<std::uint32_t>(sites[i]), static_cast<std::uint32_t>(loggers[i]),
                      static_cast<std::uint32_t>(counts[i]), static_cast<std::uint32_t>(column_count)});
    stack_of.push_back(static_cast<std::uint32_t>(stacks.size()));
    first_value.push_back(static_cast<std::uint32_t>(sum));
    sum += counts[i];
    if (sum > records) return false;
  }
  stack.records = static_cast<std::uint32_t>(sum);
  stack.columns = std::make_unique<std::unique_ptr<Stacked>[]>(column_count);
  stacks.push_back(std::move(stack));
  return true;
}

Status DataBlock::Impl::parse_directory(ByteReader in, std::uint32_t run_count, std::uint32_t group_count, Bytes body) {
  std::uint64_t by_level = 0;
  for (std::uint64_t& count : levels) {
    count = in.get_varint();
    if (count > records) return corrupt_columns("impossible counts");
    by_level += count;
  }
  std::uint64_t in_runs = 0;
  for (std::uint32_t i = 0; i < run_count; ++i) {
    if (!read_run(in, &runs.emplace_back())) return corrupt_columns("damaged run");
    in_runs += runs.back().records;
  }
  std::uint64_t in_groups = 0;
  std::vector<std::uint32_t> lengths;
  while (groups.size() < group_count) {
    const std::size_t before = groups.size();
    const std::uint64_t site = in.get_varint();
    const bool good = site == 0 ? read_stack(group_count - static_cast<std::uint32_t>(before), in, &lengths)
                                : read_group(site, in, &lengths);
    if (!good) return corrupt_columns("damaged group");
    for (std::size_t g = before; g < groups.size(); ++g) in_groups += groups[g].records;
  }
  if (!stacks.empty()) stack_of.resize(groups.size(), kNoStack);
  if (by_level != records || in_runs != records || in_groups != records) {
    return corrupt_columns("its levels, runs or groups do not sum up");
  }
  const std::uint64_t order_size = in.get_varint();
  const std::uint64_t clock_size = in.get_varint();
  if (!in.ok()) return corrupt_columns("damaged directory");  // what comes after the directory is a gap
  ByteReader bytes(body.data(), body.size());
  const auto take = [&](std::uint64_t size) {
    const std::uint8_t* p = bytes.take(size);
    return p != nullptr ? Bytes(p, size) : Bytes();
  };
  order = take(order_size);
  clock = take(clock_size);
  columns.reserve(lengths.size());
  for (const std::uint32_t length : lengths) columns.push_back(take(length));
  if (!bytes.ok() || !bytes.at_end()) return corrupt_columns("its columns do not fill it");
  end = body.data() + body.size();
  return Status();
}

Status DataBlock::Impl::take_rows(RowsBlock block) {
  is_rows = true;
  records = static_cast<std::uint32_t>(block.order.size());
  const auto [least, greatest] = std::minmax_element(block.clocks.begin(), block.clocks.end());
  min_clock = *least;
  max_clock = *greatest;
  runs = std::move(block.runs);
  groups = std::move(block.groups);
  first_column = std::move(block.first_column);
  rows = std::move(block);
  return Status();
}

void DataBlock::Impl::find_redacted(const LayoutSource& layouts) {
  if (!layouts.redacts_any()) return;
  // Groups may be millions, of few bytes. Sites are as many as the dictionary has, and so are their arguments.
  std::vector<std::uint32_t> sites;
  for (const GroupView& group : groups) {
    if (sites.empty() || sites.back() != group.site) sites.push_back(group.site);
  }
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  for (const std::uint32_t site : sites) {
    const wire::Layout* const layout = layouts.layout_of(site);
    for (std::size_t c = 0; layout != nullptr && c < layout->fields.size(); ++c) {
      if (layouts.redacts(site, c)) redacted.push_back(column_key(site, c));
    }
  }
}

}  // namespace steno::format
