#include "lines/message_program.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/small_decimals.h"
#include "lines/byte_tests.h"
#include "text/number.h"
#include "text/value_text.h"

namespace steno::lines {
namespace {

using text::Column;
using text::kCopyStep;

constexpr std::size_t kNumberRoom = text::kMaxNumberSize;

// The first and the last half of n bytes, which overlap: half <= n <= 2 * half, and half a multiple of sixteen. No byte
// beyond them is read.
template <class Test, std::size_t half>
inline Bytes copy_halves(char* p, const char* s, std::size_t n) {
  Bytes first[half / sizeof(Bytes)];
  Bytes last[half / sizeof(Bytes)];
  std::memcpy(first, s, half);
  std::memcpy(last, s + n - half, half);
  std::memcpy(p, first, half);
  std::memcpy(p + n - half, last, half);
  Bytes found = {};
  for (const Bytes& x : first) found |= Test::suspicious(x);
  for (const Bytes& x : last) found |= Test::suspicious(x);
  return found;
}

// Copies a string and says what is suspicious in the copy. What is tested is what was stored, from one load: the string
// may lie in a ring whose owner still writes. By classes of sizes: lengths vary more than they do.
template <class Test>
inline Bytes copy_tested(char* p, const char* s, std::size_t n) {
  if (n >= 16) {
    if (n <= 32) return copy_halves<Test, 16>(p, s, n);
    if (n <= 64) return copy_halves<Test, 32>(p, s, n);
    if (n <= 128) return copy_halves<Test, 64>(p, s, n);
    Bytes found = {};
    Bytes x;
    for (std::size_t i = 0; i + sizeof x <= n; i += sizeof x) {
      std::memcpy(&x, s + i, sizeof x);
      std::memcpy(p + i, &x, sizeof x);
      found |= Test::suspicious(x);
    }
    std::memcpy(&x, s + n - sizeof x, sizeof x);
    std::memcpy(p + n - sizeof x, &x, sizeof x);
    return found | Test::suspicious(x);
  }
  constexpr std::uint64_t kSpaces = 0x2020'2020'2020'2020;
  std::uint64_t words[2] = {kSpaces, kSpaces};
  if (n >= 8) {
    std::memcpy(&words[0], s, 8);
    std::memcpy(&words[1], s + n - 8, 8);
    std::memcpy(p, &words[0], 8);
    std::memcpy(p + n - 8, &words[1], 8);
  } else if (n >= 4) {
    std::uint32_t halves[2];
    std::memcpy(&halves[0], s, 4);
    std::memcpy(&halves[1], s + n - 4, 4);
    std::memcpy(p, &halves[0], 4);
    std::memcpy(p + n - 4, &halves[1], 4);
    std::memcpy(&words[0], halves, 8);
  } else if (n != 0) {
    const char bytes[4] = {s[0], s[n / 2], s[n - 1], ' '};
    p[0] = bytes[0];
    p[n / 2] = bytes[1];
    p[n - 1] = bytes[2];
    std::memcpy(&words[0], bytes, sizeof bytes);
  }
  Bytes x;
  std::memcpy(&x, words, sizeof x);
  return Test::suspicious(x);
}

char* put_bool(bool value, char* p) {
  std::memcpy(p, value ? "true\0\0\0" : "false\0\0", 8);
  return p + (value ? 4 : 5);
}

bool is_printed(const Column& column) {
  return column.type == ArgType::kBool || column.type == ArgType::kF64;
}

}  // namespace

std::optional<MessageProgram> MessageProgram::compile(const text::Printer& printer, Escape escape,
                                                      std::string_view ending) {
  MessageProgram program;
  program.escape_ = escape;
  program.ending_ = ending.size();
  for (const text::Printer::Field& field : printer.fields()) {
    if (field.kind == Kind::kOther || !is_clean(field.literal.data(), field.literal.size(), escape)) return {};
    program.ops_.push_back({std::string(field.literal), 0, field.kind, field.argument, field.shift, field.precision});
  }
  if (program.ops_.empty() || program.ops_.back().kind != Kind::kNone) program.ops_.emplace_back();
  program.ops_.back().literal += ending;
  program.room_ = kCopyStep;
  for (Op& op : program.ops_) {
    op.literal_size = op.literal.size();
    op.literal.append(kCopyStep, '\0');
    program.room_ += op.literal_size + (op.kind == Kind::kString ? text::kNullText.size() : kNumberRoom);
  }
  return program;
}

// One printing of many messages.
class MessageProgram::Run {
 public:
  Run(const MessageProgram& program, const Column* columns, std::span<const std::uint32_t> rows, MessageTexts& texts,
      MessageText* found)
      : program_(program), columns_(columns), rows_(rows), texts_(texts), found_(found) {}

