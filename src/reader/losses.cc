#include "reader/losses.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/parallel.h"
#include "reader/accounted.h"
#include "reader/decoded_block.h"

namespace steno::reader {
namespace {

// Gaps in sequence numbers: a ring's runs count its records of the session from 0, without a break (file.md §6).
class SequenceCheck {
 public:
  SequenceCheck(const LogFile& file, std::size_t session, LossReport* report)
      : file_(file), index_(session), session_(*file.sessions()[session]), report_(*report) {
    std::unordered_set<std::uint32_t> logged;
    for (const RingEntry& ring : session_.rings) {
      for (const std::uint64_t run : ring.runs) logged.insert(file_.runs()[run].thread);
    }
    report_.threads += logged.size();
  }

  void check() {
    std::map<std::uint32_t, std::uint64_t> totals;
    if (session_.end) {
      for (const format::RingTotal& total : session_.end->rings) totals[total.ring] = total.seq;
    }
    for (const RingEntry& ring : session_.rings) {
      const auto total = totals.find(ring.ring);
      check_ring(ring, total != totals.end() ? total->second : 0);
      if (total != totals.end()) totals.erase(total);
    }
    for (const auto& [ring, seq] : totals) {
      if (seq != 0) add_gap(ring, 0, seq, nullptr, nullptr);  // nothing of it is here
    }
    std::uint64_t missing = 0;
    for (const Gap& gap : gaps_) {
      missing += gap.records;
      report(gap);
    }
    check_totals(missing);
  }

 private:
  struct Gap {
    std::uint32_t ring;
    std::uint64_t first_seq;
    std::uint64_t records;
    const RunEntry* previous;
    const RunEntry* next;
  };

  std::uint64_t offset_of(const RunEntry* run) const {
    return run != nullptr ? file_.blocks()[run->block].offset : UINT64_MAX;
  }

  void check_ring(const RingEntry& ring, std::uint64_t total) {
    std::uint64_t expected = 0;
    const RunEntry* previous = nullptr;
    for (const std::uint64_t i : ring.runs) {
      const RunEntry& run = file_.runs()[i];
      if (file_.is_damaged(file_.blocks()[run.block])) continue;
      if (run.first_seq > expected) add_gap(ring.ring, expected, run.first_seq, previous, &run);
      expected = std::max(expected, run.first_seq + run.records);
      previous = &run;
    }
    if (total > expected) add_gap(ring.ring, expected, total, previous, nullptr);
  }

  // Adds the records in [from, to) that are in no other file of the set either.
  void add_gap(std::uint32_t ring, std::uint64_t from, std::uint64_t to, const RunEntry* previous,
               const RunEntry* next) {
    if (const auto others = session_.elsewhere.find(ring); others != session_.elsewhere.end()) {
      for (const SeqRange& range : others->second) {
        if (range.end <= from || range.first >= to) continue;
        if (range.first > from) add_absent({ring, from, range.first - from, previous, next});
        from = std::min(range.end, to);
      }
    }
    if (from < to) add_absent({ring, from, to - from, previous, next});
  }

  // Records that are in another file by the session block are no gap.
  void add_absent(Gap gap) {
    const std::uint64_t start = start_of(gap.ring);
    if (gap.first_seq < start) {
      const std::uint64_t before = std::min(start - gap.first_seq, gap.records);
      in_other_file_ += before;
      gap.first_seq += before;
      gap.records -= before;
    }
    if (gap.records != 0) gaps_.push_back(gap);
  }

  std::uint64_t start_of(std::uint32_t ring) const {
    if (!session_.info.elsewhere) return 0;
    const std::vector<format::RingStart>& starts = *session_.info.elsewhere;  // in rising order
    const auto start = std::lower_bound(starts.begin(), starts.end(), ring,
                                        [](const format::RingStart& a, std::uint32_t b) { return a.ring < b; });
    return start != starts.end() && start->ring == ring ? start->records : 0;
  }

  void report(const Gap& gap) {
    Loss loss;
    loss.cause = LossCause::kMissing;
    loss.session = index_;
    loss.records = gap.records;
    loss.ring = gap.ring;
    loss.first_seq = gap.first_seq;
    if (const RunEntry* around = gap.next != nullptr ? gap.next : gap.previous; around != nullptr) {
      loss.thread = session_.dictionary.thread(around->thread, offset_of(around))->display();
      set_span(gap.previous, gap.next, &loss);
      set_bounds(gap.previous, gap.next, &loss);
    }
    report_.lost += gap.records;
    report_.losses.push_back(std::move(loss));
  }

