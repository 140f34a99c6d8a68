#include "reader/loss_lines.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "reader/accounted.h"
#include "reader/loss_text.h"

namespace steno::reader {
namespace {

// A stretch of damage, and the records that are missing for it: one line each.
struct Stretch {
  std::vector<const Loss*> damage;  // in order of their place
  std::vector<const Loss*> missing;
};

std::uint64_t end_of(const Loss& damage) {
  return damage.offset + damage.size;
}

// Records that were in a damaged part are of its stretch. If they may have been in one of several, these are one.
std::vector<Stretch> find_stretches(const std::vector<Loss>& losses) {
  std::vector<const Loss*> damage;
  for (const Loss& loss : losses) {
    if (loss.cause == LossCause::kDamage) damage.push_back(&loss);
  }
  std::stable_sort(damage.begin(), damage.end(), [](const Loss* a, const Loss* b) { return a->offset < b->offset; });
  // The parts of the damage that a gap may have been in: from the first to before the last.
  const auto parts_of = [&](const Loss& gap) {
    const auto first = std::partition_point(damage.begin(), damage.end(),
                                            [&](const Loss* one) { return end_of(*one) <= gap.begin_offset; });
    const auto last =
        std::partition_point(first, damage.end(), [&](const Loss* one) { return one->offset < gap.end_offset; });
    return std::pair(static_cast<std::size_t>(first - damage.begin()), static_cast<std::size_t>(last - damage.begin()));
  };
  // How many gaps join a part to the next one.
  std::vector<std::int64_t> joined(damage.size() + 1);
  for (const Loss& loss : losses) {
    if (loss.cause != LossCause::kMissing) continue;
    const auto [first, last] = parts_of(loss);
    if (first == last) continue;
    ++joined[first];
    --joined[last - 1];
  }
  std::vector<Stretch> stretches;
  std::vector<std::size_t> stretch_of(damage.size());
  std::int64_t open = 0;
  for (std::size_t i = 0; i < damage.size(); ++i) {
    if (i == 0 || (open == 0 && end_of(*damage[i - 1]) < damage[i]->offset)) stretches.emplace_back();
    stretches.back().damage.push_back(damage[i]);
    stretch_of[i] = stretches.size() - 1;
    open += joined[i];
  }
  for (const Loss& loss : losses) {
    if (loss.cause != LossCause::kMissing) continue;
    const auto [first, last] = parts_of(loss);
    if (first == last) {
      stretches.push_back({{}, {&loss}});
    } else {
      stretches[stretch_of[first]].missing.push_back(&loss);
    }
  }
  return stretches;
}

std::string text_of_damage(const std::vector<const Loss*>& damage) {
  const Loss& first = *damage.front();
  if (damage.size() == 1) return describe(Damage{first.damage_kind, first.offset, first.size, first.reason});
  std::uint64_t bytes = 0;
  std::uint64_t end = first.offset;
  std::size_t places = 0;
  for (const Loss* one : damage) {
    places += one == &first || one->offset > end ? 1 : 0;
    bytes += end_of(*one) - std::min(end_of(*one), std::max(end, one->offset));
    end = std::max(end, end_of(*one));
  }
  return counted(bytes, "byte", "bytes") +
         (places == 1 ? " at" : " in " + counted(places, "place", "places") + " from") + " offset " +
         std::to_string(first.offset) + " are damaged and were skipped: " + first.reason;
}

std::string text_of_missing(const Stretch& stretch) {
  std::uint64_t records = 0;
  std::set<std::pair<std::size_t, std::string>> threads;
  Loss span;
  span.from_wall = INT64_MAX;
  span.to_wall = INT64_MIN;
  for (const Loss* gap : stretch.missing) {
    records += gap->records;
    // Where no record of a ring is left, nobody knows its thread.
    threads.emplace(gap->session, gap->thread.empty() ? "of ring " + std::to_string(gap->ring) : gap->thread);
    span.from_wall = std::min(span.from_wall, gap->from_wall);
    span.to_wall = std::max(span.to_wall, gap->to_wall);
  }
  const bool exact =
      std::all_of(stretch.damage.begin(), stretch.damage.end(), [](const Loss* one) { return one->accounted; });
  return std::string(exact ? "" : "at least ") + counted(records, "record", "records") + " of " +
         (threads.size() != 1 ? counted(threads.size(), "thread", "threads") : "thread " + threads.begin()->second) +
         (records == 1 ? " is" : " are") + " missing" + span_of(span);
}

// Says which records elsewhere may need what was in the damaged bytes.
enum class Needs {
  kNothing,
  kLaterOnes,  // declarations, or strings that blocks share
  kAll,        // a clock, which gives all of them their times, or a session
};

Needs needs_of(format::BlockType type) {
  switch (type) {
    case format::BlockType::kSession:
    case format::BlockType::kClock:
    case format::BlockType::kPacked:
      return Needs::kAll;
    case format::BlockType::kDictionary:
    case format::BlockType::kStrings:
      return Needs::kLaterOnes;
    default:
      return Needs::kNothing;
  }
}

constexpr std::size_t kTypeAt = format::kFlagsAt - 1;  // in the header

// The tags and marks of a file's sessions, in order.
class SessionMarks {
 public:
  explicit SessionMarks(const LogFile& file) {
    for (const auto& session : file.sessions()) marks_.emplace_back(session->tag.tag, session->tag.mark);
    std::sort(marks_.begin(), marks_.end());
  }

