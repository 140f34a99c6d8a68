#include "rewrite/copy.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "format/clock_block.h"
#include "format/end_block.h"
#include "format/session_block.h"
#include "format/strings/shared/codec.h"
#include "logfile/session_packer.h"
#include "logfile/session_writer.h"
#include "rewrite/session_parts.h"
#include "rewrite/text_patterns.h"
#include "staging/session_id.h"

namespace steno::cli {

wire::SiteInfo Rewriting::site(const reader::Site& site, std::vector<Change>* changes) const {
  if (site.redacts_any()) {
    for (std::size_t i = 0; i < site.wire_layout()->fields.size(); ++i) {
      changes->push_back(site.redacts(i) ? Change::kBlank : Change::kKeep);
    }
  }
  return site.written_info();
}

namespace {

// A ring of the new session.
struct RingCount {
  std::uint64_t chosen = 0;
  std::uint64_t left_out = 0;
  // By the number of a run's first record: how many of the run are chosen. Runs may lie in the file in another order
  // than in the ring.
  std::map<std::uint64_t, std::uint64_t> runs;
};

// A place in a ring that nobody has any more; later records have later ones.
std::uint64_t place_after(std::uint64_t number) {
  return 64 * (number + 1);
}

// Writes one session.
class SessionCopy {
 public:
  SessionCopy(const std::vector<Part>& parts, const CopyRules& rules, logfile::OutputFile* out,
              logfile::SessionPacker* packer, Copied* copied)
      : parts_(parts),
        rules_(rules),
        out_file_(*out),
        packer_(*packer),
        copied_(*copied),
        chosen_(rules, copied),
        batch_(rules.rewriting != nullptr ? rules.rewriting->patterns() : nullptr),
        writer_({.zstd_level = rules.zstd_level, .shared_bytes = format::SharedStrings::kMostBytes}) {}

  Status run() {
    if (Status status = count(); !status.ok()) return status;
    if (records_ == 0) return {};
    const TextPatterns* const patterns = rules_.rewriting != nullptr ? rules_.rewriting->patterns() : nullptr;
    const auto found = patterns != nullptr ? patterns->found() : std::vector<TextPatterns::Found>();
    begin();
    constexpr std::uint64_t kFew = 512;  // records: the session may be short enough to be packed (file.md §15)
    if (records_ <= kFew) {
      short_.emplace();
      if (Status status = write(); !status.ok()) return status;
      const std::size_t size = short_->size();
      if (size <= logfile::SessionPacker::kMostSession) return count_done(write_short());
      short_.reset();
      if (patterns != nullptr) patterns->set_found(found);
      begin();
    }
    return count_done(write());
  }

 private:
  Status count_done(Status status) {
    copied_.records += records_;
    copied_.missing_strings += batch_.missing();
    ++copied_.sessions;
    return status;
  }

  // How many records of each ring are chosen.
  Status count() {
    // Records that cannot be read must not count where numbers have no gaps.
    for (const Part& part : parts_) {
      Status status = chosen_.each(part, rules_.renumber,
                                   [&](const reader::DecodedBlock& block, std::span<const std::uint8_t> keep) {
                                     each_record(block, [&](const reader::RunEntry& run, std::uint32_t i) {
                                       RingCount& ring = rings_[run.ring];
                                       if (keep[i] == 0) {
                                         ++ring.left_out;
                                         ++copied_.left_out;
                                       } else if (block.group(i).site->wire_layout() == nullptr) {
                                         ++ring.left_out;
                                         ++copied_.undeclared;
                                       } else {
                                         ++ring.chosen;
                                         ++records_;
                                         if (rules_.renumber) ++ring.runs[run.first_seq];
                                       }
                                     });
                                     if (rules_.meter == nullptr) return Status();
                                     rules_.meter->add_done(block.records());
                                     rules_.meter->check();
                                     return Status();
                                   });
      if (!status.ok()) return status;
    }
    return {};
  }

