#include "query/statistics/grouping.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/ascii.h"
#include "base/split.h"
#include "base/suggest.h"
#include "query/filter/filter.h"
#include "query/filter/time_spec.h"
#include "query/narrow.h"
#include "query/ordered.h"
#include "query/statistics/text_codes.h"
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

// The type as which values of all these types are keys: integers, unless some are negative and others are from 2^63 on;
// texts.
std::optional<ArgType> common_type(const std::vector<ArgType>& types) {
  const auto all = [&](const auto& is) { return std::all_of(types.begin(), types.end(), is); };
  if (all([](ArgType type) { return is_string(type); })) return ArgType::kString;
  if (!all([](ArgType type) { return !counts_as_text(type) && kind_of_type(type) != NumberKind::kReal; })) return {};
  if (all([](ArgType type) { return !is_signed_integer(type); })) return ArgType::kU64;
  const bool large = !all([](ArgType type) { return type != ArgType::kU64; });
  return large ? std::nullopt : std::optional(ArgType::kI64);
}

Result<KeySpec> parse_argument_key(std::string_view name, const Statement* statement) {
  if (statement == nullptr) {
    return Status(
        StatusCode::kInvalidArgument,
        "--by: '" + std::string(name) + "' needs the statement that has this argument; write its text after the files");
  }
  auto argument = find_key(*statement, name);
  if (!argument.ok()) return Status(StatusCode::kInvalidArgument, "--by: " + argument.status().message());
  if (const auto common = common_type(argument->types)) argument->types = {*common};
  if (argument->types.size() != 1) {
    return Status(StatusCode::kInvalidArgument,
                  "--by: '" + argument->name + "' has different types in different places");
  }
  KeySpec spec;
  spec.by = KeySpec::By::kArgument;
  spec.title = argument->name;
  spec.argument = std::move(argument).value();
  return spec;
}

// "arg NAME", "arg:NAME", "{NAME}": NAME. Empty: not so.
std::string_view explicit_argument(std::string_view text) {
  if (text.starts_with("arg ") || text.starts_with("arg:")) return text.substr(4);
  if (text.size() > 2 && text.starts_with('{') && text.ends_with('}')) return text.substr(1, text.size() - 2);
  return {};
}

// "minute", "1m": "time:1m". Other keys are returned as they are.
std::string with_time_step(const std::string& key) {
  for (const char* word : {"second", "minute", "hour", "day", "week"}) {
    if (key == word) return "time:1" + key;
  }
  return !key.empty() && is_digit(key[0]) && parse_duration(key).ok() ? "time:" + key : key;
}

Result<KeySpec> parse_key(const std::string& text, const Statement* statement, const TimeSpan* local_span) {
  KeySpec spec;
  spec.title = text;
  if (text.starts_with("time:")) {
    const auto width = parse_duration(std::string_view(text).substr(5));
    if (!width.ok()) return Status(StatusCode::kInvalidArgument, "--by: " + width.status().message());
    spec.by = KeySpec::By::kTime;
    spec.title = "time";
    spec.steps = local_span != nullptr ? TimeSteps::local(*width, *local_span) : TimeSteps(*width);
    return spec;
  }
  if (text == "time") return Status(StatusCode::kInvalidArgument, "--by: how long a step? Write time:1s");
  if (const std::string_view name = explicit_argument(text); !name.empty()) {
    return parse_argument_key(name, statement);
  }
  static const std::vector<const reader::Site*> none;
  const std::vector<const reader::Site*>& sites = statement != nullptr ? statement->sites : none;
  spec.field = field_named(text, arguments_of(sites));
  if (spec.field != Field::kArgument) return spec;
  if (statement != nullptr && (find_argument(*statement, text).ok() || arguments_of(sites)(text))) {
    return parse_argument_key(text, statement);
  }
  std::set<std::string> names(field_names().begin(), field_names().end());
  names.erase("time");
  names.insert("time:1s");
  for (const reader::Site* site : sites) {
    const std::vector<std::string> own = site->value_names();
    names.insert(own.begin(), own.end());
  }
  return Status(StatusCode::kInvalidArgument,
                "--by: cannot group by '" + text + "'" + did_you_mean(text, {names.begin(), names.end()}));
}

}  // namespace

bool name_arguments(const std::vector<std::string>& texts, const std::vector<const reader::Site*>& sites) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return !text.starts_with("time:") && field_named(text, arguments_of(sites)) == Field::kArgument;
  });
}