  void print() {
    if (!make_room()) return;
    for (const Op& op : program_.ops_) {
      if (!print(op)) return;
    }
    finish();
  }

 private:
  // Each message has room for all that it can be. False: some have no room, or have values that are not known here.
  bool make_room() {
    std::size_t same = program_.room_;
    for (const Op& op : program_.ops_) {
      if (op.kind == Kind::kValue && !is_printed(columns_[op.argument])) return false;
      if (op.kind == Kind::kString && columns_[op.argument].mask == 0)
        same += columns_[op.argument].string_at(0).size();
      if (same > MessageTexts::kMostBytes) return false;
    }
    const std::size_t before = texts_.bytes.size();
    for (std::size_t k = 0; k < rows_.size(); ++k) found_[k].begin = static_cast<std::uint32_t>(same);
    for (const Op& op : program_.ops_) {
      if (op.kind == Kind::kString && columns_[op.argument].mask != 0 && !add_sizes(columns_[op.argument]))
        return false;
    }
    std::size_t all = before;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const std::size_t room = found_[k].begin;
      found_[k].begin = static_cast<std::uint32_t>(all);
      all += room;
      if (all > MessageTexts::kMostBytes) return false;
    }
    texts_.bytes.reserve(all - before + MessageTexts::kSlack);
    texts_.bytes.commit(all - before);
    base_ = reinterpret_cast<char*>(texts_.bytes.data());
    if (texts_.ends.size() < rows_.size()) texts_.ends.resize(rows_.size());
    for (std::size_t k = 0; k < rows_.size(); ++k) texts_.ends[k] = base_ + found_[k].begin;
    return true;
  }