  void begin() {
    const reader::Session& first = *parts_.front().session;
    info_ = first.info;
    info_.version = format::kFileVersion;
    if (!rules_.new_sessions) {
      // Those who know only a later part may know what came before.
      for (const Part& part : parts_) {
        if (part.session->info.elsewhere && !info_.elsewhere) info_.elsewhere = part.session->info.elsewhere;
      }
    } else {
      info_.session_id = staging::new_session_id();
      info_.staging.clear();
    }
    if (rules_.renumber) {
      std::vector<format::RingStart> starts;
      for (const auto& [ring, count] : rings_) {
        if (count.left_out != 0) starts.push_back({ring, count.left_out});
      }
      info_.elsewhere.reset();
      if (!starts.empty() && starts.size() <= format::kMostStarts) info_.elsewhere = std::move(starts);
    }
    if (rules_.rewriting != nullptr) {
      for (std::string* text : {&info_.program, &info_.host, &info_.staging}) rules_.rewriting->name(text);
    }
    tag_ = format::session_tag(info_.session_id, info_.version);
    numbers_.clear();
    for (const auto& [ring, count] : rings_) {
      std::uint64_t next = count.left_out;
      for (const auto& [first_seq, chosen] : count.runs) {
        numbers_[ring][first_seq] = next;
        next += chosen;
      }
    }
    entries_.clear();
    forms_.clear();
    site_of_.clear();
    logger_of_.clear();
    thread_of_.clear();
    batch_.clear();
    writer_.begin_session(1);
    is_first_block_ = true;
    session_writer_.begin(info_.session_id, tag_);
    out_.clear();
    format::append_session_block(out_, info_);
    std::vector<format::ClockPoint> points;
    // A part that becomes a session of its own has the points of the others, too: its records keep their times.
    const std::vector<format::ClockPoint>* last = nullptr;
    for (const Part& part : parts_) {
      const auto* known = part.session->points_of_all ? part.session->points_of_all.get() : &part.session->clock_points;
      if (known != last) points.insert(points.end(), known->begin(), known->end());
      last = known;
    }
    std::stable_sort(points.begin(), points.end(),
                     [](const format::ClockPoint& a, const format::ClockPoint& b) { return a.ticks < b.ticks; });
    if (points.empty() && !first.dated) points.push_back(guessed_point(first));
    if (!points.empty()) format::append_clock_block(out_, points, tag_);
  }

  // Without points, readers take the session's first record for its start, which the new file may lack.
  static format::ClockPoint guessed_point(const reader::Session& session) {
    format::ClockPoint point;
    point.ticks = session.min_clock;
    point.wall_ns = session.info.start_wall;
    point.ns_per_tick = format::plausible_rate(session.info.ns_per_tick) ? session.info.ns_per_tick : 1.0;
    point.uncertainty_ns = UINT32_MAX;
    return point;
  }

  Status write() {
    for (const Part& part : parts_) {
      Status status =
          chosen_.each(part, true, [&](const reader::DecodedBlock& block, std::span<const std::uint8_t> keep) {
            if (rules_.meter != nullptr) rules_.meter->check();
            return add_block(part, block, keep);
          });
      if (!status.ok()) return status;
    }
    if (Status status = flush(); !status.ok()) return status;
    return end();
  }

  Status add_block(const Part& part, const reader::DecodedBlock& block, std::span<const std::uint8_t> keep) {
    if (std::find(keep.begin(), keep.end(), std::uint8_t{1}) == keep.end()) return {};
    raw_drops_.clear();
    Status status;
    each_record(block, [&](const reader::RunEntry& run, std::uint32_t i) {
      if (status.ok() && keep[i] != 0) status = add_record(part, block, run, i);
    });
    return status;
  }

  Status add_record(const Part& part, const reader::DecodedBlock& block, const reader::RunEntry& run, std::uint32_t i) {
    const reader::DecodedGroup& group = block.group(i);
    if (group.site->wire_layout() == nullptr) return {};
    const std::uint64_t offset = block.entry().offset;
    const reader::Thread& thread = *part.session->dictionary.thread(run.thread, offset);
    // An entry that replaces another one holds from the next block on.
    const bool replaces = replaces_other(site_of_, group.site->info().id, group.site) ||
                          replaces_other(logger_of_, group.logger->info.id, group.logger) ||
                          replaces_other(thread_of_, thread.info.index, &thread);
    if (replaces || batch_.records() >= rules_.block_records || batch_.bytes() >= rules_.block_bytes) {
      if (Status status = flush(); !status.ok()) return status;
    }
    declare(*group.site, *group.logger, thread);
    format::Run as;
    as.thread = run.thread;
    as.ring = run.ring;
    as.end = run.end;
    as.first_seq = run.first_seq + (i - run.start);
    if (rules_.renumber) {
      as.first_seq = numbers_[run.ring][run.first_seq]++;
      as.end = place_after(as.first_seq);
    }
    const std::uint64_t* raw = nullptr;
    if (group.drops) {
      if (Status status = read_drops(block, block.group_index(i)); !status.ok()) return status;
      raw = raw_drops_.data() + std::size_t{2} * block.row(i);
    }
    batch_.add(block, i, *forms_[group.site], group.logger->info.id, as, raw);
    return {};
  }