  // Returns whether the block proves to be of one of the sessions with its tag, or has so many of these that only a few
  // are tried.
  bool may_be_of(const std::uint8_t* block, const format::BlockHeader& header) const {
    constexpr std::ptrdiff_t kMost = 8;
    const auto [first, last] =
        std::equal_range(marks_.begin(), marks_.end(), std::pair{header.session_tag, std::uint32_t{0}},
                         [](const auto& a, const auto& b) { return a.first < b.first; });
    return last - first > kMost || std::any_of(first, last, [&](const auto& mark) {
             return format::checksum_holds(block, header, mark.second);
           });
  }

 private:
  std::vector<std::pair<std::uint16_t, std::uint32_t>> marks_;
};

// Returns the type that the block had, if its header has another one and is whole but for that.
format::BlockType type_of(const SessionMarks& marks, std::span<const std::uint8_t> bytes,
                          const format::BlockHeader& header) {
  if (header.total_size() > bytes.size()) return header.type;
  std::vector<std::uint8_t> block(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header.total_size()));
  for (const auto type : {format::BlockType::kSession, format::BlockType::kDictionary, format::BlockType::kClock,
                          format::BlockType::kStrings, format::BlockType::kPacked}) {
    block[kTypeAt] = static_cast<std::uint8_t>(type);
    format::BlockHeader other;
    if (format::parse_header(block.data(), block.size(), &other) && marks.may_be_of(block.data(), other)) return type;
  }
  return header.type;
}

// Returns what an index says was there. Without one, the headers of blocks are believed where they lead from the
// beginning to the end, but for their types: damage that makes such headers of others is not expected by chance.
Needs needs_of(const LogFile& file, const SessionMarks& marks, const Loss& damage) {
  Needs needs = Needs::kNothing;
  if (const auto types = file.indexed_types(damage.offset, damage.size)) {
    for (const format::BlockType type : *types) needs = std::max(needs, needs_of(type));
    return needs;
  }
  const auto bytes = file.bytes(damage.offset, damage.size);
  std::uint64_t at = 0;
  format::BlockHeader header;
  while (at < bytes.size() && format::parse_header(bytes.data() + at, bytes.size() - at, &header)) {
    needs = std::max(needs, needs_of(type_of(marks, bytes.subspan(at), header)));
    at += header.total_size();
  }
  return at == bytes.size() ? needs : Needs::kAll;  // a short clock may have been there
}

// The last times of a file, and of those of its sessions that have no end.
struct FileTimes {
  explicit FileTimes(const LogFile& file) {
    std::vector<std::uint64_t> offsets(file.sessions().size());
    for (const BlockEntry& block : file.blocks()) {
      offsets[block.session] = std::max(offsets[block.session], block.offset);
    }
    for (std::size_t s = 0; s < offsets.size(); ++s) {
      const Session& session = *file.sessions()[s];
      const std::int64_t end = session.clock.monotone() ? session.clock.wall(session.max_clock) : INT64_MAX;
      last = std::max(last, end);
      if (session.end || session.ended_elsewhere) continue;
      has_endless = true;
      last_of_endless = std::max(last_of_endless, end);
      first_endless = std::min(first_endless, offsets[s]);
    }
  }

  std::int64_t last = INT64_MIN;
  bool has_endless = false;
  std::int64_t last_of_endless = INT64_MIN;
  std::uint64_t first_endless = UINT64_MAX;  // the least offset of the last block of one of them
};

void bound_times(const LogFile& file, const FileTimes& times, const SessionMarks& marks, const Stretch& stretch,
                 LossLine* line) {
  // Damage without such records may have been anything that others need.
  if (stretch.missing.empty()) return;
  std::int64_t earliest = INT64_MAX;
  std::int64_t latest = INT64_MIN;
  for (const Loss* gap : stretch.missing) {
    earliest = std::min(earliest, gap->earliest);
    latest = std::max(latest, gap->latest);
  }
  for (const Loss* one : stretch.damage) {
    if (!one->accounted) return;
    const Needs needs = needs_of(file, marks, *one);
    if (needs == Needs::kAll) return;
    if (needs == Needs::kLaterOnes) latest = std::max(latest, times.last);
  }
  if (!stretch.damage.empty() && times.has_endless) {
    // Without the numbers of its end, the last records of a thread may be missing without a gap.
    earliest = INT64_MIN;  // a thread may have no other record
    const bool may_be_the_last = times.first_endless <= stretch.damage.back()->offset;
    latest = may_be_the_last ? INT64_MAX : std::max(latest, times.last_of_endless);
  }
  line->earliest = earliest;
  line->latest = latest;
}

}  // namespace

std::vector<LossLine> loss_lines(const LogFile& file) {
  LossOptions options;
  options.drops = false;
  const LossReport report = find_losses(file, options);
  const FileTimes times(file);
  const SessionMarks marks(file);
  std::vector<LossLine> lines;
  for (const Stretch& stretch : find_stretches(report.losses)) {
    LossLine line;
    if (stretch.damage.empty()) {
      line.text = describe(file, *stretch.missing.front());
    } else {
      line.text = text_of_damage(stretch.damage);
      if (!stretch.missing.empty()) line.text += "; " + text_of_missing(stretch);
    }
    bound_times(file, times, marks, stretch, &line);
    lines.push_back(std::move(line));
  }
  for (const Loss& loss : report.losses) {
    if (loss.cause == LossCause::kDamage || loss.cause == LossCause::kMissing || loss.cause == LossCause::kNoEnd)
      continue;
    LossLine line;
    line.text = describe(file, loss);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace steno::reader
