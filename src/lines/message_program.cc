#include "lines/message_program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/copy_steps.h"
#include "base/padded_digits.h"
#include "base/small_decimals.h"
#include "lines/byte_tests.h"
#include "lines/message_steps.h"
#include "lines/message_tile.h"
#include "text/string_shapes.h"
#include "text/value_text.h"

namespace steno::lines {
namespace {

using text::Column;

constexpr std::size_t kStringRoom = StepMaker::kStringRoom;
constexpr std::size_t kLeastTile = 4;  // messages

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

}  // namespace

std::optional<MessageProgram> MessageProgram::compile(const text::Printer& printer, Escape escape,
                                                      std::string_view ending) {
  MessageProgram program;
  program.escape_ = escape;
  program.ending_ = ending.size();
  for (const text::Printer::Field& field : printer.fields()) {
    if (field.kind == Kind::kOther || !is_clean(field.literal.data(), field.literal.size(), escape)) return {};
    program.ops_.push_back({std::string(field.literal), field.kind, field.argument, field.shift, field.precision,
                            field.digits, field.ten, field.is_signed});
  }
  if (program.ops_.empty() || program.ops_.back().kind != Kind::kNone) program.ops_.emplace_back();
  program.ops_.back().literal += ending;
  return program;
}

// One printing of many messages.
class MessageProgram::Run {
 public:
  Run(const MessageProgram& program, const Column* columns, std::span<const std::uint32_t> rows, MessageTexts& texts,
      MessageText* found)
      : program_(program),
        columns_(columns),
        rows_(rows),
        texts_(texts),
        steps_(program.escape_, columns, texts.steps),
        out_(texts.bytes),
        found_(found) {}

  void print() {
    if (rows_.empty()) return;
    shapes_ = find_shapes();
    if (shapes_ != nullptr) return print_by_shape();
    if (!steps_.make(program_.ops_, nullptr, 0)) return;
    if (!steps_.all_same()) return print_rows<false>({});
    if (steps_.room() <= room_left()) print_one_for_all();
  }

 private:
  using Value = MessageStep::Value;

  // The shapes of the first column whose strings have several. nullptr: there is none.
  const text::StringShapes* find_shapes() const {
    for (const MessageOp& op : program_.ops_) {
      if (op.kind != Kind::kString) continue;
      const text::StringShapes* const shapes = columns_[op.argument].shapes;
      if (shapes != nullptr && shapes->places != nullptr) return shapes;
    }
    return nullptr;
  }

  // Messages whose strings of that column have the same shape have the same steps.
  void print_by_shape() {
    std::array<std::uint32_t, std::size_t{1} << text::StringShapes::kShapeBits> next = {};
    for (const std::uint32_t row : rows_) ++next[shapes_->shape_of(row)];
    std::uint32_t first = 0;
    for (std::uint32_t& n : next) first += std::exchange(n, first);
    std::vector<std::uint32_t>& positions = texts_.positions;
    positions.resize(rows_.size());
    for (std::uint32_t k = 0; k < rows_.size(); ++k) positions[next[shapes_->shape_of(rows_[k])]++] = k;
    first = 0;
    for (std::uint32_t shape = 0; shape < shapes_->shapes.size(); ++shape) {
      const std::uint32_t end = next[shape];
      if (end != first && steps_.make(program_.ops_, shapes_, shape)) {
        print_rows<true>(std::span(positions).subspan(first, end - first));
      }
      first = end;
    }
  }

  std::size_t room_left() const {
    return MessageTexts::kMostBytes - std::min(texts_.bytes.size(), MessageTexts::kMostBytes);
  }

  // By shape: the rows at those positions. Otherwise all.
  template <bool by_shape>
  void print_rows(std::span<const std::uint32_t> positions) {
    const std::size_t count = by_shape ? positions.size() : rows_.size();
    if (steps_.place() != 0 && count >= kLeastTile && steps_.place() <= room_left() / count) {
      return print_tiles<by_shape>(positions);
    }
    if (steps_.room() > room_left() / count) return;
    switch (program_.escape_) {
      case Escape::kRaw:
        return print_rows<NoTest, by_shape>(positions);
      case Escape::kControls:
        return print_rows<ControlsTest, by_shape>(positions);
      case Escape::kTerminal:
        return print_rows<TerminalTest, by_shape>(positions);
    }
  }