  // Missing records were logged after `previous` and before `next`; blocks overlap, so their ranges may not tell more.
  void set_span(const RunEntry* previous, const RunEntry* next, Loss* loss) const {
    const BlockEntry* before = previous != nullptr ? &file_.blocks()[previous->block] : nullptr;
    const BlockEntry* after = next != nullptr ? &file_.blocks()[next->block] : nullptr;
    if (before != nullptr && after != nullptr && before->max_clock > after->min_clock) {
      loss->from_wall = session_.clock.wall(before->min_clock);
      loss->to_wall = session_.clock.wall(after->max_clock);
      return;
    }
    if (before != nullptr) loss->from_wall = session_.clock.wall(before->max_clock);
    if (after != nullptr) loss->to_wall = session_.clock.wall(after->min_clock);
  }

  // The clock values of a ring do not fall, so the records were logged between the first of the run before and the last
  // of the run after.
  void set_bounds(const RunEntry* previous, const RunEntry* next, Loss* loss) const {
    const BlockEntry* before = previous != nullptr ? &file_.blocks()[previous->block] : nullptr;
    const BlockEntry* after = next != nullptr ? &file_.blocks()[next->block] : nullptr;
    if (session_.clock.monotone()) {
      if (before != nullptr) loss->earliest = session_.clock.wall(before->min_clock);
      if (after != nullptr) loss->latest = session_.clock.wall(after->max_clock);
    }
    // Blocks of a recovery may lie after later ones.
    if (before != nullptr && after != nullptr && before->offset > after->offset) return;
    if (before != nullptr) loss->begin_offset = before->offset;
    if (after != nullptr) loss->end_offset = after->offset;
  }

  std::uint64_t elsewhere() const {
    std::uint64_t records = 0;
    for (const auto& [ring, ranges] : session_.elsewhere) {
      for (const SeqRange& range : ranges) records += range.end - range.first;
    }
    return records;
  }

  // Records on file that can be read, as far as is known.
  std::uint64_t there() const {
    std::uint64_t records = session_.records;
    for (const RingEntry& ring : session_.rings) {
      for (const std::uint64_t i : ring.runs) {
        const RunEntry& run = file_.runs()[i];
        if (file_.is_damaged(file_.blocks()[run.block])) records -= run.records - run.repeated;
      }
    }
    return records;
  }

  void check_totals(std::uint64_t missing) {
    report_.records += there();
    report_.repeated += session_.repeated;
    report_.in_other_file += in_other_file_;
    if (session_.end && session_.end->died) ++report_.died;
    Loss loss;
    loss.session = index_;
    if (session_.running) {
      ++report_.running;
    } else if (session_.ended_elsewhere) {
      // The file that has the end tells.
    } else if (!session_.end) {
      loss.cause = LossCause::kNoEnd;
      report_.exact = false;
      report_.losses.push_back(std::move(loss));
    } else if (const std::uint64_t accounted = there() + elsewhere() + in_other_file_ + missing;
               session_.end->records > accounted) {
      loss.cause = LossCause::kTotals;
      loss.records = session_.end->records - accounted;
      report_.lost += loss.records;
      report_.losses.push_back(std::move(loss));
    }
  }

  const LogFile& file_;
  std::size_t index_;
  const Session& session_;
  LossReport& report_;
  std::vector<Gap> gaps_;
  std::uint64_t in_other_file_ = 0;
};

// How many records were discarded, by reason. Those of which the number is unknown (0) have none in common.
struct Discards {
  std::map<std::string, std::uint64_t, std::less<>> records;
  bool exact = true;

