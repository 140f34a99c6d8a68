#include "lines/json_program.h"

#include <bit>
#include <cmath>
#include <utility>

#include "lines/escape.h"
#include "lines/json_value.h"
#include "text/number.h"
#include "text/value_text.h"

namespace steno::lines {
namespace {

std::uint8_t unused_bits(ArgType type) {
  return static_cast<std::uint8_t>(64 - 8 * fixed_size(type));
}

}  // namespace

std::optional<JsonProgram> JsonProgram::compile(const reader::Site& site, const Parts& parts) {
  const text::Printer* const printer = site.printer();
  if (printer == nullptr || site.redacts_any() || !site.presences().empty()) return {};
  JsonProgram program;
  program.site_ = &site;
  program.big_integers_ = parts.big_integers;
  program.add(parts.before_time, {.kind = Kind::kTime});
  program.add(parts.before_thread, {.kind = Kind::kThread});
  if (!program.add_message(*printer, parts.before_message)) return {};
  for (std::size_t i = 0; i < parts.keys.size(); ++i) program.add_argument(site, i, parts.keys[i]);
  program.add((parts.keys.empty() ? "{}" : "}") + parts.after_arguments + "}\n", {});
  program.room_ += program.literals_.size() + kCopyStep;
  program.literals_.append(kCopyStep, '\0');
  if (program.room_ >= text::kMaxMessage) return {};
  return program;
}

// Literals that follow each other become one.
void JsonProgram::add(std::string literal, Op op) {
  if (ops_.empty() || ops_.back().kind != Kind::kEnd) ops_.push_back({static_cast<std::uint32_t>(literals_.size())});
  literals_ += literal;
  op.literal = ops_.back().literal;
  op.literal_size = static_cast<std::uint32_t>(literals_.size()) - op.literal;
  ops_.back() = op;
  room_ += op.kind == Kind::kTime ? TimeText::kRoom : text::kMaxNumberSize + 2;
  wants_values_ = wants_values_ || op.kind == Kind::kField || op.kind == Kind::kValue;
}

// False: a literal begins or ends within a character.
bool JsonProgram::add_message(const text::Printer& printer, std::string before) {
  std::uint32_t index = 0;
  for (const text::Printer::Field& field : printer.fields()) {
    const std::string literal = json_escaped(field.literal);
    if (literal.find("\xEF\xBF\xBD") != std::string::npos) return false;
    Op op = {.shift = field.shift, .precision = field.precision, .index = field.argument};
    switch (field.kind) {
      case text::Printer::Field::Kind::kNone:
        break;
      case text::Printer::Field::Kind::kSigned:
        op.kind = Kind::kSigned;
        break;
      case text::Printer::Field::Kind::kUnsigned:
        op.kind = Kind::kUnsigned;
        break;
      case text::Printer::Field::Kind::kFixed:
        op.kind = Kind::kFixed;
        break;
      case text::Printer::Field::Kind::kString:
        op.kind = Kind::kText;
        break;
      case text::Printer::Field::Kind::kDigits:
      case text::Printer::Field::Kind::kValue:
      case text::Printer::Field::Kind::kOther:
        op.kind = Kind::kField;
        op.index = index;
        break;
    }
    const bool is_value = field.kind == text::Printer::Field::Kind::kValue;
    const ArgType type = is_value ? site_->layout()->fields[field.argument].type : ArgType::kI32;
    if (type == ArgType::kF64 || type == ArgType::kBool) {
      op.kind = type == ArgType::kBool ? Kind::kBool : Kind::kDouble;
      op.index = field.argument;
    }
    add(std::exchange(before, {}) + literal, op);
    ++index;
  }
  add(before + "\",\"args\":", {});
  return true;
}

void JsonProgram::add_argument(const reader::Site& site, std::size_t i, const std::string& key) {
  const ArgType type = site.layout()->fields[i].type;
  Op op = {.kind = Kind::kValue, .index = static_cast<std::uint32_t>(i)};
  if (site.meaning(i) != nullptr) return add(key, op);
  switch (type) {
    case ArgType::kBool:
      op.kind = Kind::kBool;
      break;
    case ArgType::kF64:
      op.kind = Kind::kNumber;
      break;
    case ArgType::kString:
      op.kind = Kind::kString;
      break;
    case ArgType::kI8:
    case ArgType::kI16:
    case ArgType::kI32:
    case ArgType::kI64:
      op.kind = Kind::kSigned;
      op.shift = unused_bits(type);
      break;
    case ArgType::kU8:
    case ArgType::kU16:
    case ArgType::kU32:
    case ArgType::kU64:
      op.kind = Kind::kUnsigned;
      op.shift = unused_bits(type);
      break;
    default:
      break;
  }
  if (big_integers_ == BigIntegers::kTexts && type == ArgType::kI64) op.kind = Kind::kSignedId;
  if (big_integers_ == BigIntegers::kTexts && type == ArgType::kU64) op.kind = Kind::kUnsignedId;
  add(key, op);
}

char* JsonProgram::print(const Record& record, TimeText& time, char* p, text::Cursor& out) const {
  const text::Column* const columns = record.columns;
  const std::size_t row = record.row;
  const std::size_t start = out.size(p);
  const char* const literals = literals_.data();
  p = out.ensure(p, room_);
  for (const Op& op : ops_) {
    p = put_steps(p, literals + op.literal, op.literal_size);
    switch (op.kind) {
      case Kind::kTime:
        p = time.write(record.wall_ns, p);
        break;
      case Kind::kThread:
        p = text::put(out.ensure(p, room_ + record.thread.size()), record.thread);
        break;
      case Kind::kSigned:
        p = text::write_decimal(text::signed_bits(columns[op.index].bits_at(row), op.shift), p);
        break;
      case Kind::kUnsigned:
        p = text::write_decimal(text::unsigned_bits(columns[op.index].bits_at(row), op.shift), p);
        break;
      case Kind::kBool:
        p = text::put(p, columns[op.index].bits_at(row) != 0 ? std::string_view("true") : std::string_view("false"));
        break;
      case Kind::kDouble:
        p = text::write_shortest(std::bit_cast<double>(columns[op.index].bits_at(row)), p);
        break;
      case Kind::kFixed:
        p = text::write_fixed(text::to_double(columns[op.index].type, columns[op.index].bits_at(row)), op.precision, p);
        if (p == nullptr) return nullptr;
        break;
      case Kind::kText:
      case Kind::kString: {
        const std::string_view s = columns[op.index].string_at(row);
        p = out.ensure(p, room_ + s.size() + 2);
        if (s.data() == nullptr) {
          p = text::put(p, op.kind == Kind::kText ? text::kNullText : std::string_view("null"));
          break;
        }
        if (op.kind == Kind::kText && out.size(p) - start + s.size() + room_ > text::kMaxMessage) return nullptr;
        const bool quoted = op.kind == Kind::kString;
        *p = '"';
        char* const begin = p + quoted;
        p = text::put(begin, s);
        // The copy: the string may lie in memory that somebody still writes.
        if (!is_json_clean({begin, s.size()})) return nullptr;
        *p = '"';
        p += quoted;
        break;
      }
      case Kind::kNumber: {
        const auto value = std::bit_cast<double>(columns[op.index].bits_at(row));
        const bool quoted = !std::isfinite(value);
        *p = '"';
        p = text::write_shortest(value, p + quoted);
        *p = '"';
        p += quoted;
        break;
      }
      case Kind::kSignedId:
      case Kind::kUnsignedId: {
        const std::uint64_t bits = columns[op.index].bits_at(row);
        const auto number = static_cast<std::int64_t>(bits);
        const bool is_signed = op.kind == Kind::kSignedId;
        const bool quoted =
            is_signed ? number > kMostExact || number < -kMostExact : bits > static_cast<std::uint64_t>(kMostExact);
        *p = '"';
        p += quoted;
        p = is_signed ? text::write_decimal(number, p) : text::write_decimal(bits, p);
        *p = '"';
        p += quoted;
        break;
      }
      case Kind::kField:
      case Kind::kValue:
        p = print_other(op, record, p, out);
        if (p == nullptr) return nullptr;
        if (op.kind == Kind::kField && out.size(p) - start + room_ > text::kMaxMessage) return nullptr;
        break;
      case Kind::kEnd:
        break;
    }
  }
  return p;
}

char* JsonProgram::print_other(const Op& op, const Record& record, char* p, text::Cursor& out) const {
  ByteBuffer& buffer = out.settle(p);
  if (op.kind == Kind::kValue) {
    append_json_value(record.values[op.index], site_->meaning(op.index), buffer, big_integers_);
    return out.begin(room_);
  }
  const std::size_t start = buffer.size();
  site_->printer()->print_field(op.index, record.values, buffer);
  const std::string_view field(reinterpret_cast<const char*>(buffer.data()) + start, buffer.size() - start);
  return is_json_clean(field) ? out.begin(room_) : nullptr;
}

}  // namespace steno::lines