std::vector<std::string> plain_keys(const std::vector<std::string>& texts,
                                    const std::vector<const reader::Site*>& sites) {
  const IsArgument is_argument = arguments_of(sites);
  std::vector<std::string> keys;
  for (const std::string& text : texts) {
    const std::string_view name = explicit_argument(text);
    const bool is_one = is_argument(name.empty() ? text : name);
    for (const std::string_view part : is_one ? std::vector<std::string_view>{text} : split(text, ',')) {
      const std::string key(trim(part));
      keys.push_back(is_argument(key) ? key : with_time_step(key));
    }
  }
  return keys;
}

Result<std::vector<KeySpec>> parse_keys(const std::vector<std::string>& texts, const Statement* statement,
                                        const TimeSpan* local_span) {
  if (texts.size() > kMaxKeys) {
    return Status(StatusCode::kInvalidArgument, "--by: at most " + std::to_string(kMaxKeys) + " keys");
  }
  std::vector<KeySpec> specs;
  for (const std::string& text : texts) {
    auto spec = parse_key(text, statement, local_span);
    if (!spec.ok()) return spec.status();
    specs.push_back(std::move(spec).value());
  }
  return specs;
}

bool KeyReader::read(const Part& part, const KeyRange& range) {
  range_ = &range;
  coded_ = nullptr;
  std::size_t varying = 0;
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    Column& column = columns_[k];
    column.values.clear();
    column.texts.clear();
    read_one(specs_[k], part, &column);
    column.varying = column.values.size() > 1;
    varying += column.varying ? 1 : 0;
    if (!specs_[k].is_text()) continue;
    if (column.varying) coded_ = &column;
    column.ids.assign(column.texts.size(), Interner::kUnknown);
    for (const Bound which : {kFrom, kCut}) {
      const std::optional<KeyBound>& bound = which == kFrom ? range.from : range.cut;
      column.signs[which].clear();
      if (!bound) continue;
      for (const std::string& text : column.texts) column.signs[which].push_back(text.compare(bound->texts[k]));
    }
  }
  if (varying != 1) coded_ = nullptr;
  return varying == 0;
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

const Key& KeyReader::key_with(std::size_t row, std::uint64_t code) {
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    Column& column = columns_[k];
    const std::uint64_t value = &column == coded_ ? code : column.values[column.varying ? row : 0];
    key_[k] = specs_[k].is_text() ? intern(column, value) : value;
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
    std::string name = thread.display();
    const auto [found, added] = known.try_emplace(name, column->texts.size());
    if (added) column->texts.push_back(std::move(name));
    return found->second;
  });
  if (column->texts.empty()) column->texts.emplace_back();
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
    if (part.keep != nullptr && part.keep[row] == 0) continue;
    view.values(part.group, row, values.data());
    text.clear();
    reader::append_message(printed, values, text);
    std::string message(reinterpret_cast<const char*>(text.data()), text.size());
    const auto [found, added] = known.try_emplace(message, column->texts.size());
    if (added) column->texts.push_back(std::move(message));
    column->values[row] = found->second;
  }
  if (column->texts.empty()) column->texts.emplace_back();
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
  TextCodes texts = read_texts(part, index);
  column->texts = std::move(texts.texts);
  if (column->texts.empty()) column->texts.emplace_back();  // damaged
  std::copy(texts.codes.begin(), texts.codes.end(), column->values.begin());
}

Cell cell_of(const KeySpec& spec, std::uint64_t value, const Interner& interner) {
  switch (spec.by) {
    case KeySpec::By::kField:
      if (spec.field == Field::kLevel) return Cell::of_text(level_name(static_cast<Level>(value)));
      if (is_number(spec.field)) return Cell::of(static_cast<text::Int128>(value));
      break;
    case KeySpec::By::kTime:
      return Cell::of_time(static_cast<std::int64_t>(value));
    case KeySpec::By::kArgument: {
      const ArgType type = spec.argument.types[0];
      if (counts_as_text(type)) break;
      if (type == ArgType::kF32)
        return Cell::of_real(printed_value(std::bit_cast<float>(static_cast<std::uint32_t>(value))));
      if (type == ArgType::kF64) return Cell::of_real(std::bit_cast<double>(value));
      return is_signed_integer(type) ? Cell::of(static_cast<std::int64_t>(value))
                                     : Cell::of(static_cast<text::Int128>(value));
    }
  }
  return Cell::of_text(interner.text_of(value));
}

}  // namespace steno::query