  template <bool by_shape>
  void print_tiles(std::span<const std::uint32_t> positions) {
    const std::size_t count = by_shape ? positions.size() : rows_.size();
    const std::size_t place = steps_.place();
    MessageTile tile;
    char* p = out_.begin();
    for (std::size_t first = 0; first < count; first += tile.size) {
      tile.size = std::min(count - first, MessageTile::kMost);
      tile.left_out = 0;
      p = out_.ensure(p, tile.size * place + MessageTexts::kSlack);
      const auto position = [&](std::size_t k) { return by_shape ? positions[first + k] : first + k; };
      for (std::size_t k = 0; k < tile.size; ++k) {
        tile.rows[k] = rows_[position(k)];
        if (by_shape) tile.values[k] = static_cast<std::uint32_t>(shapes_->value_of(tile.rows[k]));
        tile.ends[k] = p + k * place;
      }
      tile.print(texts_.steps);
      const std::size_t begin = out_.size(p);
      for (std::size_t k = 0; k < tile.size; ++k) {
        if ((tile.left_out >> k & 1) != 0) continue;
        found_[position(k)] = {static_cast<std::uint32_t>(begin + k * place),
                               static_cast<std::uint32_t>(tile.ends[k] - (p + k * place))};
      }
      p += tile.size * place;
    }
    out_.settle(p);
  }

