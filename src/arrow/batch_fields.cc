#include "arrow/batch_fields.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/suggest.h"
#include "text/utf8.h"

namespace steno::arrow {
namespace {

struct CommonColumn {
  const char* name;
  const char* format;
  bool dictionary;
};

// By Common.
constexpr CommonColumn kCommon[] = {
    {"time", "tsn:UTC", false}, {"time_ns", "l", false}, {"level", "u", true},  {"severity", "C", false},
    {"thread", "u", true},      {"tid", "L", false},     {"logger", "u", true}, {"file", "u", true},
    {"function", "u", true},    {"format", "u", true},   {"line", "I", false},  {"stable_id", "L", false},
    {"ticks", "L", false},      {"session", "I", false}, {"ring", "I", false},  {"sequence", "L", false},
    {"pid", "I", false},        {"program", "u", true},  {"host", "u", true},   {"message", "u", false},
};
static_assert(std::size(kCommon) == static_cast<std::size_t>(Common::kMessage) + 1);

constexpr Common kLogDefault[] = {Common::kTime,   Common::kSeverity, Common::kLevel, Common::kThread,
                                  Common::kLogger, Common::kFile,     Common::kLine,  Common::kFunction,
                                  Common::kFormat, Common::kMessage};
constexpr Common kStatementDefault[] = {Common::kTime, Common::kThread, Common::kLogger};

std::optional<Common> find_common(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kCommon); ++i) {
    if (name == kCommon[i].name) return static_cast<Common>(i);
  }
  return {};
}

const char* format_of(ArgType type, bool binary) {
  switch (type) {
    case ArgType::kBool:
      return "b";
    case ArgType::kI8:
      return "c";
    case ArgType::kU8:
      return "C";
    case ArgType::kI16:
      return "s";
    case ArgType::kU16:
      return "S";
    case ArgType::kI32:
    case ArgType::kErrno:
      return "i";
    case ArgType::kU32:
      return "I";
    case ArgType::kI64:
      return "l";
    case ArgType::kU64:
    case ArgType::kPointer:
      return "L";
    case ArgType::kF32:
      return "f";
    case ArgType::kF64:
      return "g";
    case ArgType::kI128:
    case ArgType::kU128:
    case ArgType::kF80:
    case ArgType::kF128:
      return "w:16";
    case ArgType::kString:
      return binary ? "z" : "u";
    case ArgType::kChar:
    case ArgType::kChar16:
    case ArgType::kChar32:
    case ArgType::kString16:
    case ArgType::kString32:
      return "u";
  }
  return "u";
}

// Arrow's own type of an argument's numbers; nullptr: none fits.
const char* format_of(const text::Meaning* meaning, ArgType type) {
  if (meaning == nullptr) return nullptr;
  using Kind = text::Meaning::Kind;
  if (meaning->kind() == Kind::kNames || meaning->kind() == Kind::kList) return "u";
  if (type != ArgType::kI64) return nullptr;  // Arrow's durations and times are
  const bool time = meaning->kind() == Kind::kTime;
  if (!time && meaning->kind() != Kind::kDuration) return nullptr;
  constexpr std::pair<text::TimeUnit, const char*> kDurations[] = {
      {text::kNanosecond, "tDn"}, {{1, 1'000'000}, "tDu"}, {{1, 1000}, "tDm"}, {{1, 1}, "tDs"}};
  constexpr std::pair<text::TimeUnit, const char*> kTimes[] = {
      {text::kNanosecond, "tsn:UTC"}, {{1, 1'000'000}, "tsu:UTC"}, {{1, 1000}, "tsm:UTC"}, {{1, 1}, "tss:UTC"}};
  for (const auto& [unit, format] : time ? kTimes : kDurations) {
    if (unit == meaning->time_unit()) return format;
  }
  return nullptr;
}

std::string valid_text(std::string_view text) {
  ByteBuffer out;
  append_valid_utf8(text, out);
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

// Names go through C strings.
std::string valid_name(std::string_view text) {
  std::string name = valid_text(text);
  std::replace(name.begin(), name.end(), '\0', '?');
  return name;
}

Field common_field(Common common) {
  const CommonColumn& column = kCommon[static_cast<std::size_t>(common)];
  Field field;
  field.name = column.name;
  field.format = column.format;
  field.dictionary = column.dictionary;
  field.ordered = common == Common::kLevel;
  field.common = common;
  return field;
}

}  // namespace

void append_valid_utf8(std::string_view text, ByteBuffer& out) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(text.data());
  const std::size_t n = text.size();
  std::size_t done = 0;  // copied
  std::size_t i = 0;
  while (i < n) {
    if (i + 8 <= n && (load<std::uint64_t>(p + i) & 0x8080808080808080u) == 0) {
      i += 8;
      continue;
    }
    std::uint32_t code = 0;
    const std::size_t size = text::decode_utf8(p + i, n - i, &code);
    if (size == 0) {
      out.put_bytes(p + done, i - done);
      out.put_bytes("\xEF\xBF\xBD", 3);
      done = ++i;
    } else {
      i += size;
    }
  }
  out.put_bytes(p + done, n - done);
}

