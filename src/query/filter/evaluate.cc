#include "query/filter/evaluate.h"

#include <algorithm>
#include <cstring>

#include "query/search/kernels.h"
#include "query/search/number_stream.h"
#include "reader/message.h"
#include "text/printer.h"

namespace steno::query {
namespace {

using text::Int128;

Verdict verdict_of(bool truth) {
  return truth ? Verdict::kAll : Verdict::kNone;
}

bool thread_holds(const Condition& condition, const reader::Thread& thread) {
  if (condition.field == Field::kTid) return number_holds(condition, static_cast<Int128>(thread.info.tid));
  return text_holds(condition, thread.display());
}

bool session_holds(const Condition& condition, const reader::Session& session) {
  if (condition.field == Field::kPid) return number_holds(condition, static_cast<Int128>(session.info.pid));
  return text_holds(condition, condition.field == Field::kHost ? session.info.host : session.info.program);
}

// Tells whether all, none or some of least .. greatest are in the range of the condition.
Verdict range_verdict(const Bound& bound, Int128 least, Int128 greatest, bool is_signed) {
  const auto widen = [is_signed](std::uint64_t value) {
    return is_signed ? Int128{static_cast<std::int64_t>(value)} : static_cast<Int128>(value);
  };
  const Int128 low = widen(bound.low);
  const Int128 high = low + bound.span;
  if (least >= low && greatest <= high) return verdict_of(!bound.inverted);
  if (greatest < low || least > high) return verdict_of(bound.inverted);
  return Verdict::kSome;
}

// A zone is a claim: a reason to pass over a block, and none to take its values for what they are not known to be.
Verdict integer_verdict(const Bound& bound, const BlockView& view, std::size_t group) {
  std::uint64_t least = 0;
  std::uint64_t greatest = 0;
  if (!view.zone(group, bound.column, &least, &greatest)) return Verdict::kSome;
  const bool is_signed = is_signed_integer(bound.type);
  const Int128 low = is_signed ? Int128{static_cast<std::int64_t>(least)} : static_cast<Int128>(least);
  const Int128 high = is_signed ? Int128{static_cast<std::int64_t>(greatest)} : static_cast<Int128>(greatest);
  const Verdict verdict = range_verdict(bound, low, high, is_signed);
  std::uint64_t value = 0;
  const bool known = verdict != Verdict::kAll || view.constant(group, bound.column, &value);
  return known ? verdict : Verdict::kSome;
}

Verdict time_verdict(const Bound& bound, const reader::LogFile& file, const reader::BlockEntry& entry) {
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (!file.wall_bounds(entry, &first, &last)) return Verdict::kSome;
  return range_verdict(bound, first, last, true);
}

// The verdict of an expression whose parts are decided by `decide`.
template <class Decide>
Verdict verdict_of_parts(const Bound& bound, Decide decide) {
  const bool all = bound.kind == Bound::Kind::kAnd;
  const Verdict decides = all ? Verdict::kNone : Verdict::kAll;
  Verdict verdict = all ? Verdict::kAll : Verdict::kNone;
  for (const Bound& part : bound.parts) {
    const Verdict one = decide(part);
    if (one == decides) return decides;
    if (one == Verdict::kSome) verdict = Verdict::kSome;
  }
  return verdict;
}

// The claims of columns are a reason to pass over a block, and none to take a condition for true.
Verdict possible_verdict(const Found& found, bool negated) {
  return found.unknown || (negated ? found.others : found.matches) ? Verdict::kSome : Verdict::kNone;
}

bool wide_holds(const Condition& condition, ArgType type, const std::uint8_t* bytes) {
  text::Value value;
  value.type = type;
  value.wide = bytes;
  if (type == ArgType::kF80 || type == ArgType::kF128) return real_holds(condition, text::to_long_double(value));
  const text::UInt128 bits = text::to_uint128(value);
  const bool too_large = type == ArgType::kU128 && (bits >> 127) != 0;  // for Int128
  if (!too_large) return number_holds(condition, static_cast<Int128>(bits));
  if (condition.constant.beyond) return real_holds(condition, static_cast<long double>(bits));
  return compare(condition.comparison, 1, 0) != condition.negated;  // greater than any other constant
}

}  // namespace

Predicate::Predicate(Expression expression, const reader::LogSet& logs) : expression_(std::move(expression)) {
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) {
      for (const reader::Site& site : session->dictionary.sites()) {
        if (site.ordinal() >= entries_.size()) entries_.resize(site.ordinal() + std::size_t{1});
        Entry& entry = entries_[site.ordinal()];
        if (entry.site != &site) entry = {&site, bind(expression_, site)};  // sessions may share it
      }
    }
  }
}

