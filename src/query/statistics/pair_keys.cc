#include "query/statistics/pair_keys.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "query/narrow.h"
#include "query/ordered.h"

namespace steno::query {
namespace {

Cell cell_of_number(ArgType type, std::uint64_t value) {
  if (type == ArgType::kF32)
    return Cell::of_real(printed_value(std::bit_cast<float>(static_cast<std::uint32_t>(value))));
  if (kind_of_type(type) == NumberKind::kReal) return Cell::of_real(std::bit_cast<double>(value));
  return is_signed_integer(type) ? Cell::of(static_cast<std::int64_t>(value))
                                 : Cell::of(static_cast<text::Int128>(value));
}

std::string text_of_field(const Part& part, Field field, const reader::Thread& thread) {
  const format::SessionBlock& session = part.view->session().info;
  switch (field) {
    case Field::kProgram:
      return session.program;
    case Field::kHost:
      return session.host;
    case Field::kLogger:
      return part.view->groups()[part.group].logger->info.name;
    default:
      return thread.display();
  }
}

bool is_of_thread(Field field) {
  return field == Field::kThread || field == Field::kTid;
}

}  // namespace

bool is_pair_field(Field field) {
  return is_of_thread(field) || field == Field::kPid || field == Field::kProgram || field == Field::kHost ||
         field == Field::kLogger;
}

Result<PairKey> parse_pair_key(const std::string& text, const Statement& first, const Statement& second) {
  const std::size_t equals = std::min(text.find('='), text.size());
  if (equals != text.size() && (equals == 0 || equals + 1 == text.size())) {
    return Status(StatusCode::kInvalidArgument,
                  "'" + text + "' names one argument; write one of each statement, as in id=order_id");
  }
  PairKey key;
  key.title = text.substr(0, equals);
  auto of_first = find_argument(first, key.title);
  if (!of_first.ok()) return of_first.status();
  auto of_second = find_argument(second, equals == text.size() ? key.title : text.substr(equals + 1));
  if (!of_second.ok()) return of_second.status();
  key.first = std::move(of_first).value();
  key.second = std::move(of_second).value();
  return key;
}

void PairKeyReader::read(const Part& part, std::uint32_t side) {
  keep_ = part.keep;
  const reader::Site& site = *part.view->groups()[part.group].site;
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    Column& column = columns_[k];
    column = {};
    if (keys_[k].field != Field::kArgument) {
      read_field(part, keys_[k].field, &column);
    } else {
      read_argument(part, keys_[k].argument(side).index_in(site), &column);
    }
  }
  joined_.resize(keys_.size());
}

bool PairKeyReader::has(std::size_t row) const {
  if (keep_ != nullptr && keep_[row] == 0) return false;
  for (const Column& column : columns_) {
    if (column.values.empty()) return false;  // damaged
    if (column.presence == nullptr) continue;
    if (row >= column.flags.size() || column.flags[row] != column.presence->value) return false;  // or damaged
  }
  return true;
}

KeyBits PairKeyReader::bits(std::size_t row) {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const Column& column = columns_[k];
    const std::uint64_t value = column.value(row);
    joined_[k] = column.is_text ? column.bits[value] : KeyBits::of_number(column.type, value);
  }
  if (joined_.size() == 1) return joined_[0];
  return KeyBits::of_text({reinterpret_cast<const char*>(joined_.data()), joined_.size() * sizeof(KeyBits)});
}

std::vector<Cell> PairKeyReader::cells(std::size_t row) const {
  std::vector<Cell> cells;
  for (const Column& column : columns_) {
    const std::uint64_t value = column.value(row);
    cells.push_back(column.is_text ? Cell::of_text(column.texts[value]) : cell_of_number(column.type, value));
    cells.back().copied = true;
  }
  return cells;
}

void PairKeyReader::read_argument(const Part& part, std::uint32_t index, Column* column) {
  column->type = part.view->type_of(part.group, index);
  column->presence = part.view->groups()[part.group].site->presences().of(index);
  if (column->presence != nullptr) column->flags = part.view->ints(part.group, column->presence->field);
  column->is_text = counts_as_text(column->type);
  if (!column->is_text) {
    const std::span<const std::uint64_t> values = part.view->ints(part.group, index);
    column->values.assign(values.begin(), values.end());
    return;
  }
  TextCodes texts;
  read_texts(part, index, &texts);
  column->texts = std::move(texts.texts);
  column->values.assign(texts.codes.begin(), texts.codes.end());
  for (std::size_t i = 0; i < column->texts.size(); ++i) column->bits.push_back(KeyBits::of_text(column->texts[i]));
}

void PairKeyReader::read_field(const Part& part, Field field, Column* column) {
  BlockView& view = *part.view;
  column->is_text = field != Field::kTid && field != Field::kPid;
  column->type = column->is_text ? ArgType::kString : ArgType::kU64;
  if (field == Field::kPid) {
    column->values = {view.session().info.pid};
    return;
  }
  const std::span<const reader::RunEntry> runs = view.runs();
  std::unordered_map<std::string, std::uint64_t> known;
  std::vector<std::uint64_t> of_run;
  for (const reader::RunEntry& run : runs) {
    const reader::Thread& thread = view.thread_of(run);
    if (field == Field::kTid) {
      of_run.push_back(thread.info.tid);
      continue;
    }
    std::string text = text_of_field(part, field, thread);
    const auto [found, added] = known.try_emplace(text, column->texts.size());
    if (added) {
      column->bits.push_back(KeyBits::of_text(text));
      column->texts.add(text);
    }
    of_run.push_back(found->second);
    if (!is_of_thread(field)) break;
  }
  if (of_run.size() <= 1) {
    column->values = of_run;
    return;
  }
  column->values.resize(part.rows);
  const std::span<const std::uint32_t> records = view.records_of(part.group);
  std::size_t run = 0;
  for (std::uint32_t row = 0; row < part.rows; ++row) {
    const std::uint32_t record = records.empty() ? row : records[row];
    while (record >= runs[run].start + runs[run].records) ++run;
    column->values[row] = of_run[run];
  }
}

}  // namespace steno::query