  // Records that report drops: readers show the ticks in them as times.
  Status read_drops(const reader::DecodedBlock& block, std::size_t group) {
    if (!raw_drops_.empty()) return {};
    const auto data = block.file().open_block(block.entry());
    if (!data.ok()) return data.status();
    format::ColumnValues values[2];
    for (std::size_t c = 0; c < 2; ++c) {
      if (Status status = data->decode_column(group, c, ArgType::kU64, &values[c]); !status.ok()) return status;
    }
    for (std::size_t row = 0; row < values[0].ints.size(); ++row) {
      raw_drops_.push_back(values[0].ints[row]);
      raw_drops_.push_back(values[1].ints[row]);
    }
    return {};
  }

  template <class T>
  static bool replaces_other(const std::unordered_map<std::uint32_t, const T*>& known, std::uint32_t id,
                             const T* entry) {
    const auto found = known.find(id);
    return found != known.end() && found->second != entry;
  }
  // Returns whether the entry is not known yet; it is from now on.
  template <class T>
  static bool take(std::unordered_map<std::uint32_t, const T*>* known, std::uint32_t id, const T* entry) {
    const T*& now = (*known)[id];
    return std::exchange(now, entry) != entry;
  }

  void declare(const reader::Site& site, const reader::Logger& logger, const reader::Thread& thread) {
    if (take(&site_of_, site.info().id, &site)) declare_site(site);
    if (take(&logger_of_, logger.info.id, &logger)) {
      wire::LoggerInfo info = logger.info;
      if (rules_.rewriting != nullptr) rules_.rewriting->name(&info.name);
      if (logger.known) wire::append_entry(entries_, info);
    }
    if (take(&thread_of_, thread.info.index, &thread)) {
      wire::ThreadInfo info = thread.info;
      if (rules_.rewriting != nullptr) rules_.rewriting->name(&info.name);
      if (thread.known) wire::append_entry(entries_, info);
    }
  }

  void declare_site(const reader::Site& site) {
    static const Rewriting kUnchanged;
    const Rewriting& rewriting = rules_.rewriting != nullptr ? *rules_.rewriting : kUnchanged;
    auto& form = forms_[&site];
    std::vector<Change> changes;
    const wire::SiteInfo info = rewriting.site(site, &changes);
    if (form == nullptr) form = std::make_unique<SiteForm>(info, std::move(changes));
    if (wire::protocol_site(info.id) == nullptr) wire::append_entry(entries_, info);
  }

  Status flush() {
    if (!entries_.empty()) {
      format::append_block(out_, format::BlockType::kDictionary, tag_, {entries_.data(), entries_.size()});
      entries_.clear();
    }
    if (batch_.records() == 0) return {};
    const format::BlockInput input = batch_.input();
    if (is_first_block_ && rules_.rehearsals != 0 && !short_) rehearse(input);
    is_first_block_ = false;
    writer_.write(input, tag_, out_);
    Status status = put(&input);
    batch_.clear();
    return status;
  }

  // A writer learns from block to block which codecs suit a column, but a log of few blocks would end before it has.
  void rehearse(const format::BlockInput& input) {
    ByteBuffer unused;
    for (unsigned i = 0; i < rules_.rehearsals; ++i) {
      unused.clear();
      writer_.write(input, tag_, unused);
    }
    writer_.begin_session(1);  // strings that blocks share are on file only from here on
  }