Predicate::Of Predicate::of(const reader::Site& site) const {
  Of of;
  if (site.ordinal() < entries_.size() && entries_[site.ordinal()].site == &site) {
    of.shared_ = &entries_[site.ordinal()].bound;
  } else {
    of.own_ = std::make_unique<Bound>(bind(expression_, site));
  }
  return of;
}

Verdict verdict_of_entry(const Bound& bound, const reader::LogFile& file, const reader::BlockEntry& entry) {
  switch (bound.kind) {
    case Bound::Kind::kFalse:
      return Verdict::kNone;
    case Bound::Kind::kTrue:
      return Verdict::kAll;
    case Bound::Kind::kAnd:
    case Bound::Kind::kOr:
      return verdict_of_parts(bound, [&](const Bound& part) { return verdict_of_entry(part, file, entry); });
    case Bound::Kind::kTime:
      return time_verdict(bound, file, entry);
    case Bound::Kind::kSession:
      return verdict_of(session_holds(*bound.condition, *file.sessions()[entry.session]));
    default:
      return Verdict::kSome;
  }
}

Verdict Evaluator::verdict(const Bound& bound, BlockView& view, std::size_t group) {
  switch (bound.kind) {
    case Bound::Kind::kAnd:
    case Bound::Kind::kOr:
      return verdict_of_parts(bound, [&](const Bound& part) { return verdict(part, view, group); });
    case Bound::Kind::kThread:
      return thread_verdict(bound, view);
    case Bound::Kind::kSequence:
      return sequence_verdict(bound, view);
    case Bound::Kind::kLogger:
      return verdict_of(text_holds(*bound.condition, view.groups()[group].logger->info.name));
    case Bound::Kind::kInteger:
      return integer_verdict(bound, view, group);
    case Bound::Kind::kString:
      return string_verdict(bound, view, group);
    case Bound::Kind::kMessage:
      return message_verdict(bound, view, group);
    default:
      return verdict_of_entry(bound, view.file(), view.entry());
  }
}

Verdict Evaluator::thread_verdict(const Bound& bound, const BlockView& view) {
  bool any = false;
  bool all = true;
  for (const reader::RunEntry& run : view.runs()) {
    if (run.records == 0) continue;
    const bool holds = thread_holds(*bound.condition, view.thread_of(run));
    any |= holds;
    all &= holds;
  }
  return all ? Verdict::kAll : any ? Verdict::kSome : Verdict::kNone;
}

Verdict Evaluator::sequence_verdict(const Bound& bound, const BlockView& view) {
  bool any = false;
  bool all = true;
  for (const reader::RunEntry& run : view.runs()) {
    if (run.records == 0) continue;
    const Verdict one = range_verdict(bound, static_cast<Int128>(run.first_seq),
                                      static_cast<Int128>(run.first_seq) + run.records - 1, false);
    any |= one != Verdict::kNone;
    all &= one == Verdict::kAll;
  }
  return all ? Verdict::kAll : any ? Verdict::kSome : Verdict::kNone;
}

Verdict Evaluator::string_verdict(const Bound& bound, BlockView& view, std::size_t group) {
  if (bound.tables != nullptr) {
    const Pattern& pattern = *bound.condition->pattern;
    const std::span<const std::uint8_t> bytes = view.data().column_bytes(group, bound.column);
    if (bytes.empty()) return Verdict::kSome;
    StringStates strings(pattern, false, bound.tables.get(), view.data().shared(), &view.scratch());
    const StateSet states = strings.outcomes(pattern.automaton()->start(), bytes, view.groups()[group].records);
    return possible_verdict(found_in(*pattern.automaton(), states), bound.condition->negated);
  }
  const std::span<const std::string_view> distinct = view.distinct(group, bound.column);
  if (distinct.empty()) return Verdict::kSome;
  bool any = false;
  bool all = true;
  for (const std::string_view value : distinct) {
    const bool holds = string_holds(bound, value);
    any |= holds;
    all &= holds;
    if (any && !all) return Verdict::kSome;
  }
  return verdict_of(all);
}

Verdict Evaluator::message_verdict(const Bound& bound, BlockView& view, std::size_t group) {
  if (bound.search == nullptr) return Verdict::kSome;
  return possible_verdict(bound.search->of_block(view, group), bound.condition->negated);
}

