#include "query/statistics/key_reader.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <unordered_map>

#include "query/ordered.h"
#include "reader/message.h"

namespace steno::query {
namespace {

std::string place_of(const reader::Site& site) {
  return site.info().file + ":" + std::to_string(site.info().line);
}

// The key of a number: equal numbers have one, and so has any NaN.
std::uint64_t one_of_equals(ArgType type, std::uint64_t value) {
  if (type == ArgType::kF64) return std::bit_cast<std::uint64_t>(as_one(std::bit_cast<double>(value)));
  if (type != ArgType::kF32) return value;
  const auto narrow = static_cast<float>(as_one(std::bit_cast<float>(static_cast<std::uint32_t>(value))));
  return std::bit_cast<std::uint32_t>(narrow);
}

}  // namespace

bool KeyReader::read(const Part& part, const KeyRange& range) {
  range_ = &range;
  varying_ = 0;
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    Column& column = columns_[k];
    column.values.clear();
    column.texts.clear();
    read_one(specs_[k], part, &column);
    column.varying = column.values.size() > 1;
    varying_ += column.varying ? 1 : 0;
    if (!specs_[k].is_text()) continue;
    column.ids.assign(column.texts.size(), Interner::kUnknown);
    for (const Bound which : {kFrom, kCut}) {
      const std::optional<KeyBound>& bound = which == kFrom ? range.from : range.cut;
      column.signs[which].clear();
      if (!bound) continue;
      for (std::size_t i = 0; i < column.texts.size(); ++i) {
        column.signs[which].push_back(column.texts[i].compare(bound->texts[k]));
      }
    }
  }
  return varying_ == 0;
}

int KeyReader::sign_of(std::size_t row, Bound which) const {
  const KeyBound& bound = which == kFrom ? *range_->from : *range_->cut;
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    const Column& column = columns_[k];
    const std::uint64_t value = column.values[column.varying ? row : 0];
    int sign = 0;
    if (specs_[k].is_text()) {
      sign = column.signs[which][value];
    } else {
      const std::uint64_t number = ordered_value(specs_[k], value);
      sign = number < bound.numbers[k] ? -1 : number == bound.numbers[k] ? 0 : 1;
    }
    if (sign != 0) return sign;
  }
  return 0;
}

const Key& KeyReader::at(std::size_t row) {
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    Column& column = columns_[k];
    const std::uint64_t value = column.values[column.varying ? row : 0];
    key_[k] = specs_[k].is_text() ? intern(column, value) : value;
  }
  return key_;
}

std::span<const std::uint32_t> KeyReader::codes() {
  constexpr std::size_t kMostCodes = std::size_t{1} << 16;  // tables of them stay in the cache
  code_count_ = 0;
  if (varying_ == 0) return {};
  code_count_ = 1;
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    if (columns_[k].varying && !add_codes(k, kMostCodes)) return {};
  }
  return codes_;
}

// Adds those of one column to those of the columns before it: the first one's count by one, the second one's by as many
// as the first one has, and so on. False: that makes more than `most`, but for texts alone, which are looked up one by
// one anyway; or more than are worth it for so few rows.
bool KeyReader::add_codes(std::size_t k, std::size_t most) {
  Column& column = columns_[k];
  const std::vector<std::uint64_t>& values = column.values;
  const std::size_t before = code_count_;
  const bool is_text = specs_[k].is_text();
  most = std::min(most, std::max<std::size_t>(values.size(), 64)) / before;
  if (!is_text && (most == 0 || !column.codes.read(values, most))) return false;
  column.code_count = is_text ? column.texts.size() : column.codes.size();
  if (column.code_count > most && varying_ > 1) return false;
  codes_.resize(values.size());
  const auto factor = static_cast<std::uint32_t>(before);
  for (std::size_t row = 0; row < values.size(); ++row) {
    const std::uint32_t code = is_text ? static_cast<std::uint32_t>(values[row]) : column.codes.code(values[row], row);
    codes_[row] = (factor == 1 ? 0 : codes_[row]) + factor * code;
  }
  code_count_ = before * column.code_count;
  return true;
}

