#include "query/grouping.h"

#include <algorithm>
#include <bit>

#include "query/suggest.h"
#include "query/text_codes.h"
#include "query/time_spec.h"

namespace steno::query {
namespace {

constexpr std::size_t kMostKnown = 1 << 16;  // texts that a thread remembers by itself

std::string place_of(const reader::Site& site) {
  return site.info().file + ":" + std::to_string(site.info().line);
}

Result<KeySpec> parse_argument_key(std::string_view name, const Statement* statement) {
  if (statement == nullptr) {
    return Status(StatusCode::kInvalidArgument,
                  "--by: '" + std::string(name) +
                      "' needs the statement that has this argument; write its text behind the files");
  }
  auto argument = find_argument(*statement, name);
  if (!argument.ok()) return Status(StatusCode::kInvalidArgument, "--by: " + argument.status().message());
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

Result<KeySpec> parse_key(const std::string& text, const Statement* statement, const TimeSpan* local_span) {
  KeySpec spec;
  spec.title = text;
  static constexpr std::pair<std::string_view, KeySpec::By> kNames[] = {{"level", KeySpec::By::kLevel},
                                                                        {"thread", KeySpec::By::kThread},
                                                                        {"logger", KeySpec::By::kLogger},
                                                                        {"site", KeySpec::By::kSite}};
  for (const auto& [name, by] : kNames) {
    spec.by = by;
    if (text == name) return spec;
  }
  if (text.starts_with("time:")) {
    const auto width = parse_duration(std::string_view(text).substr(5));
    if (!width.ok()) return Status(StatusCode::kInvalidArgument, "--by: " + width.status().message());
    spec.by = KeySpec::By::kTime;
    spec.title = "time";
    spec.steps = local_span != nullptr ? TimeSteps::local(*width, *local_span) : TimeSteps(*width);
    return spec;
  }
  if (text == "time") return Status(StatusCode::kInvalidArgument, "--by: how long a step? Write time:1s");
  if (text.starts_with("arg ") || text.starts_with("arg:")) return parse_argument_key(text.substr(4), statement);
  std::vector<std::string> candidates = {"level", "thread", "logger", "site", "time:1s"};
  if (statement != nullptr) {
    if (find_argument(*statement, text).ok()) return parse_argument_key(text, statement);
    const std::vector<std::string> arguments = statement->sites[0]->argument_names();
    candidates.insert(candidates.end(), arguments.begin(), arguments.end());
  }
  return Status(StatusCode::kInvalidArgument,
                "--by: there is no '" + text + "' to group by" + did_you_mean(text, candidates));
}

}  // namespace

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

std::size_t KeyHash::operator()(const Key& key) const {
  std::uint64_t h = 0x9E3779B97F4A7C15;
  for (const std::uint64_t part : key) {
    h = (std::rotl(h, 23) ^ part) * 0xC2B2AE3D27D4EB4F;
    h ^= h >> 29;
  }
  return h;
}

std::uint64_t Interner::id_of(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  texts_.emplace_back(text);
  ids_.emplace(texts_.back(), texts_.size() - 1);
  return texts_.size() - 1;
}

std::uint64_t KeyReader::intern(std::string_view text) {
  if (known_.size() > kMostKnown) known_.clear();
  const auto [found, added] = known_.try_emplace(std::string(text), 0);
  if (added) found->second = interner_->id_of(text);
  return found->second;
}

bool KeyReader::read(const Part& part) {
  varying_.clear();
  key_ = {};
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (!read_one(specs_[i], part, &key_[i], &columns_[i])) varying_.push_back(i);
  }
  return varying_.empty();
}

bool KeyReader::read_one(const KeySpec& spec, const Part& part, std::uint64_t* constant,
                         std::vector<std::uint64_t>* column) {
  const ViewGroup& group = part.view->groups()[part.group];
  switch (spec.by) {
    case KeySpec::By::kLevel:
      *constant = static_cast<std::uint64_t>(group.site->info().level);
      return true;
    case KeySpec::By::kLogger:
      *constant = intern(group.logger->info.name);
      return true;
    case KeySpec::By::kSite:
      *constant = intern(place_of(*group.site));
      return true;
    case KeySpec::By::kThread:
      return read_threads(part, constant, column);
    case KeySpec::By::kTime:
      return read_times(spec.steps, part, constant, column);
    case KeySpec::By::kArgument:
      return read_argument(spec.argument.index, part, constant, column);
  }
  return true;
}

bool KeyReader::read_threads(const Part& part, std::uint64_t* constant, std::vector<std::uint64_t>* column) {
  BlockView& view = *part.view;
  std::vector<std::uint64_t> of_run;
  for (const reader::RunEntry& run : view.runs()) of_run.push_back(intern(view.thread_of(run).display()));
  *constant = of_run.empty() ? 0 : of_run[0];
  if (std::all_of(of_run.begin(), of_run.end(), [&](std::uint64_t id) { return id == *constant; })) return true;
  const std::span<const std::uint32_t> records = view.records_of(part.group);
  column->resize(part.rows);
  std::size_t run = 0;
  for (std::uint32_t row = 0; row < part.rows; ++row) {
    const std::uint32_t record = records.empty() ? row : records[row];
    while (record >= view.runs()[run].start + view.runs()[run].records) ++run;
    (*column)[row] = of_run[run];
  }
  return false;
}

bool KeyReader::read_times(const TimeSteps& steps, const Part& part, std::uint64_t* constant,
                           std::vector<std::uint64_t>* column) {
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (part.view->wall_bounds(&first, &last) && steps.step_of(first) == steps.step_of(last)) {
    *constant = static_cast<std::uint64_t>(steps.step_of(first));
    return true;
  }
  const std::span<const std::int64_t> walls = part.view->walls_of(part.group);
  column->assign(part.rows, 0);
  std::int64_t step = 0;
  std::int64_t next = 0;  // no step yet
  for (std::size_t i = 0; i < walls.size(); ++i) {
    if (walls[i] < step || walls[i] >= next) {
      step = steps.step_of(walls[i]);
      next = steps.next_of(step);
    }
    (*column)[i] = static_cast<std::uint64_t>(step);
  }
  return false;
}

bool KeyReader::read_argument(std::uint32_t index, const Part& part, std::uint64_t* constant,
                              std::vector<std::uint64_t>* column) {
  BlockView& view = *part.view;
  const ArgType type = view.type_of(part.group, index);
  if (!counts_as_text(type) && view.constant(part.group, index, constant)) return true;
  column->assign(part.rows, 0);
  if (!counts_as_text(type)) {
    const std::span<const std::uint64_t> values = view.ints(part.group, index);
    std::copy(values.begin(), values.end(), column->begin());
    return false;
  }
  const TextCodes texts = read_texts(part, index);
  std::vector<std::uint64_t> ids;
  for (const std::string& text : texts.texts) ids.push_back(intern(text));
  for (std::size_t row = 0; row < texts.codes.size() && !ids.empty(); ++row) (*column)[row] = ids[texts.codes[row]];
  return false;
}

Cell cell_of(const KeySpec& spec, std::uint64_t value, const Interner& interner) {
  switch (spec.by) {
    case KeySpec::By::kLevel:
      return Cell::of_text(level_name(static_cast<Level>(value)));
    case KeySpec::By::kTime:
      return Cell::of_time(static_cast<std::int64_t>(value));
    case KeySpec::By::kArgument: {
      const ArgType type = spec.argument.types[0];
      if (counts_as_text(type)) break;
      if (type == ArgType::kF32)
        return Cell::of_real(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value))));
      if (type == ArgType::kF64) return Cell::of_real(std::bit_cast<double>(value));
      return is_signed_integer(type) ? Cell::of(static_cast<std::int64_t>(value))
                                     : Cell::of(static_cast<text::Int128>(value));
    }
    default:
      break;
  }
  return Cell::of_text(interner.text_of(value));
}

}  // namespace steno::query