  bool add_sizes(const Column& column) {
    std::size_t longest = 0;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const std::size_t size = column.strings[rows_[k]].size();
      longest = std::max(longest, size);
      found_[k].begin += static_cast<std::uint32_t>(size);
    }
    return longest <= MessageTexts::kMostBytes;
  }

  // The literal, then field(row, p), which returns where it ends.
  template <class F>
  void each(const char* literal, std::size_t size, F field) {
    char** const ends = texts_.ends.data();
    const std::uint32_t* const rows = rows_.data();
    const std::size_t n = rows_.size();
    if (size <= kCopyStep) {
      for (std::size_t k = 0; k < n; ++k) {
        char* const p = ends[k];
        std::memcpy(p, literal, kCopyStep);
        ends[k] = field(k, rows[k], p + size);
      }
    } else {
      for (std::size_t k = 0; k < n; ++k) ends[k] = field(k, rows[k], text::put_steps(ends[k], literal, size));
    }
  }
  template <class F>
  void each(const Op& op, F field) {
    each(op.literal.data(), op.literal_size, field);
  }

  bool print(const Op& op) {
    if (op.kind == Kind::kNone) {
      each(op, [](std::size_t, std::uint32_t, char* p) { return p; });
      return true;
    }
    const Column& column = columns_[op.argument];
    if (column.mask == 0) return print_constant(op, column);
    const std::uint64_t* const ints = column.ints;
    switch (op.kind) {
      case Kind::kSigned:
        print_signed(op, ints);
        return true;
      case Kind::kUnsigned:
        print_unsigned(op, ints);
        return true;
      case Kind::kFixed:
        each(op, [&](std::size_t k, std::uint32_t row, char* p) { return put_fixed(op, column, k, row, p); });
        return true;
      case Kind::kString:
        return print_strings(op, column);
      default:
        if (column.type == ArgType::kBool) {
          each(op, [&](std::size_t, std::uint32_t row, char* p) { return put_bool(ints[row] != 0, p); });
        } else {
          each(op, [&](std::size_t, std::uint32_t row, char* p) {
            return text::write_shortest(std::bit_cast<double>(ints[row]), p);
          });
        }
        return true;
    }
  }

  bool are_small(const Op& op, const std::uint64_t* ints) const {
    std::uint64_t bits = 0;
    for (const std::uint32_t row : rows_) bits |= ints[row];
    const bool is_signed = op.kind == Kind::kSigned;  // a negative number makes all of them large
    const std::uint64_t most =
        is_signed ? static_cast<std::uint64_t>(text::signed_bits(bits, op.shift)) : text::unsigned_bits(bits, op.shift);
    return most < kSmallDecimals;
  }
  [[gnu::flatten]] void print_small(const Op& op, const std::uint64_t* ints) {
    each(op, [ints, shift = op.shift](std::size_t, std::uint32_t row, char* p) {
      return write_small_decimal(text::unsigned_bits(ints[row], shift), p);
    });
  }
  // Loops with all that they do, whatever the compiler thinks of its size.
  [[gnu::flatten]] void print_signed(const Op& op, const std::uint64_t* ints) {
    if (are_small(op, ints)) return print_small(op, ints);
    each(op, [ints, shift = op.shift](std::size_t, std::uint32_t row, char* p) {
      return text::write_decimal(text::signed_bits(ints[row], shift), p);
    });
  }
  [[gnu::flatten]] void print_unsigned(const Op& op, const std::uint64_t* ints) {
    if (are_small(op, ints)) return print_small(op, ints);
    each(op, [ints, shift = op.shift](std::size_t, std::uint32_t row, char* p) {
      return text::write_decimal(text::unsigned_bits(ints[row], shift), p);
    });
  }

  char* put_fixed(const Op& op, const Column& column, std::size_t k, std::uint32_t row, char* p) {
    char* const end = text::write_fixed(text::to_double(column.type, column.bits_at(row)), op.precision, p);
    if (end != nullptr) return end;
    found_[k].begin = MessageText::kLeftOut;
    some_left_out_ = true;
    return p;
  }

  bool print_strings(const Op& op, const Column& column) {
    switch (program_.escape_) {
      case Escape::kRaw:
        print_strings<NoTest>(op, column);
        break;
      case Escape::kControls:
        print_strings<ControlsTest>(op, column);
        break;
      case Escape::kTerminal:
        print_strings<TerminalTest>(op, column);
        break;
    }
    return true;
  }

  template <class Test>
  void print_strings(const Op& op, const Column& column) {
    Bytes suspicious = {};
    each(op, [&](std::size_t, std::uint32_t row, char* p) {
      std::string_view s = column.strings[row];
      if (s.data() == nullptr) s = text::kNullText;
      suspicious |= copy_tested<Test>(p, s.data(), s.size());
      return p + s.size();
    });
    suspicious_ |= any(suspicious);
  }

  // One value for all: a part of the literal.
  bool print_constant(const Op& op, const Column& column) {
    std::string text = op.literal.substr(0, op.literal_size);
    if (op.kind == Kind::kString) {
      const std::string_view s = column.string_at(0);
      text += s.data() == nullptr ? text::kNullText : s;
      if (!is_clean(text.data() + op.literal_size, text.size() - op.literal_size, program_.escape_)) return false;
    } else {
      char number[kNumberRoom + kCopyStep];
      char* end = nullptr;
      if (op.kind == Kind::kSigned) {
        end = text::write_decimal(text::signed_bits(column.bits_at(0), op.shift), number);
      } else if (op.kind == Kind::kUnsigned) {
        end = text::write_decimal(text::unsigned_bits(column.bits_at(0), op.shift), number);
      } else if (op.kind == Kind::kFixed) {
        end = text::write_fixed(text::to_double(column.type, column.bits_at(0)), op.precision, number);
      } else if (column.type == ArgType::kBool) {
        end = put_bool(column.bits_at(0) != 0, number);
      } else {
        end = text::write_shortest(std::bit_cast<double>(column.bits_at(0)), number);
      }
      if (end == nullptr) return false;
      text.append(number, end);
    }
    const std::size_t size = text.size();
    text.append(kCopyStep, '\0');
    each(text.data(), size, [](std::size_t, std::uint32_t, char* p) { return p; });
    return true;
  }

  void finish() {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      found_[k].size = static_cast<std::uint32_t>(texts_.ends[k] - base_) - found_[k].begin;
    }
    if (some_left_out_) {
      for (std::size_t k = 0; k < rows_.size(); ++k) {
        if (found_[k].begin == MessageText::kLeftOut) found_[k].size = MessageText::kLeftOut;
      }
    }
    if (!suspicious_) return;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      MessageText& text = found_[k];
      if (text.size == MessageText::kLeftOut) continue;
      if (!is_clean(base_ + text.begin, text.size - program_.ending_, program_.escape_)) {
        text.size = MessageText::kLeftOut;
      }
    }
  }

  const MessageProgram& program_;
  const Column* const columns_;
  const std::span<const std::uint32_t> rows_;
  MessageTexts& texts_;
  MessageText* const found_;
  char* base_ = nullptr;
  bool suspicious_ = false;
  bool some_left_out_ = false;
};

void MessageProgram::print(const text::Column* columns, std::span<const std::uint32_t> rows, MessageTexts& texts,
                           MessageText* found) const {
  std::fill(found, found + rows.size(), MessageText());
  Run(*this, columns, rows, texts, found).print();
}

}  // namespace steno::lines