  template <class Test, bool by_shape>
  void print_rows(std::span<const std::uint32_t> positions) {
    char* p = out_.begin();
    const std::size_t count = by_shape ? positions.size() : rows_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = by_shape ? positions[i] : i;
      const std::uint32_t row = rows_[k];
      p = out_.ensure(p, steps_.room());
      const std::size_t begin = out_.size(p);
      Bytes suspicious = {};
      char* const end = print_row<Test, by_shape>(row, by_shape ? shapes_->value_of(row) : row, p, &suspicious);
      const std::size_t size = end != nullptr ? out_.size(end) - begin : 0;
      if (end == nullptr || (any(suspicious) && !is_clean(out_.at(begin), size - program_.ending_, program_.escape_))) {
        // The bytes of a message that is left out stay in the buffer.
        if (texts_.bytes.size() > begin) p = out_.begin();
        continue;
      }
      found_[k] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(size)};
      p = end;
    }
    out_.settle(p);
  }

  // `value`: which value of a shape's columns is of the row. Returns the end; nullptr: the message is left out.
  template <class Test, bool by_shape>
  [[gnu::always_inline]] char* print_row(std::size_t row, std::size_t value, char* p, Bytes* suspicious) {
    for (const MessageStep* step = texts_.steps.data();; ++step) {
      std::memcpy(p, step->literal, MessageStep::kLiteral);
      p += step->literal_size;
      const std::size_t i = by_shape && step->of_shape ? value : row;
      const auto* const ints = static_cast<const std::uint64_t*>(step->values);
      const auto* const strings = static_cast<const std::string_view*>(step->values);
      switch (step->value) {
        case Value::kNone:
          break;
        case Value::kEnd:
          return p;
        case Value::kSmall:
          p = put_number(Value::kSmall, 0, 0, step->type, ints[i], p);
          break;
        case Value::kShort:
          p = put_number(Value::kShort, 0, 0, step->type, ints[i], p);
          break;
        case Value::kUnsigned:
          p = put_number(Value::kUnsigned, step->shift, 0, step->type, ints[i], p);
          break;
        case Value::kSigned:
          p = put_number(Value::kSigned, step->shift, 0, step->type, ints[i], p);
          break;
        case Value::kFixed:
          p = put_number(Value::kFixed, 0, step->precision, step->type, ints[i], p);
          if (p == nullptr) return nullptr;
          break;
        case Value::kShortest:
          p = put_number(Value::kShortest, 0, 0, step->type, ints[i], p);
          break;
        case Value::kBool:
          p = put_number(Value::kBool, 0, 0, step->type, ints[i], p);
          break;
        case Value::kPadded:
          store(p, eight_digits(static_cast<std::uint32_t>(ints[i])) >> 8 * (8 - step->width));
          p += step->width;
          break;
        case Value::kPaddedShort: {
          const auto number = static_cast<std::uint32_t>(ints[i]);
          const std::uint64_t size = std::max<std::uint64_t>(count_digits(number), step->width);
          store(p, eight_digits(number) >> 8 * (8 - size));
          p += size;
          break;
        }
        case Value::kPaddedHex:
          store(p, eight_hex_digits(static_cast<std::uint32_t>(ints[i] >> step->shift), step->ten) >>
                       8 * (8 - step->width));
          p += step->width;
          break;
        case Value::kPaddedNumber:
          p = step->ten == 0 ? put_padded_decimal(ints[i], step->width, p)
                             : put_padded_hex(ints[i], step->width, step->ten, p);
          break;
        case Value::kString16:
          p = put_short_string<16>(p, strings[i]);
          break;
        case Value::kString32:
          p = put_short_string<32>(p, strings[i]);
          break;
        case Value::kString64:
          p = put_short_string<64>(p, strings[i]);
          break;
        case Value::kString:
          p = put_clean(strings[i], p);
          if (p == nullptr) return nullptr;
          break;
        case Value::kTested:
          p = put_tested<Test>(strings[i], p, suspicious);
          if (p == nullptr) return nullptr;
          break;
        case Value::kCoded16:
          p = put_short_string<16>(p, step->table[ints[i]]);
          break;
        case Value::kCoded32:
          p = put_short_string<32>(p, step->table[ints[i]]);
          break;
        case Value::kCoded64:
          p = put_short_string<64>(p, step->table[ints[i]]);
          break;
        case Value::kCoded:
          p = put_clean(step->table[ints[i]], p);
          if (p == nullptr) return nullptr;
          break;
        case Value::kTestedCoded:
          p = put_tested<Test>(step->table[ints[i]], p, suspicious);
          if (p == nullptr) return nullptr;
          break;
        default:
          __builtin_unreachable();
      }
    }
  }

  // Room at p for a string, and for the message without its long strings. nullptr: there is none.
  char* make_room(std::size_t size, char* p) {
    if (out_.size(p) + size + steps_.room() > MessageTexts::kMostBytes) return nullptr;
    return out_.ensure(p, size + steps_.room());
  }

  // Puts a string that has slack and nothing to escape. nullptr: there is no room.
  [[gnu::always_inline]] char* put_clean(std::string_view s, char* p) {
    if (s.size() > kStringRoom) {
      p = make_room(s.size(), p);
      if (p == nullptr) return nullptr;
    }
    return put_long_string(p, s);
  }

  // nullptr: there is no room.
  template <class Test>
  char* put_tested(std::string_view s, char* p, Bytes* suspicious) {
    if (s.data() == nullptr) s = text::kNullText;
    if (s.size() > kStringRoom) {
      p = make_room(s.size(), p);
      if (p == nullptr) return nullptr;
    }
    *suspicious |= copy_tested<Test>(p, s.data(), s.size());
    return p + s.size();
  }

  void print_one_for_all() {
    char* const p = out_.begin(steps_.room());
    const std::size_t begin = out_.size(p);
    Bytes suspicious;
    const char* const end = print_row<NoTest, false>(0, 0, p, &suspicious);
    const MessageText message = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(out_.size(end) - begin)};
    std::fill_n(found_, rows_.size(), message);
    out_.settle(end);
  }

  const MessageProgram& program_;
  const Column* const columns_;
  const std::span<const std::uint32_t> rows_;
  MessageTexts& texts_;
  StepMaker steps_;
  text::Cursor out_;
  MessageText* const found_;
  const text::StringShapes* shapes_ = nullptr;  // of the column whose strings have several shapes
};

void MessageProgram::print(const text::Column* columns, std::span<const std::uint32_t> rows, MessageTexts& texts,
                           MessageText* found) const {
  std::fill(found, found + rows.size(), MessageText());
  Run(*this, columns, rows, texts, found).print();
}

}  // namespace steno::lines
