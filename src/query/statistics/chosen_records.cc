#include "query/statistics/chosen_records.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <tuple>

#include "query/search/number_stream.h"

namespace steno::query {
namespace {

bool is_after(const RecordRef& a, const RecordRef& b) {
  return is_before(b, a);
}

// The first `n` of those that are added, in an order.
class FirstRecords {
 public:
  using Order = bool (*)(const RecordRef& a, const RecordRef& b);
  explicit FirstRecords(std::size_t n, Order order = is_before) : n_(n), order_(order) {}

  // Only of is_before().
  bool may_be(std::uint64_t rank) const { return records_.size() < n_ || (n_ != 0 && rank <= records_.front().rank); }
  // Returns whether there are `n` records; last() is then the last of them.
  bool full() const { return records_.size() == n_; }
  const RecordRef& last() const { return records_.front(); }
  void add(const RecordRef& ref) {
    if (n_ == 0) return;
    if (records_.size() == n_) {
      if (!order_(ref, records_.front())) return;
      std::pop_heap(records_.begin(), records_.end(), order_);
      records_.pop_back();
    }
    records_.push_back(ref);
    std::push_heap(records_.begin(), records_.end(), order_);
  }
  const std::vector<RecordRef>& records() const { return records_; }

 private:
  std::size_t n_;
  Order order_;
  std::vector<RecordRef> records_;  // a heap, the last on top
};

NumberKind common_kind(const std::vector<ArgType>& types) {
  const NumberKind kind = kind_of_type(types[0]);
  for (const ArgType type : types) {
    if (kind_of_type(type) != kind) return NumberKind::kReal;
  }
  return kind;
}

}  // namespace

bool is_before(const RecordRef& a, const RecordRef& b) {
  return std::tie(a.rank, a.wall, a.began, a.file, a.block, a.record) <
         std::tie(b.rank, b.wall, b.began, b.file, b.block, b.record);
}

RecordRef ref_of(const Part& part, std::uint32_t row, std::uint64_t rank) {
  const std::span<const std::uint32_t> records = part.view->records_of(part.group);
  const std::span<const std::int64_t> walls = part.view->walls_of(part.group);
  RecordRef ref;
  ref.file = static_cast<std::uint32_t>(part.file);
  ref.block = static_cast<std::uint32_t>(part.block);
  ref.record = records.empty() ? row : records[row];
  ref.wall = row < walls.size() ? walls[row] : 0;
  ref.began = part.view->session().began();
  ref.rank = rank;
  return ref;
}

Result<ChosenRecords> find_greatest(const Subject& subject, const ArgumentOf& argument, std::size_t n) {
  for (const ArgType type : argument.types) {
    if (!is_string(type)) continue;
    return Status(StatusCode::kInvalidArgument, "'" + argument.name + "' is a string; only numbers have a greatest");
  }
  const NumberKind kind = argument.scales.empty() ? common_kind(argument.types) : NumberKind::kReal;
  PartWalk walk(subject);
  std::vector<FirstRecords> found(walk.workers(), FirstRecords(n));
  walk.run([&](unsigned number, const Part& part) {
    FirstRecords& mine = found[number];
    const reader::Site& site = *part.view->groups()[part.group].site;
    const double scale = argument.scale_in(site);
    NumberStream stream(*part.view, part.group, argument.index_in(site), kind);
    std::uint32_t first = 0;
    std::uint64_t buffer[format::kMiniBlock];
    for (Numbers numbers; stream.next(&numbers); first += static_cast<std::uint32_t>(numbers.n)) {
      const std::uint64_t* values = numbers.unpack(buffer);
      for (std::uint32_t i = 0; i < numbers.n; ++i) {
        if (!part.is_kept(first + i)) continue;
        const bool real = kind == NumberKind::kReal;
        if (real && std::isnan(std::bit_cast<double>(values[i]))) continue;
        const std::uint64_t key =
            real ? key_of_real(as_one(std::bit_cast<double>(values[i]) * scale)) : values[i] ^ flip_of(kind);
        if (mine.may_be(~key)) mine.add(ref_of(part, first + i, ~key));
      }
    }
  });
  FirstRecords all(n);
  for (const FirstRecords& some : found) {
    for (const RecordRef& ref : some.records()) all.add(ref);
  }
  ChosenRecords chosen{all.records(), 0, walk.failures()};
  std::sort(chosen.records.begin(), chosen.records.end(), is_before);
  return chosen;
}

namespace {

// The times that records of a block can have.
TimeSpan times_of_block(const Subject& subject, const BlockRef& ref) {
  const reader::LogFile& file = *subject.logs->files()[ref.file];
  TimeSpan span;
  file.wall_bounds(file.blocks()[ref.block], &span.first, &span.last);
  return span;
}

}  // namespace

ChosenRecords find_in_order(const Subject& subject, TimeOrder order, std::size_t n,
                            const std::optional<RecordRef>& beyond) {
  const bool oldest = order == TimeOrder::kOldest;
  const FirstRecords::Order comes_first = oldest ? is_before : is_after;
  Subject rest = subject;
  if (beyond) rest.span = subject.span.cut_to(oldest ? TimeSpan{beyond->wall} : TimeSpan{INT64_MIN, beyond->wall});
  PartWalk walk(rest);
  struct BlockOfTime {
    BlockRef ref;
    std::int64_t begin;  // no record comes before it in the order
  };
  std::vector<BlockOfTime> stretches;
  for (const BlockRef& ref : walk.blocks()) {
    const TimeSpan span = times_of_block(subject, ref);
    stretches.push_back({ref, oldest ? span.first : span.last});
  }
  std::sort(stretches.begin(), stretches.end(), [&](const BlockOfTime& a, const BlockOfTime& b) {
    if (a.begin != b.begin) return (a.begin < b.begin) == oldest;
    return a.ref < b.ref;
  });

  ChosenRecords chosen;
  FirstRecords all(n, comes_first);
  std::vector<FirstRecords> found(walk.workers(), all);
  const auto visit = [&](unsigned number, const Part& part) {
    FirstRecords& mine = found[number];
    const std::span<const std::int64_t> walls = part.view->walls_of(part.group);
    for (std::uint32_t row = 0; row < walls.size(); ++row) {
      if (!part.is_kept(row)) continue;
      if (mine.full() && n != 0 && (oldest ? walls[row] > mine.last().wall : walls[row] < mine.last().wall)) continue;
      const RecordRef ref = ref_of(part, row, 0);
      if (beyond && !comes_first(*beyond, ref)) continue;
      mine.add(ref);
    }
  };
  std::vector<BlockRef> some;
  std::size_t size = 2 * std::size_t{walk.workers()};
  for (std::size_t first = 0; first < stretches.size();
       first += some.size(), size = std::min<std::size_t>(size * 2, 512)) {
    const std::int64_t begin = stretches[first].begin;
    if (all.full() && (n == 0 || (oldest ? begin > all.last().wall : begin < all.last().wall))) break;
    some.clear();
    for (std::size_t i = first; i < std::min(first + size, stretches.size()); ++i) some.push_back(stretches[i].ref);
    walk.run(some, visit);
    for (FirstRecords& mine : found) {
      for (const RecordRef& ref : mine.records()) all.add(ref);
      mine = FirstRecords(n, comes_first);
    }
    chosen.failures.insert(chosen.failures.end(), walk.failures().begin(), walk.failures().end());
  }
  chosen.records = all.records();
  std::sort(chosen.records.begin(), chosen.records.end(), comes_first);
  return chosen;
}

}  // namespace steno::query