const Key& KeyReader::of_code(std::uint32_t code) {
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    Column& column = columns_[k];
    if (!column.varying) {
      key_[k] = specs_[k].is_text() ? intern(column, column.values[0]) : column.values[0];
      continue;
    }
    const auto own = static_cast<std::uint32_t>(code % column.code_count);
    code /= static_cast<std::uint32_t>(column.code_count);
    key_[k] = specs_[k].is_text() ? intern(column, own) : column.codes.number(own);
  }
  return key_;
}

std::uint64_t KeyReader::intern(Column& column, std::uint64_t index) {
  std::uint64_t& id = column.ids[index];
  if (id == Interner::kUnknown) id = shared_ ? shared_->find(column.texts[index]) : own_->id_of(column.texts[index]);
  return id;
}

void KeyReader::read_one(const KeySpec& spec, const Part& part, Column* column) {
  switch (spec.by) {
    case KeySpec::By::kField:
      return read_field(spec.field, part, column);
    case KeySpec::By::kTime:
      return read_times(spec.steps, part, column);
    case KeySpec::By::kArgument:
      return read_argument(spec.argument.index_in(*part.view->groups()[part.group].site), part, column);
  }
}

void KeyReader::read_field(Field field, const Part& part, Column* column) {
  const ViewGroup& group = part.view->groups()[part.group];
  const wire::SiteInfo& site = group.site->info();
  const format::SessionBlock& session = part.view->session().info;
  switch (field) {
    case Field::kLevel:
      return column->values.push_back(static_cast<std::uint64_t>(site.level));
    case Field::kThread:
      return read_threads(part, column);
    case Field::kTid:
      return read_tids(part, column);
    case Field::kPid:
      return column->values.push_back(session.pid);
    case Field::kProgram:
      return column->set_text(session.program);
    case Field::kHost:
      return column->set_text(session.host);
    case Field::kLogger:
      return column->set_text(group.logger->info.name);
    case Field::kSite:
      return column->set_text(place_of(*group.site));
    case Field::kFile:
      return column->set_text(site.file);
    case Field::kLine:
      return column->values.push_back(site.line);
    case Field::kFunction:
      return column->set_text(site.function);
    case Field::kFormat:
      return column->set_text(site.format);
    case Field::kMessage:
      return read_messages(part, column);
    case Field::kSequence:
      return read_sequences(part, column);
    case Field::kTime:
    case Field::kArgument:
      return column->values.push_back(0);  // no key of this kind
  }
}

namespace {

// visit(row, run) for the rows of a part.
template <class Visit>
void each_run_of(const Part& part, const Visit& visit) {
  BlockView& view = *part.view;
  const std::span<const std::uint32_t> records = view.records_of(part.group);
  std::size_t run = 0;
  for (std::uint32_t row = 0; row < part.rows; ++row) {
    const std::uint32_t record = records.empty() ? row : records[row];
    while (record >= view.runs()[run].start + view.runs()[run].records) ++run;
    visit(row, run, record);
  }
}

// One value for all rows, where all runs have the same; else one for each.
template <class ValueOf, class Column>
void read_by_run(const Part& part, Column* column, const ValueOf& value_of) {
  BlockView& view = *part.view;
  std::vector<std::uint64_t> of_run;
  for (const reader::RunEntry& run : view.runs()) of_run.push_back(value_of(view.thread_of(run)));
  if (of_run.empty()) of_run.push_back(0);
  column->values.assign(1, of_run[0]);
  if (std::count(of_run.begin(), of_run.end(), of_run[0]) == static_cast<std::ptrdiff_t>(of_run.size())) return;
  column->values.resize(part.rows);
  each_run_of(part, [&](std::uint32_t row, std::size_t run, std::uint32_t) { column->values[row] = of_run[run]; });
}

}  // namespace

