// Messages that are printed many at a time are those that the printer prints one by one.
#include "lines/message_program.h"

#include <gtest/gtest.h>

#include "../text/cases.h"

namespace steno::lines {
namespace {

using text::Column;
using text::Printer;
using text::testing::Argument;
using text::testing::Random;

constexpr std::string_view kKnownTypes = "basilhtjmdfS";
constexpr std::string_view kPrintfTypes = "ijlmdS";

std::string hostile_text(Random& random) {
  static const std::vector<std::string> kParts = {
      "\n", "\t", "\x1b[31m", "\xc2\x9b", "\xc2", "\x80", "\xff", "\xe2\x80\xae", "\x7f", "é", std::string(1, '\0')};
  std::string text;
  for (std::size_t n = random.below(4); n != 0; --n) {
    text.append(random.below(random.one_in(6) ? 200 : 20), static_cast<char>('a' + random.below(26)));
    if (random.one_in(6)) text += random.pick(kParts);
  }
  return text;
}

// A statement, the columns of its records, and what they view.
struct Statement {
  wire::Style style = wire::Style::kBrace;
  std::string format;
  std::string types;
  bool known = true;            // has known types only, without a width
  std::vector<int> precisions;  // the most there are, where there is none
  std::vector<std::vector<Argument>> values;
  std::vector<std::vector<std::uint64_t>> ints;
  std::vector<std::vector<std::string_view>> strings;
  std::vector<std::vector<std::uint8_t>> wide;
  std::vector<Column> columns;
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

void add_column(Random& random, std::size_t rows, Statement* statement) {
  const bool is_printf = statement->style == wire::Style::kPrintf;
  const bool known = is_printf || !random.one_in(20);
  const char type = random.pick(is_printf ? kPrintfTypes : known ? kKnownTypes : text::testing::kAllTypes);
  const bool fixed = (type == 'd' || type == 'f') && (is_printf || random.one_in(2));
  const bool width = random.one_in(30);
  // The shortest text of an f32 is left to the printer.
  statement->known = statement->known && known && !width && (fixed || type != 'f');
  statement->types += type;
  const int precision = fixed ? static_cast<int>(random.below(text::kMaxFixedPrecision + 1)) : text::kMaxFixedPrecision;
  statement->precisions.push_back(precision);
  statement->format += is_printf ? printf_conversion(type, width ? "4" : "", precision)
                       : width   ? "{:4}"
                       : fixed   ? "{:." + std::to_string(precision) + "f}"
                                 : "{}";

  Column& column = statement->columns.emplace_back();
  auto& values = statement->values.emplace_back();
  auto& ints = statement->ints.emplace_back();
  auto& strings = statement->strings.emplace_back();
  auto& wide = statement->wide.emplace_back();
  column.type = static_cast<ArgType>(type);
  if (random.one_in(4)) column.mask = 0;
  for (std::size_t i = 0; i < (column.mask == 0 ? 1 : rows); ++i) {
    Argument& a = values.emplace_back(type != 'S'         ? random_argument(random, column.type)
                                      : random.one_in(20) ? Argument::null(column.type)
                                                          : Argument::string(hostile_text(random)));
    if (is_string(column.type)) {
      strings.push_back(a.value.string);
    } else if (fixed_size(column.type) == 16) {
      wide.insert(wide.end(), a.value.wide, a.value.wide + 16);
    } else {
      ints.push_back(a.value.bits);
    }
  }
  if (is_string(column.type)) {
    column.strings = strings.data();
  } else if (fixed_size(column.type) == 16) {
    column.wide = wide.data();
  } else {
    column.ints = ints.data();
  }
}

Statement random_statement(Random& random, std::size_t rows) {
  static const std::vector<std::string> kLiterals = {
      "", " ", "took ", ", ", " bytes of something that is rather long: ", "é", "\t"};
  Statement statement;
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

// Whether the statement has a number that is not printed in the quick way to so many decimals.
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
  for (std::uint64_t i = 0; i < text::testing::property_cases() / 50; ++i) {
    const std::size_t rows = 1 + random.below(40);
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
    std::vector<std::uint32_t> wanted(1 + random.below(60));
    for (std::uint32_t& row : wanted) row = static_cast<std::uint32_t>(random.below(rows));
    std::vector<MessageText> found(wanted.size());
    if (random.one_in(3)) texts.bytes.clear();
    program->print(statement.columns.data(), wanted, texts, found.data());
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
  for (const MessageText& message : found) EXPECT_EQ(message.size, MessageText::kLeftOut);
}

}  // namespace
}  // namespace steno::lines