void Evaluator::refine(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep) {
  switch (bound.kind) {
    case Bound::Kind::kTrue:
      return;
    case Bound::Kind::kFalse:
      std::fill(keep.begin(), keep.end(), std::uint8_t{0});
      return;
    case Bound::Kind::kAnd:
      for (const Bound& part : bound.parts) {
        if (verdict(part, view, group) == Verdict::kAll) continue;
        refine(part, view, group, keep);
      }
      return;
    case Bound::Kind::kOr:
      return refine_any(bound, view, group, keep);
    case Bound::Kind::kTime: {
      const std::span<const std::int64_t> walls = view.walls_of(group);
      if (walls.size() != keep.size()) return std::fill(keep.begin(), keep.end(), std::uint8_t{0});
      return keep_in_range(reinterpret_cast<const std::uint64_t*>(walls.data()), keep.size(), bound.low, bound.span,
                           bound.inverted ? 1 : 0, keep.data());
    }
    case Bound::Kind::kThread:
      return refine_threads(bound, view, group, keep);
    case Bound::Kind::kSequence:
      return refine_sequences(bound, view, group, keep);
    case Bound::Kind::kSession:
    case Bound::Kind::kLogger:
      if (verdict(bound, view, group) == Verdict::kNone) std::fill(keep.begin(), keep.end(), std::uint8_t{0});
      return;
    case Bound::Kind::kInteger:
      return refine_integers(bound, view, group, keep);
    case Bound::Kind::kFloat:
      return refine_floats(bound, view, group, keep);
    case Bound::Kind::kWide:
      return refine_wide(bound, view, group, keep);
    case Bound::Kind::kString:
      return refine_strings(bound, view, group, keep);
    case Bound::Kind::kMessage:
      return refine_messages(bound, view, group, keep);
  }
}

void Evaluator::refine_any(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep) {
  std::vector<std::uint8_t> any(keep.size(), 0);
  std::vector<std::uint8_t> part_keep;
  for (const Bound& part : bound.parts) {
    const Verdict one = verdict(part, view, group);
    if (one == Verdict::kAll) return;
    if (one == Verdict::kNone) continue;
    part_keep.assign(keep.begin(), keep.end());
    refine(part, view, group, part_keep);
    keep_either(part_keep.data(), any.size(), any.data());
  }
  keep_both(any.data(), any.size(), keep.data());
}

void Evaluator::refine_threads(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep) {
  for (const reader::RunEntry& run : view.runs()) {
    if (run.records == 0 || thread_holds(*bound.condition, view.thread_of(run))) continue;
    view.clear_records(group, run.start, run.start + run.records, keep);
  }
}

// The numbers of a run follow each other, so those in the range do as well.
void Evaluator::refine_sequences(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep) {
  const auto low = static_cast<Int128>(bound.low);
  const Int128 high = low + bound.span;
  for (const reader::RunEntry& run : view.runs()) {
    const auto first = static_cast<Int128>(run.first_seq);
    const auto place = [&](Int128 number) {
      return run.start + static_cast<std::uint32_t>(std::clamp<Int128>(number - first, 0, run.records));
    };
    const std::uint32_t begin = place(low);
    const std::uint32_t end = place(high + 1);
    if (bound.inverted) {
      view.clear_records(group, begin, end, keep);
    } else {
      view.clear_records(group, run.start, begin, keep);
      view.clear_records(group, end, run.start + run.records, keep);
    }
  }
}

// Packed numbers are compared as they are packed: half the width, and nothing to add.
void Evaluator::refine_integers(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep) {
  const NumberKind kind = kind_of_type(bound.type);
  const std::uint64_t flip = flip_of(kind);
  const std::uint8_t inverted = bound.inverted ? 1 : 0;
  NumberStream stream(view, group, bound.column, kind);
  std::size_t row = 0;
  for (Numbers numbers; stream.next(&numbers); row += numbers.n) {
    std::uint8_t* part = keep.data() + row;
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    if (numbers.values != nullptr) {
      keep_in_range(numbers.values, numbers.n, bound.low, bound.span, inverted, part);
    } else if (offsets_between(numbers, flip, bound.low ^ flip, (bound.low + bound.span) ^ flip, &low, &high)) {
      keep_in_range(numbers.offsets, numbers.n, low, high - low, inverted, part);
    } else if (!bound.inverted) {
      std::fill_n(part, numbers.n, std::uint8_t{0});
    }
  }
  if (row != keep.size()) std::fill(keep.begin(), keep.end(), std::uint8_t{0});
}

void Evaluator::refine_floats(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep) {
  const std::span<const std::uint64_t> bits = view.ints(group, bound.column);
  if (bits.size() != keep.size()) return std::fill(keep.begin(), keep.end(), std::uint8_t{0});
  const bool narrow = bound.type == ArgType::kF32;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const double value = narrow ? static_cast<double>(load<float>(&bits[i])) : load<double>(&bits[i]);
    keep[i] = static_cast<std::uint8_t>(keep[i] & (float_holds(bound, value) ? 1 : 0));
  }
}