  Status put(const format::BlockInput* input) {
    Status status;
    if (short_) {
      short_->put_bytes(out_.data(), out_.size());
    } else {
      status = session_writer_.write(out_file_, out_, input);
      if (status.ok() && out_file_.stuck()) status = out_file_.retry();
      if (session_writer_.take_stretch_end()) writer_.begin_stretch();
    }
    out_.clear();
    return status;
  }

  Status end() {
    if (!short_) {
      session_writer_.finish(out_file_);
      if (out_file_.stuck()) {
        if (Status status = out_file_.retry(); !status.ok()) return status;
      }
    }
    const std::optional<format::EndBlock> end = end_block();
    if (!end) return {};
    format::append_end_block(out_, *end, tag_);
    if (short_) {
      short_->put_bytes(out_.data(), out_.size());
      out_.clear();
      return {};
    }
    Status status = out_file_.write(out_);
    out_.clear();
    return status;
  }

  // nullopt: the session has none, and that must be seen.
  std::optional<format::EndBlock> end_block() const {
    const reader::Session& last = *parts_.back().session;
    if (!rules_.renumber) {
      std::optional<format::EndBlock> end;
      for (const Part& part : parts_) {
        if (part.session->end) end = part.session->end;
      }
      return end;
    }
    format::EndBlock end;
    end.died = last.end ? last.end->died : !last.running;
    for (const auto& [ring, count] : rings_) {
      end.rings.push_back({ring, count.left_out + count.chosen, place_after(count.left_out + count.chosen - 1), 0});
      end.records += count.left_out + count.chosen;
    }
    return end;
  }

  Status write_short() {
    const std::span<const std::uint8_t> blocks(short_->data(), short_->size());
    logfile::SessionPacker::Plan plan = packer_.plan(out_file_, blocks, info_.session_id);
    Status status;
    if (plan.form == logfile::SessionPacker::Form::kPacked) {
      status = out_file_.write(plan.blocks);
    } else {
      if (plan.form == logfile::SessionPacker::Form::kModel) (void)format::raise_version(&*short_);
      status = out_file_.write(*short_);
      if (status.ok() && plan.form == logfile::SessionPacker::Form::kModel) status = out_file_.write(plan.blocks);
    }
    if (status.ok() && plan.form != logfile::SessionPacker::Form::kPlain) packer_.wrote(plan, out_file_.end());
    return status;
  }

  const std::vector<Part>& parts_;
  const CopyRules& rules_;
  logfile::OutputFile& out_file_;
  logfile::SessionPacker& packer_;
  Copied& copied_;
  ChosenBlocks chosen_;
  std::map<std::uint32_t, RingCount> rings_;
  // By ring and first number of a run: the number that its next record gets.
  std::unordered_map<std::uint32_t, std::unordered_map<std::uint64_t, std::uint64_t>> numbers_;
  std::uint64_t records_ = 0;
  bool is_first_block_ = true;

  format::SessionBlock info_;
  format::SessionTag tag_;
  std::unordered_map<std::uint32_t, const reader::Site*> site_of_;
  std::unordered_map<std::uint32_t, const reader::Logger*> logger_of_;
  std::unordered_map<std::uint32_t, const reader::Thread*> thread_of_;
  std::unordered_map<const reader::Site*, std::unique_ptr<SiteForm>> forms_;
  std::vector<std::uint64_t> raw_drops_;
  Batch batch_;
  format::DataWriter writer_;
  logfile::SessionWriter session_writer_;
  ByteBuffer entries_;
  ByteBuffer out_;
  std::optional<ByteBuffer> short_;  // the session, until it is known to be too long to be packed
};

}  // namespace

Result<Copied> copy_logs(const reader::LogSet& logs, const CopyRules& rules, logfile::OutputFile* out) {
  Copied copied;
  logfile::SessionPacker packer;
  if (rules.meter != nullptr) {
    for (const auto& file : logs.files()) {
      for (const reader::BlockEntry& block : file->blocks()) rules.meter->add_total(block.records);
    }
  }
  for (const std::vector<Part>& parts : sessions_of(logs, !rules.new_sessions)) {
    if (Status status = SessionCopy(parts, rules, out, &packer, &copied).run(); !status.ok()) return status;
  }
  return copied;
}

}  // namespace steno::cli
