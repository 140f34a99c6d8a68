#include "output/meaning_cells.h"

#include <cmath>
#include <limits>

#include "text/meaning.h"

namespace steno::cli {
namespace {

using query::Cell;
using query::Operation;
using text::Meaning;

// Turns a time in the argument's unit into a time of the table; leaves it as a number if it is out of range.
void make_time(const Meaning& meaning, Cell* cell) {
  text::Int128 ns = 0;
  long double real = 0;
  const auto whole =
      cell->kind == Cell::Kind::kReal ? static_cast<text::Int128>(std::llround(cell->real)) : cell->integer;
  if (!text::convert(whole, meaning.time_unit(), text::kNanosecond, &ns, &real)) return;
  if (ns < std::numeric_limits<std::int64_t>::min() || ns > std::numeric_limits<std::int64_t>::max()) return;
  *cell = Cell::of_time(static_cast<std::int64_t>(ns));
}

// `value`: the number is a value that was logged, or lies between two such. Else it is a sum or a deviation, which is
// neither a time nor an enumerator.
void add_meaning(const Meaning* meaning, bool value, Cell* cell) {
  const bool number =
      cell->kind == Cell::Kind::kInteger || (cell->kind == Cell::Kind::kReal && std::isfinite(cell->real));
  if (meaning != nullptr && meaning->kind() == Meaning::Kind::kList && cell->kind == Cell::Kind::kText) {
    text::Value bytes;
    bytes.type = ArgType::kString;
    bytes.string = cell->text;
    ByteBuffer shown;
    meaning->print(bytes, -1, shown);
    *cell = Cell::of_text({reinterpret_cast<const char*>(shown.data()), shown.size()});
  }
  if (meaning == nullptr || !number) return;
  switch (meaning->kind()) {
    case Meaning::Kind::kUnit:
    case Meaning::Kind::kDuration:
      cell->unit = meaning->unit();
      return;
    case Meaning::Kind::kTime:
      if (value) make_time(*meaning, cell);
      return;
    case Meaning::Kind::kList:
      return;
    case Meaning::Kind::kNames:
      if (cell->kind != Cell::Kind::kInteger || !value) return;
      if (const auto name = meaning->name_of(static_cast<std::uint64_t>(cell->integer))) *cell = Cell::of_text(*name);
      return;
  }
}

bool is_value(Operation::Kind kind) {
  return kind != Operation::Kind::kSum && kind != Operation::Kind::kDeviation;
}

}  // namespace

bool is_amount(Operation::Kind kind) {
  switch (kind) {
    case Operation::Kind::kMin:
    case Operation::Kind::kMax:
    case Operation::Kind::kMean:
    case Operation::Kind::kSum:
    case Operation::Kind::kDeviation:
    case Operation::Kind::kQuantile:
      return true;
    default:
      return false;
  }
}

void add_meanings(const query::Question& question, std::vector<query::AnswerRow>* rows) {
  const Meaning* const meaning = question.argument.meaning;
  for (query::AnswerRow& row : *rows) {
    for (std::size_t k = 0; k < row.keys.size(); ++k) {
      add_meaning(question.keys[k].argument.meaning, true, &row.keys[k]);
    }
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const Operation::Kind kind = question.operations[i].kind;
      if (is_amount(kind)) add_meaning(meaning, is_value(kind), &row.values[i]);
    }
    for (query::Frequency& one : row.top) add_meaning(meaning, true, &one.value);
  }
}

}  // namespace steno::cli