Result<FieldPlan> FieldPlan::make(const BatchOptions& options, const std::vector<const reader::Site*>& sites) {
  FieldPlan plan;
  plan.statement_ = options.shape == BatchOptions::Shape::kStatement;
  plan.dictionary_strings_ = options.dictionary_strings;
  plan.binary_strings_ = options.binary_strings;
  plan.view_strings_ = options.view_strings;
  plan.skip_missing_ = options.skip_missing;
  if (options.columns.empty()) {
    plan.all_arguments_ = plan.statement_;
    if (plan.statement_) {
      for (const Common common : kStatementDefault) plan.wanted_.push_back({true, common, {}});
    } else {
      for (const Common common : kLogDefault) plan.wanted_.push_back({true, common, {}});
    }
    return plan;
  }
  for (const std::string& column : options.columns) {
    if (std::count(options.columns.begin(), options.columns.end(), column) > 1) {
      return Status(StatusCode::kInvalidArgument, "column '" + column + "' is named twice");
    }
    if (Status status = plan.add_column(column, sites); !status.ok()) return status;
  }
  return plan;
}

Status FieldPlan::add_column(const std::string& column, const std::vector<const reader::Site*>& sites) {
  if (const auto common = find_common(column)) {
    wanted_.push_back({true, *common, {}});
    return {};
  }
  const bool braces = column.size() > 2 && column.front() == '{' && column.back() == '}';
  std::string name = braces ? column.substr(1, column.size() - 2) : column;
  if (statement_ && skip_missing_) {  // of each statement those that it has
    wanted_.push_back({false, {}, std::move(name)});
    return {};
  }
  std::vector<std::string> candidates;
  for (const CommonColumn& known : kCommon) candidates.emplace_back(known.name);
  if (statement_) {
    for (const reader::Site* site : sites) {
      if (site->find_argument_or_number(name)) {
        wanted_.push_back({false, {}, std::move(name)});
        return {};
      }
      const std::vector<std::string> names = site->value_names();
      candidates.insert(candidates.end(), names.begin(), names.end());
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  }
  if (skip_missing_) return {};
  return {StatusCode::kInvalidArgument, "no column '" + column + "'" + did_you_mean(column, candidates)};
}

bool FieldPlan::is_taken(std::string_view name, const Fields& fields) const {
  const auto common = find_common(name);
  return std::any_of(wanted_.begin(), wanted_.end(),
                     [&](const Wanted& wanted) { return common && wanted.is_common && wanted.common == *common; }) ||
         std::any_of(fields.fields.begin(), fields.fields.end(),
                     [&](const Field& field) { return field.name == name; });
}

void FieldPlan::add_argument(const reader::Site& site, std::size_t index, Fields* fields) const {
  Field field;
  field.is_argument = true;
  field.is_context = index >= site.info().argument_types().size();
  field.argument = static_cast<std::uint32_t>(index);
  field.type = site.layout()->fields[index].type;
  const text::Meaning* const meaning = site.meaning(index);
  const char* const by_meaning = format_of(meaning, field.type);
  field.format = by_meaning != nullptr ? by_meaning : format_of(field.type, binary_strings_);
  field.meaning = meaning;
  if (meaning != nullptr) field.meaning_text = valid_text(meaning->text());
  if (const text::Presence* presence = site.presences().of(index)) field.presence = *presence;
  field.nullable = is_string(field.type) || field.presence.has_value();
  const bool list = meaning != nullptr && meaning->kind() == text::Meaning::Kind::kList;
  field.dictionary = dictionary_strings_ && is_string(field.type) && !list;
  if (view_strings_ && is_string(field.type) && !field.dictionary && *field.format == 'u') field.format = "vu";
  const std::string name = valid_name(site.argument_names()[index]);
  field.name = name;
  for (int n = 2; is_taken(field.name, *fields); ++n) field.name = name + "_" + std::to_string(n);
  if (field.name != name) field.own_name = name;
  fields->fields.push_back(std::move(field));
}

std::shared_ptr<const Fields> FieldPlan::fields(const reader::Site* site) const {
  auto fields = std::make_shared<Fields>();
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const Wanted& wanted = wanted_[i];
    if (wanted.is_common) {
      fields->fields.push_back(common_field(wanted.common));
    } else if (const auto index = site != nullptr ? site->find_argument_or_number(wanted.name) : std::nullopt) {
      add_argument(*site, *index, fields.get());
    } else {
      continue;
    }
    fields->fields.back().wanted = i;
  }
  if (site == nullptr) return fields;
  const std::size_t arguments = all_arguments_ && site->layout() != nullptr ? site->argument_names().size() : 0;
  for (std::size_t i = 0; i < arguments; ++i) {
    if (site->presences().is_field(i)) continue;
    add_argument(*site, i, fields.get());
    fields->fields.back().wanted = wanted_.size();
  }
  char stable_id[17];
  std::snprintf(stable_id, sizeof stable_id, "%016llx", static_cast<unsigned long long>(site->info().stable_id));
  fields->metadata = {{"steno.format", valid_text(site->info().format)},
                      {"steno.types", valid_text(site->info().types)},
                      {"steno.stable_id", stable_id}};
  return fields;
}

}  // namespace steno::arrow