void KeyReader::read_threads(const Part& part, Column* column) {
  std::unordered_map<std::string, std::uint64_t> known;
  read_by_run(part, column, [&](const reader::Thread& thread) {
    const auto [found, added] = known.try_emplace(thread.display(), column->texts.size());
    if (added) column->texts.add(found->first);
    return found->second;
  });
  if (column->texts.empty()) column->texts.add({});
}

void KeyReader::read_tids(const Part& part, Column* column) {
  read_by_run(part, column, [](const reader::Thread& thread) -> std::uint64_t { return thread.info.tid; });
}

void KeyReader::read_sequences(const Part& part, Column* column) {
  const std::span<const reader::RunEntry> runs = part.view->runs();
  column->values.assign(part.rows, 0);
  each_run_of(part, [&](std::uint32_t row, std::size_t run, std::uint32_t record) {
    column->values[row] = runs[run].first_seq + (record - runs[run].start);
  });
}

// Rows that are not kept get the first text.
void KeyReader::read_messages(const Part& part, Column* column) {
  BlockView& view = *part.view;
  const ViewGroup& of = view.groups()[part.group];
  reader::DecodedGroup printed;
  printed.site = of.site;
  printed.printer = of.site->layout() != nullptr ? of.site->printer() : nullptr;
  printed.drops = view.reports_drops(part.group);
  std::vector<text::Value> values(of.columns);
  std::unordered_map<std::string, std::uint64_t> known;
  ByteBuffer text;
  column->values.assign(part.rows, 0);
  for (std::uint32_t row = 0; row < part.rows; ++row) {
    if (!part.is_kept(row)) continue;
    view.values(part.group, row, values.data());
    text.clear();
    reader::append_message(printed, values, text);
    const auto [found, added] =
        known.try_emplace(std::string(reinterpret_cast<const char*>(text.data()), text.size()), column->texts.size());
    if (added) column->texts.add(found->first);
    column->values[row] = found->second;
  }
  if (column->texts.empty()) column->texts.add({});
}

void KeyReader::read_times(const TimeSteps& steps, const Part& part, Column* column) {
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (part.view->wall_bounds(&first, &last) && steps.step_of(first) == steps.step_of(last)) {
    return column->values.push_back(static_cast<std::uint64_t>(steps.step_of(first)));
  }
  const std::span<const std::int64_t> walls = part.view->walls_of(part.group);
  column->values.assign(part.rows, 0);
  std::int64_t step = 0;
  std::int64_t next = 0;  // no step yet
  for (std::size_t i = 0; i < walls.size(); ++i) {
    if (walls[i] < step || walls[i] >= next) {
      step = steps.step_of(walls[i]);
      next = steps.next_of(step);
    }
    column->values[i] = static_cast<std::uint64_t>(step);
  }
}

void KeyReader::read_argument(std::uint32_t index, const Part& part, Column* column) {
  BlockView& view = *part.view;
  const ArgType type = view.type_of(part.group, index);
  std::uint64_t constant = 0;
  if (!counts_as_text(type) && view.constant(part.group, index, &constant)) {
    return column->values.push_back(one_of_equals(type, constant));
  }
  column->values.assign(part.rows, 0);
  if (!counts_as_text(type)) {
    const std::span<const std::uint64_t> values = view.ints(part.group, index);
    std::transform(values.begin(), values.end(), column->values.begin(),
                   [type](std::uint64_t value) { return one_of_equals(type, value); });
    return;
  }
  read_texts(part, index, &argument_);
  std::swap(column->texts, argument_.texts);
  if (column->texts.empty()) column->texts.add({});  // damaged
  std::copy(argument_.codes.begin(), argument_.codes.end(), column->values.begin());
}

}  // namespace steno::query