  void add(std::uint64_t n, std::string_view reason) {
    constexpr std::size_t kMostReasons = 100;  // a hostile file may have any number
    exact = exact && n != 0;
    if (n == 0) reason = {};
    auto found = records.find(reason);
    if (found == records.end())
      found = records.try_emplace(records.size() < kMostReasons ? std::string(reason) : "").first;
    found->second += n;
  }
};

// Leaves of a group's values those of records that are not in an earlier block as well.
template <class T>
Status forget_repeated(const LogFile& file, const BlockEntry& entry, const format::DataBlock& data, std::size_t group,
                       RawVector<T>* values) {
  const auto runs = std::span(file.runs()).subspan(entry.first_run, entry.runs);
  if (std::none_of(runs.begin(), runs.end(), [](const RunEntry& run) { return run.repeated != 0; })) return {};
  RawVector<std::uint32_t> order;
  if (Status status = data.decode_order(&order); !status.ok()) return status;
  std::size_t value = 0;
  std::size_t kept = 0;
  for (const RunEntry& run : runs) {
    for (std::uint32_t i = run.start; i < run.start + run.records; ++i) {
      if (order[i] != group) continue;
      if (i >= run.start + run.repeated) (*values)[kept++] = (*values)[value];
      ++value;
    }
  }
  values->resize(kept);
  return {};
}

// `numbers`: of a group of such records, each with its reason.
Status count_discards(const LogFile& file, const BlockEntry& entry, const format::DataBlock& data, std::size_t group,
                      const RawVector<std::uint64_t>& numbers, Discards* discarded) {
  format::ColumnValues reasons;
  // The numbers count even if the reasons cannot be read.
  if (data.groups()[group].columns > 1 && data.decode_column(group, 1, ArgType::kString, &reasons).ok()) {
    if (Status status = forget_repeated(file, entry, data, group, &reasons.strings); !status.ok()) return status;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i)
    discarded->add(numbers[i], reasons.strings.size() == numbers.size() ? reasons.strings[i] : std::string_view());
  return {};
}

// Adds up what records of drops, discards and flight recorders report.
Status count_drops(const LogFile& file, const BlockEntry& entry, std::uint64_t* dropped, Discards* discarded,
                   std::uint64_t* overwritten) {
  const auto data = file.open_block(entry);
  if (!data.ok()) return data.status();
  format::ColumnValues values;
  for (std::size_t g = 0; g < data->groups().size(); ++g) {
    const std::uint32_t site = data->groups()[g].site;
    const bool recorder = site == wire::kSiteRecorder && data->groups()[g].columns == 3;
    if (!is_report(site) || (site == wire::kSiteRecorder && !recorder)) continue;
    if (Status status = data->decode_column(g, recorder ? 1 : 0, ArgType::kU64, &values); !status.ok()) return status;
    if (Status status = forget_repeated(file, entry, *data, g, &values.ints); !status.ok()) return status;
    if (site == wire::kSiteDiscarded) {
      if (Status status = count_discards(file, entry, *data, g, values.ints, discarded); !status.ok()) return status;
      continue;
    }
    std::uint64_t& sum = recorder ? *overwritten : *dropped;
    for (const std::uint64_t n : values.ints) sum += n;
  }
  return {};
}

// Returns whether the blocks that a crash cut short were written once more: the session's numbers and totals say that
// all is there.
bool made_again(const LogFile& file, const Damage& damage, const std::vector<bool>& whole) {
  if (damage.kind != DamageKind::kTornTail && damage.kind != DamageKind::kCutShort) return false;
  bool found = false;
  for (std::size_t s = 0; s < file.sessions().size(); ++s) {
    const Session& session = *file.sessions()[s];
    if (damage.tag >= 0 && format::session_tag(session.info.session_id).tag != damage.tag) continue;
    if (!session.known || !whole[s]) return false;
    found = true;
  }
  return found;
}

Loss loss_of(const BlockEntry& entry, const Status& status) {
  Loss loss;
  loss.session = entry.session;
  loss.offset = entry.header_offset();
  loss.size = entry.total_size();
  loss.reason = status.message();
  return loss;
}

void add_damage(const LogFile& file, const std::vector<bool>& whole, LossReport* report) {
  std::vector<Loss> losses;
  const Accounting accounting(file);
  for (const Damage& damage : file.damage()) {
    if (made_again(file, damage, whole)) {
      ++report->cut_short;
      continue;
    }
    Loss loss;
    loss.accounted = accounting.covers(damage);
    report->exact = report->exact && loss.accounted;
    loss.damage_kind = damage.kind;
    loss.offset = damage.offset;
    loss.size = damage.size;
    loss.reason = damage.reason;
    losses.push_back(std::move(loss));
  }
  for (const BlockEntry& entry : file.blocks()) {
    if (file.is_damaged(entry)) losses.push_back(loss_of(entry, file.open_block(entry).status()));
  }
  report->losses.insert(report->losses.begin(), losses.begin(), losses.end());
}

void append_loss(LossCause cause, std::size_t session, std::uint64_t records, LossReport* report) {
  Loss loss;
  loss.cause = cause;
  loss.session = session;
  loss.records = records;
  report->losses.push_back(std::move(loss));
}
// One for each session that has any.
void append_losses(LossCause cause, const std::vector<std::uint64_t>& by_session, LossReport* report) {
  for (std::size_t s = 0; s < by_session.size(); ++s) {
    if (by_session[s] != 0) append_loss(cause, s, by_session[s], report);
  }
}

void add_count(LossCause cause, std::size_t session, std::uint64_t records, LossReport* report) {
  report->lost += records;
  append_loss(cause, session, records, report);
}

void add_drops(const LogFile& file, WorkMeter* meter, LossReport* report) {
  std::vector<std::uint64_t> dropped(file.sessions().size());
  std::vector<Discards> discarded(file.sessions().size());
  if (meter != nullptr) meter->add_total(records_on_file(file));
  for (const BlockEntry& entry : file.blocks()) {
    if (meter != nullptr) {
      meter->check();
      meter->add_done(entry.records);
    }
    if (file.is_damaged(entry) || file.reports_nothing(entry)) continue;
    const Status status =
        count_drops(file, entry, &dropped[entry.session], &discarded[entry.session], &report->overwritten);
    if (!status.ok()) report->losses.push_back(loss_of(entry, status));
  }
  for (std::size_t s = 0; s < file.sessions().size(); ++s) {
    std::uint64_t total = 0;
    if (file.sessions()[s]->end) {
      for (const format::RingTotal& ring : file.sessions()[s]->end->rings) total += ring.dropped;
    }
    const std::uint64_t drops = std::max(dropped[s], total);
    if (drops != 0) add_count(LossCause::kDropped, s, drops, report);
    for (const auto& [reason, records] : discarded[s].records) {
      add_count(LossCause::kDiscarded, s, records, report);
      report->losses.back().reason = reason;
    }
    report->exact = report->exact && discarded[s].exact;
  }
}

// Records whose statement is not in the dictionary: shown, but nobody knows what they say.
void add_unprintable(const LogFile& file, LossReport* report) {
  std::vector<std::uint64_t> records(file.sessions().size());
  for (const BlockEntry& entry : file.blocks()) {
    const Dictionary& dictionary = file.sessions()[entry.session]->dictionary;
    if (!dictionary.lacks_sites() || file.is_damaged(entry)) continue;
    const auto count = [&](const auto& of) {
      if (!dictionary.site(of.site, entry.offset)->known()) records[entry.session] += of.records;
    };
    const auto sites = file.sites_of(entry);
    std::for_each(sites.begin(), sites.end(), count);
    if (!sites.empty()) continue;
    const auto data = file.open_block(entry);
    if (!data.ok()) continue;
    std::for_each(data->groups().begin(), data->groups().end(), count);
  }
  for (const std::uint64_t n : records) report->unprintable += n;
  append_losses(LossCause::kUnprintable, records, report);
}

void check_content(const LogFile& file, WorkMeter* meter, LossReport* report) {
  const std::vector<BlockEntry>& blocks = file.blocks();
  constexpr unsigned kMostThreads = 4;  // each may come to hold ReadLimits::decoded_bytes
  const unsigned threads = std::min(thread_count(), kMostThreads);
  std::vector<DecodedBlock> decoded(threads);
  std::vector<Status> found(blocks.size());
  std::vector<std::uint64_t> missing(blocks.size());  // strings
  if (meter != nullptr) meter->add_total(records_on_file(file));
  in_parallel(blocks.size(), 1, threads, [&](unsigned worker, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      found[i] = decoded[worker].decode(file, blocks[i], {});
      if (found[i].ok()) missing[i] = decoded[worker].missing_strings();
      if (meter != nullptr) meter->add_done(blocks[i].records);
    }
  });
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (found[i].ok() || file.is_damaged(blocks[i])) continue;
    Loss loss = loss_of(blocks[i], found[i]);
    loss.records = blocks[i].records;
    report->lost += blocks[i].records;
    report->losses.push_back(std::move(loss));
  }
  std::vector<std::uint64_t> values(file.sessions().size());
  for (std::size_t i = 0; i < blocks.size(); ++i) values[blocks[i].session] += missing[i];
  append_losses(LossCause::kStrings, values, report);
}

}  // namespace

LossReport find_losses(const LogFile& file, const LossOptions& options) {
  LossReport report;
  // Blocks that an index spared us are looked at now, so that all below know them.
  if (options.content || (options.drops && options.unread)) {
    file.check_blocks(options.meter);
  } else if (options.drops) {
    file.check_reports(options.meter);
  }
  report.sessions = file.sessions().size();
  std::vector<bool> whole(file.sessions().size());
  for (std::size_t s = 0; s < file.sessions().size(); ++s) {
    const std::size_t before = report.losses.size();
    SequenceCheck(file, s, &report).check();
    whole[s] = report.losses.size() == before;
  }
  add_damage(file, whole, &report);
  if (options.drops) add_drops(file, options.meter, &report);
  add_unprintable(file, &report);
  if (options.content) check_content(file, options.meter, &report);
  return report;
}

}  // namespace steno::reader