void Evaluator::refine_wide(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep) {
  const std::span<const std::uint8_t> bytes = view.wide(group, bound.column);
  if (bytes.size() != keep.size() * 16) return std::fill(keep.begin(), keep.end(), std::uint8_t{0});
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (keep[i] != 0 && !wide_holds(*bound.condition, bound.type, bytes.data() + i * 16)) keep[i] = 0;
  }
}

bool Evaluator::string_holds(const Bound& bound, std::string_view value) {
  const Condition& condition = *bound.condition;
  const bool is_null = value.data() == nullptr;
  if (condition.comparison == Comparison::kIsNull) return is_null != condition.negated;
  if (is_null) return false;
  if (unit_size(bound.type) == 1) return text_holds(condition, value);
  text_.clear();
  text::append_utf8(value, unit_size(bound.type), text_);
  return text_holds(condition, {reinterpret_cast<const char*>(text_.data()), text_.size()});
}

// Clears the rows that end in a state against the condition.
void Evaluator::keep_ends(const Automaton& automaton, const RowStates& states, bool negated,
                          std::span<std::uint8_t> keep) {
  unknown_.clear();
  const Found found = found_in(automaton, states.present());
  if (!found.unknown && !(negated ? found.matches : found.others)) return;
  StateSet kept;
  states.present().each([&](Automaton::State state) {
    const Automaton::End end = automaton.end(state);
    if (end == Automaton::End::kUnknown || (end == Automaton::End::kMatch) != negated) kept.add(state);
  });
  if (states.uniform()) {
    if (!kept.has(states.at(0))) std::fill(keep.begin(), keep.end(), std::uint8_t{0});
  } else {
    keep_among(states.each().data(), keep.size(), kept, keep.data());
  }
  for (std::size_t row = 0; found.unknown && row < keep.size(); ++row) {
    if (keep[row] != 0 && automaton.end(states.at(row)) == Automaton::End::kUnknown) unknown_.push_back(row);
  }
}

void Evaluator::refine_strings(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep) {
  const std::span<const std::uint8_t> bytes = view.data().column_bytes(group, bound.column);
  if (bound.tables != nullptr && !bytes.empty()) {
    const Pattern& pattern = *bound.condition->pattern;
    const Automaton& automaton = *pattern.automaton();
    StringStates strings(pattern, false, bound.tables.get(), view.data().shared(), &view.scratch());
    states_.reset(keep.size(), automaton.start());
    if (strings.run(bytes, "", !bound.condition->negated, &states_)) {
      keep_ends(automaton, states_, bound.condition->negated, keep);
      if (unknown_.empty()) return;
      const StringColumn& column = view.strings(group, bound.column);
      const bool good = column.coded || column.strings.size() == keep.size();
      for (const std::size_t row : unknown_) keep[row] = good && string_holds(bound, column.at(row)) ? 1 : 0;
      return;
    }
  }
  const StringColumn& column = view.strings(group, bound.column);
  if (column.coded) {
    table_.resize(column.distinct.size());
    for (std::size_t i = 0; i < table_.size(); ++i) table_[i] = string_holds(bound, column.distinct[i]) ? 1 : 0;
    return keep_by_code(column.codes.data(), keep.size(), table_.data(), keep.data());
  }
  if (column.strings.size() != keep.size()) return std::fill(keep.begin(), keep.end(), std::uint8_t{0});
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (keep[i] != 0 && !string_holds(bound, column.strings[i])) keep[i] = 0;
  }
}

void Evaluator::refine_messages(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep) {
  const Condition& condition = *bound.condition;
  const ViewGroup& of = view.groups()[group];
  unknown_.clear();
  if (bound.search != nullptr && bound.search->run(view, group, !condition.negated, &states_)) {
    keep_ends(bound.search->automaton(), states_, condition.negated, keep);
    if (unknown_.empty()) return;
  } else {
    for (std::size_t row = 0; row < keep.size(); ++row) {
      if (keep[row] != 0) unknown_.push_back(row);
    }
  }
  reader::DecodedGroup printed;
  printed.site = of.site;
  printed.printer = of.site->layout() != nullptr ? of.site->printer() : nullptr;
  printed.drops = view.reports_drops(group);
  values_.resize(of.columns);
  for (const std::size_t row : unknown_) {
    view.values(group, row, values_.data());
    text_.clear();
    reader::append_message(printed, values_, text_);
    keep[row] = text_holds(condition, {reinterpret_cast<const char*>(text_.data()), text_.size()}) ? 1 : 0;
  }
  if (!view.status().ok()) std::fill(keep.begin(), keep.end(), std::uint8_t{0});
}

}  // namespace steno::query
