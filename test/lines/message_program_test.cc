// Messages that are printed many at a time are those that the printer prints one by one.
#include "lines/message_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <list>

#include "../text/cases.h"
#include "text/string_shapes.h"

namespace steno::lines {
namespace {

using text::Column;
using text::Printer;
using text::testing::Argument;
using text::testing::Random;

constexpr std::string_view kKnownTypes = "basilhtjmdfS";
constexpr std::string_view kPrintfTypes = "ijlmdS";
const std::vector<std::size_t> kLongest = {4, 16, 17, 32, 64, 65, 600};  // bytes of a column's strings

// `plain`: with nothing to escape. At most so many bytes.
std::string some_text(Random& random, bool plain, std::size_t most) {
  static const std::vector<std::string> kParts = {
      "\n", "\t", "\x1b[31m", "\xc2\x9b", "\xc2", "\x80", "\xff", "\xe2\x80\xae", "\x7f", "é", std::string(1, '\0')};
  std::string text;
  for (std::size_t n = random.below(4); n != 0; --n) {
    text.append(random.below(random.one_in(6) ? 200 : 20), static_cast<char>('a' + random.below(26)));
    if (!plain && random.one_in(6)) text += random.pick(kParts);
  }
  text.resize(std::min(text.size(), most));
  return text;
}

// A statement, the columns of its records, and what they view.
struct Statement {
  wire::Style style = wire::Style::kBrace;
  std::string format;
  std::string types;
  bool plain = false;           // what is to be known of values is, and no string has anything to escape
  bool known = true;            // has known types only, without a width
  std::vector<int> precisions;  // the most there are, where there is none
  std::vector<std::vector<Argument>> values;
  std::vector<std::vector<std::uint64_t>> ints;
  std::vector<std::vector<std::string_view>> strings;
  std::vector<std::vector<std::uint8_t>> wide;
  std::list<std::string> arenas;
  std::list<std::vector<std::uint64_t>> numbers;
  std::list<std::vector<std::string_view>> texts;
  std::list<std::vector<std::uint32_t>> places;
  std::list<text::StringShapes> shapes;
  std::vector<Column> columns;  // strings as views
  std::vector<Column> packed;   // some as codes or shapes
};

std::string printf_conversion(char type, const std::string& width, int precision) {
  switch (type) {
    case 'd':
      return "%" + width + "." + std::to_string(precision) + "f";
    case 'S':
      return "%" + width + "s";
    case 'i':
      return "%" + width + "d";
    case 'j':
      return "%" + width + "u";
    default:
      return "%" + width + (type == 'l' ? "ld" : "lu");
  }
}

// Returns a format of at least some digits, decimal or hexadecimal, zeros before them.
std::string digits_format(Random& random, bool is_printf, char type) {
  const std::size_t form = random.below(3);
  const std::size_t width = random.below(form == 0 ? 20 : 17);
  std::string spec = width != 0 ? "0" + std::to_string(width) : form == 0 ? "01" : "";
  if (is_printf) {
    spec += type == 'l' || type == 'm' ? "l" : "";
    return "%" + spec + (form == 1 ? "x" : form == 2 ? "X" : type == 'i' || type == 'l' ? "d" : "u");
  }
  return "{:" + spec + (form == 1 ? "x" : form == 2 ? "X" : "") + "}";
}

// The strings one after another, with slack, and what is known of them: as they are decoded.
void put_in_arena(std::vector<std::string_view>& strings, Statement* statement, Column* column) {
  std::string& arena = statement->arenas.emplace_back();
  for (const std::string_view s : strings) arena += s;
  StringFacts facts = StringFacts::of({reinterpret_cast<const std::uint8_t*>(arena.data()), arena.size()}, true);
  arena.append(kStringSlack, '\n');
  std::size_t at = 0;
  for (std::string_view& s : strings) {
    if (s.data() == nullptr) {
      facts.has_null = true;
      continue;
    }
    facts.longest = std::max(facts.longest, static_cast<std::uint32_t>(s.size()));
    s = std::string_view(arena).substr(at, s.size());
    at += s.size();
  }
  column->facts = facts;
}

// Returns the text that the printer makes of a piece.
std::string text_of(const text::StringPiece& piece, std::size_t value) {
  using Kind = text::StringPiece::Kind;
  char number[32];
  const auto bits = [&] { return static_cast<unsigned long long>(piece.values.ints[value]); };
  switch (piece.kind) {
    case Kind::kConstant:
      return std::string(piece.constant);
    case Kind::kText:
      return std::string(piece.values.strings[value]);
    case Kind::kDecimal:
      std::snprintf(number, sizeof number, "%0*llu", piece.width, bits());
      return number;
    case Kind::kLowerHex:
      std::snprintf(number, sizeof number, "%0*llx", piece.width, bits());
      return number;
    case Kind::kUpperHex:
      std::snprintf(number, sizeof number, "%0*llX", piece.width, bits());
      return number;
  }
  return {};
}

text::StringPiece random_piece(Random& random, std::size_t values, Statement* statement) {
  using Kind = text::StringPiece::Kind;
  text::StringPiece piece;
  piece.kind = static_cast<Kind>(random.below(5));
  const std::size_t most = random.pick(kLongest);
  if (piece.kind == Kind::kConstant) {
    piece.constant = statement->arenas.emplace_back(some_text(random, statement->plain, most));
    return piece;
  }
  if (piece.kind == Kind::kText) {
    std::vector<std::string_view>& texts = statement->texts.emplace_back();
    for (std::size_t i = 0; i < values; ++i) {
      texts.push_back(statement->arenas.emplace_back(some_text(random, statement->plain, most)));
    }
    piece.values.type = ArgType::kString;
    if (statement->plain || random.one_in(2)) put_in_arena(texts, statement, &piece.values);
    piece.values.strings = texts.data();
    return piece;
  }
  std::vector<std::uint64_t>& numbers = statement->numbers.emplace_back();
  const std::size_t bits = 1 + random.below(random.one_in(2) ? 26 : 64);
  for (std::size_t i = 0; i < values; ++i) numbers.push_back(random.bits() >> (64 - bits));
  piece.values.type = ArgType::kU64;
  piece.values.ints = numbers.data();
  if (values != 0 && (statement->plain || random.one_in(2))) {
    piece.values.greatest = *std::max_element(numbers.begin(), numbers.end());
  }
  piece.width =
      static_cast<std::uint8_t>(random.one_in(3) ? 1 : 1 + random.below(piece.kind == Kind::kDecimal ? 19 : 16));
  return piece;
}

// Strings of some shapes, or of one, as columns have them.
void make_shaped(Random& random, bool several, std::vector<std::string_view>& strings, Statement* statement,
                 Column* column) {
  text::StringShapes& shapes = statement->shapes.emplace_back();
  const std::size_t count = 1 + (several ? 1 + random.below(3) : 1);
  std::vector<std::uint32_t> of_shape(count);
  std::vector<std::uint32_t>& places = statement->places.emplace_back();
  for (std::size_t i = 0; i < strings.size(); ++i) {
    const auto shape = static_cast<std::uint32_t>(several ? random.below(count) : 1);
    places.push_back(of_shape[shape]++ << text::StringShapes::kShapeBits | shape);
  }
  shapes.shapes.resize(count);
  text::StringPiece& other = shapes.shapes[0].emplace_back();
  other.kind = text::StringPiece::Kind::kText;
  other.values.type = ArgType::kString;
  std::vector<std::string_view>& others = statement->texts.emplace_back();
  for (std::size_t i = 0; i < strings.size(); ++i) {
    if ((places[i] & 31) == 0) others.push_back(strings[i]);
  }
  if (statement->plain || random.one_in(2)) put_in_arena(others, statement, &other.values);
  other.values.strings = others.data();
  for (std::size_t k = 1; k < count; ++k) {
    for (std::size_t n = random.below(5); n != 0; --n) {
      shapes.shapes[k].push_back(random_piece(random, of_shape[k], statement));
    }
  }
  for (std::size_t i = 0; i < strings.size(); ++i) {
    if ((places[i] & 31) == 0) continue;
    std::string& text = statement->arenas.emplace_back();
    for (const text::StringPiece& piece : shapes.shapes[places[i] & 31]) text += text_of(piece, places[i] >> 5);
    strings[i] = text;
  }
  if (several) shapes.places = places.data();
  column->shapes = &shapes;
  column->strings = nullptr;
}

// Strings of a table.
void make_coded(Random& random, std::vector<std::string_view>& strings, Statement* statement, Column* column) {
  std::vector<std::string_view>& table = statement->texts.emplace_back(strings);
  std::vector<std::uint64_t>& codes = statement->numbers.emplace_back();
  for (std::string_view& s : strings) s = table[codes.emplace_back(random.below(table.size()))];
  if (statement->plain || random.one_in(2)) put_in_arena(table, statement, column);
  column->strings = table.data();
  column->codes = codes.data();
}

void add_column(Random& random, std::size_t rows, Statement* statement) {
  const bool is_printf = statement->style == wire::Style::kPrintf;
  const bool known = is_printf || statement->plain || !random.one_in(20);
  const char type = random.pick(is_printf ? kPrintfTypes : known ? kKnownTypes : text::testing::kAllTypes);
  const bool fixed = (type == 'd' || type == 'f') && (is_printf || random.one_in(2));
  const bool in_digits = std::string_view("asilhtjm").find(type) != std::string_view::npos && random.one_in(5);
  const bool width = !statement->plain && !in_digits && random.one_in(30);
  // The shortest text of an f32 is left to the printer.
  statement->known = statement->known && known && !width && (fixed || type != 'f');
  statement->types += type;
  const int precision = fixed ? static_cast<int>(random.below(text::kMaxFixedPrecision + 1)) : text::kMaxFixedPrecision;
  statement->precisions.push_back(precision);
  statement->format += in_digits   ? digits_format(random, is_printf, type)
                       : is_printf ? printf_conversion(type, width ? "4" : "", precision)
                       : width     ? "{:4}"
                       : fixed     ? "{:." + std::to_string(precision) + "f}"
                                   : "{}";

  Column& column = statement->columns.emplace_back();
  auto& values = statement->values.emplace_back();
  auto& ints = statement->ints.emplace_back();
  auto& strings = statement->strings.emplace_back();
  auto& wide = statement->wide.emplace_back();
  column.type = static_cast<ArgType>(type);
  if (random.one_in(4)) column.mask = 0;
  const std::size_t most = random.pick(kLongest);
  for (std::size_t i = 0; i < (column.mask == 0 ? 1 : rows); ++i) {
    Argument& a = values.emplace_back(type != 'S' ? random_argument(random, column.type)
                                      : !statement->plain && random.one_in(20)
                                          ? Argument::null(column.type)
                                          : Argument::string(some_text(random, statement->plain, most)));
    if (is_string(column.type)) {
      strings.push_back(a.value.string);
    } else if (fixed_size(column.type) == 16) {
      wide.insert(wide.end(), a.value.wide, a.value.wide + 16);
    } else {
      ints.push_back(a.value.bits);
    }
  }
  if (is_string(column.type)) {
    if (statement->plain || random.one_in(2)) put_in_arena(strings, statement, &column);
    column.strings = strings.data();
    Column& packed = statement->packed.emplace_back(column);
    const auto has_several = [](const Column& c) { return c.shapes != nullptr && c.shapes->places != nullptr; };
    const bool several = std::none_of(statement->packed.begin(), statement->packed.end() - 1, has_several);
    const std::size_t form = column.type != ArgType::kString || column.mask == 0 ? 0 : random.below(3);
    if (form == 1) make_coded(random, strings, statement, &packed);
    if (form == 2) make_shaped(random, several && random.one_in(2), strings, statement, &packed);
    return;
  }
  if (fixed_size(column.type) == 16) {
    column.wide = wide.data();
  } else {
    column.ints = ints.data();
    const bool is_number = type != 'b' && type != 'd' && type != 'f';
    if (is_number && random.one_in(2)) {
      std::uint64_t limit = 10;
      for (std::size_t digits = random.below(10); digits != 0; --digits) limit *= 10;
      for (std::uint64_t& value : ints) value %= limit;
    }
    if (statement->plain || random.one_in(2)) column.greatest = *std::max_element(ints.begin(), ints.end());
    // Negative numbers in so many digits are left to the printer, and those that may be.
    const std::uint64_t greatest = column.mask == 0 ? ints[0] : column.greatest;
    if (in_digits && greatest >> (8 * fixed_size(column.type) - 1) != 0) statement->known = false;
  }
  statement->packed.push_back(column);
}

Statement random_statement(Random& random, std::size_t rows) {
  static const std::vector<std::string> kLiterals = {
      "", " ", "took ", ", ", " bytes of something that is rather long: ", "é", "\t"};
  Statement statement;
  statement.plain = random.one_in(2);
  if (random.one_in(4)) statement.style = wire::Style::kPrintf;
  for (std::size_t n = random.below(6); n != 0; --n) {
    statement.format += random.one_in(100) ? "\n" : random.pick(kLiterals);
    add_column(random, rows, &statement);
  }
  statement.format += random.pick(kLiterals);
  return statement;
}

std::string print_one(const Printer& printer, const Column* columns, std::size_t row) {
  ByteBuffer out;
  text::Cursor cursor(out);
  cursor.settle(printer.print_row(columns, row, cursor.begin(), cursor));
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

// Returns whether the statement has a number that the quick way cannot print with so many decimals.
bool has_odd_number(const Statement& statement, std::size_t row) {
  for (std::size_t i = 0; i < statement.columns.size(); ++i) {
    const Column& column = statement.columns[i];
    std::uint64_t digits = 0;
    if (column.type != ArgType::kF64 && column.type != ArgType::kF32) continue;
    const double value = text::to_double(column.type, column.bits_at(row));
    if (!text::round_fixed(value, statement.precisions[i], &digits)) return true;
  }
  return false;
}

TEST(MessageProgramProperty, PrintsWhatThePrinterPrints) {
  Random random("MessageProgramProperty");
  std::size_t printed = 0;
  std::size_t left_out = 0;
  MessageTexts texts;
  for (std::uint64_t i = 0; i < text::testing::property_cases() / 20; ++i) {
    const std::size_t rows = 1 + random.below(random.one_in(8) ? 150 : 40);
    const Statement statement = random_statement(random, rows);
    const Result<Printer> printer = Printer::compile(statement.style, statement.format, statement.types);
    ASSERT_TRUE(printer.ok()) << statement.format;
    const auto escape = static_cast<Escape>(random.below(3));
    const std::string ending = random.one_in(2) ? "\n" : " and what comes after\n";
    const auto program = MessageProgram::compile(printer.value(), escape, ending);
    if (!program) {
      EXPECT_TRUE(!statement.known || !is_clean(statement.format.data(), statement.format.size(), escape))
          << statement.format;
      continue;
    }
    std::vector<std::uint32_t> wanted(1 + random.below(random.one_in(2) ? 200 : 60));
    for (std::uint32_t& row : wanted) row = static_cast<std::uint32_t>(random.below(rows));
    std::vector<MessageText> found(wanted.size());
    if (random.one_in(3)) texts.bytes.clear();
    program->print(statement.packed.data(), wanted, texts, found.data());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const std::string expected = print_one(printer.value(), statement.columns.data(), wanted[k]);
      const bool clean = is_clean(expected.data(), expected.size(), escape);
      if (found[k].size == MessageText::kLeftOut) {
        EXPECT_TRUE(!statement.known || !clean || has_odd_number(statement, wanted[k])) << expected;
        ++left_out;
        continue;
      }
      const auto* text = reinterpret_cast<const char*>(texts.bytes.data()) + found[k].begin;
      ASSERT_EQ(std::string(text, found[k].size), expected + ending) << statement.format;
      EXPECT_TRUE(clean);
      ++printed;
    }
  }
  EXPECT_GT(printed, left_out);
}

TEST(StringShapesProperty, PutsStringsTogether) {
  Random random("StringShapesProperty");
  ByteBuffer buffer;
  for (std::uint64_t i = 0; i < text::testing::property_cases() / 50; ++i) {
    Statement statement;
    std::vector<std::string> texts(1 + random.below(40));
    for (std::string& text : texts) text = some_text(random, false, SIZE_MAX);
    std::vector<std::string_view> strings(texts.begin(), texts.end());
    if (random.one_in(4)) strings[0] = std::string_view();
    Column column;
    make_shaped(random, random.one_in(2), strings, &statement, &column);
    for (std::size_t k = 0; k < strings.size(); ++k) {
      const std::string_view s = text::string_of(*column.shapes, k, buffer);
      ASSERT_EQ(s, strings[k]);
      ASSERT_EQ(s.data() == nullptr, strings[k].data() == nullptr);
    }
  }
}

TEST(MessageProgram, LeavesOutWhatWouldTakeTooMuchMemory) {
  const std::string text(std::size_t{1} << 20, 'x');
  const std::vector<std::string_view> strings(8, text);
  Column column;
  column.type = ArgType::kString;
  column.strings = strings.data();
  const Result<Printer> printer = Printer::compile(wire::Style::kBrace, "{}", "S");
  const auto program = MessageProgram::compile(printer.value(), Escape::kControls, "\n");
  ASSERT_TRUE(program);
  const std::vector<std::uint32_t> rows = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<MessageText> found(rows.size());
  MessageTexts texts;
  program->print(&column, std::span(rows).first(2), texts, found.data());
  EXPECT_EQ(found[1].size, text.size() + 1);
  program->print(&column, rows, texts, found.data());
  EXPECT_EQ(found[0].size, text.size() + 1) << "as long as there is room";
  EXPECT_EQ(found.back().size, MessageText::kLeftOut);
  EXPECT_LE(texts.bytes.size(), MessageTexts::kMostBytes);
}

}  // namespace
}  // namespace steno::lines
