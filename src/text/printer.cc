#include "text/printer.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "base/padded_digits.h"
#include "steno/detail/brace_format.h"
#include "steno/detail/printf_format.h"
#include "text/brace_field.h"
#include "text/number.h"
#include "text/printer_op.h"
#include "text/printf_field.h"
#include "text/value_text.h"

namespace steno::text {
namespace {

static_assert(kMaxPad == detail::kMaxFormatNumber);

using Kind = PrintKind;
using Op = PrintOp;

// Where a message's values come from: one argument's, or all.
class ValuesSource {
 public:
  explicit ValuesSource(std::span<const Value> values) : values_(values) {}
  std::uint64_t bits_of(std::size_t i) const { return values_[i].bits; }
  std::string_view string_of(std::size_t i) const { return values_[i].string; }
  ArgType type_of(std::size_t i) const { return values_[i].type; }
  std::span<const Value> all(std::vector<Value>*, std::size_t) const { return values_; }

 private:
  std::span<const Value> values_;
};

class ColumnsSource {
 public:
  ColumnsSource(const Column* columns, std::size_t row) : columns_(columns), row_(row) {}
  std::uint64_t bits_of(std::size_t i) const { return columns_[i].bits_at(row_); }
  std::string_view string_of(std::size_t i) const { return columns_[i].string_at(row_); }
  ArgType type_of(std::size_t i) const { return columns_[i].type; }
  std::span<const Value> all(std::vector<Value>* values, std::size_t count) const {
    values->resize(count);
    for (std::size_t i = 0; i < count; ++i) columns_[i].get(row_, &(*values)[i]);
    return *values;
  }

 private:
  const Column* columns_;
  std::size_t row_;
};

}  // namespace

namespace {

// A number whose meaning is printed with it, and what is asked of that text.
struct MeaningField {
  const Meaning* meaning;
  int precision;
  std::optional<BraceField> as_string;  // none: the text as it is

  void print(std::span<const Value> values, std::size_t argument, ByteBuffer& out) const {
    if (!as_string) return meaning->print(values[argument], precision, out);
    ByteBuffer text;
    meaning->print(values[argument], precision, text);
    Value shown;
    shown.type = ArgType::kString;
    shown.string = {reinterpret_cast<const char*>(text.data()), text.size()};
    as_string->print_other(shown, values, out);
  }
};

// A value that may be absent.
struct NullableField {
  Presence presence;
  std::optional<MeaningField> meaning;  // none: `plain` prints it
  std::optional<BraceField> plain;

  void print(std::span<const Value> values, std::size_t argument, ByteBuffer& out) const {
    if (!presence.is_in(values)) {
      if (!presence.is_alternative()) return append("none", out);
      if (presence.value == 0 && presence.is_valueless(values)) append("valueless by exception", out);
      return;
    }
    if (!presence.is_alternative()) append("optional(", out);
    if (meaning) {
      meaning->print(values, argument, out);
    } else {
      plain->print(values, out);
    }
    if (!presence.is_alternative()) append(")", out);
  }
};

}  // namespace

struct Printer::Impl {
  std::size_t arguments = 0;
  std::string literals;  // ends in kCopyStep more bytes
  std::vector<Op> ops;
  std::vector<BraceField> brace_fields;
  std::vector<PrintfField> printf_fields;
  std::vector<MeaningField> meaning_fields;
  std::vector<NullableField> nullable_fields;
  std::vector<std::string> names;
  std::size_t room = 0;  // enough for all literals and numbers
  bool brace = true;
  bool plain = true;

  Status compile_brace(std::string_view format, std::string_view types, const Meanings* meanings,
                       const Presences* presences);
  Status compile_printf(std::string_view format, std::string_view types);
  static MeaningField meaning_field(const detail::BraceSpec& spec, std::string_view format, const Meaning& meaning);
  void add_nullable(const detail::BraceSpec& spec, std::string_view format, ArgType type, const Meaning* meaning,
                    const Presence& presence);
  void add_literal(const detail::FormatCursor& cursor);
  void add_field(Op op);
  void finish();
  template <class Source>
  char* run(const Source& source, std::span<const Op> some, char* p, Cursor& out) const;
  template <class Source>
  char* print_field(const Op& op, const Source& source, char* p, Cursor& out) const;
};

namespace {

Status format_error(const detail::FormatCursor& cursor) {
  std::string message = "format: ";
  message += detail::describe(cursor.error);
  message += " (at byte " + std::to_string(cursor.error_at);
  if (cursor.error_argument >= 0) message += ", argument " + std::to_string(cursor.error_argument);
  return Status(StatusCode::kCorrupt, message + ")");
}

}  // namespace

void Printer::Impl::add_literal(const detail::FormatCursor& cursor) {
  if (ops.empty() || ops.back().kind != Kind::kNothing) {
    ops.push_back({.literal = static_cast<std::uint32_t>(literals.size())});
  }
  const auto size = static_cast<std::size_t>(cursor.end - cursor.begin);
  literals.append(cursor.format + cursor.begin, size);
  ops.back().literal_size += static_cast<std::uint32_t>(size);
}

// The field joins the literal in front of it.
void Printer::Impl::add_field(Op op) {
  if (ops.empty() || ops.back().kind != Kind::kNothing) {
    ops.push_back({.literal = static_cast<std::uint32_t>(literals.size())});
  }
  op.literal = ops.back().literal;
  op.literal_size = ops.back().literal_size;
  ops.back() = op;
}

void Printer::Impl::finish() {
  plain = std::all_of(literals.begin(), literals.end(), [](char c) { return c >= ' ' && c <= '~'; });
  for (const Op& op : ops) plain = plain && op.kind <= Kind::kDigits;
  room = literals.size() + kCopyStep + ops.size() * kMaxNumberSize;
  literals.append(kCopyStep, '\0');
  ops.shrink_to_fit();
}

namespace {

// Returns whether a field shows what its number means, rather than the number: its options suit a text.
bool shows_meaning(const detail::BraceSpec& spec) {
  return spec.type == 0 && spec.sign == 0 && !spec.alternate && !spec.zero && spec.precision_argument < 0;
}

}  // namespace

MeaningField Printer::Impl::meaning_field(const detail::BraceSpec& spec, std::string_view format,
                                          const Meaning& meaning) {
  MeaningField field{&meaning, spec.precision, {}};
  if (spec.width < 0 && spec.width_argument < 0 && spec.align == 0) return field;
  detail::BraceSpec of_text = spec;
  of_text.precision = -1;
  field.as_string.emplace(of_text, format, ArgType::kString);
  return field;
}

// `meaning`: what the field is to show; nullptr: the value as it is, texts and characters in quotes.
void Printer::Impl::add_nullable(const detail::BraceSpec& spec, std::string_view format, ArgType type,
                                 const Meaning* meaning, const Presence& presence) {
  add_field({.field = static_cast<std::uint32_t>(nullable_fields.size()),
             .argument = static_cast<std::uint8_t>(spec.argument),
             .kind = Kind::kNullable});
  NullableField& field = nullable_fields.emplace_back();
  field.presence = presence;
  if (meaning != nullptr) {
    field.meaning = meaning_field(spec, format, *meaning);
    return;
  }
  detail::BraceSpec quoted = spec;
  const unsigned traits = detail::type_traits(static_cast<char>(type));
  if (spec.type == 0 && (traits & (detail::kTraitString | detail::kTraitChar)) != 0) quoted.type = '?';
  field.plain.emplace(quoted, format, type);
}

Status Printer::Impl::compile_brace(std::string_view format, std::string_view types, const Meanings* meanings,
                                    const Presences* presences) {
  detail::BraceCursor cursor(format.data(), format.size(), types.data(), types.size());
  cursor.older =
      detail::check_brace(format.data(), format.size(), types.data(), types.size()).error != detail::FormatError::kNone;
  while (cursor.next()) {
    if (!cursor.is_field) {
      add_literal(cursor);
      continue;
    }
    const auto argument = static_cast<std::size_t>(cursor.spec.argument);
    const auto type = static_cast<ArgType>(types[argument]);
    const Meaning* const meaning = meanings != nullptr && shows_meaning(cursor.spec) ? meanings->of(argument) : nullptr;
    if (const Presence* presence = presences != nullptr ? presences->of(argument) : nullptr) {
      add_nullable(cursor.spec, format, type, meaning, *presence);
      continue;
    }
    if (meaning != nullptr) {
      add_field({.field = static_cast<std::uint32_t>(meaning_fields.size()),
                 .argument = static_cast<std::uint8_t>(argument),
                 .kind = Kind::kMeaning});
      meaning_fields.push_back(meaning_field(cursor.spec, format, *meaning));
      continue;
    }
    Op op = plan_field(cursor.spec, type);
    op.field = static_cast<std::uint32_t>(brace_fields.size());
    add_field(op);
    if (needs_field(op.kind)) brace_fields.emplace_back(cursor.spec, format, type);
  }
  if (cursor.error != detail::FormatError::kNone) return format_error(cursor);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto size = static_cast<std::size_t>(cursor.name_size[i]);
    names.push_back(size != 0 ? std::string(format.substr(static_cast<std::size_t>(cursor.name_begin[i]), size))
                              : std::to_string(i));
  }
  return Status();
}

Status Printer::Impl::compile_printf(std::string_view format, std::string_view types) {
  brace = false;
  const bool has_errno = !types.empty() && types.back() == static_cast<char>(ArgType::kErrno);
  const std::size_t count = types.size() - (has_errno ? 1 : 0);
  detail::PrintfCursor cursor(format.data(), format.size(), types.data(), count);
  while (cursor.next()) {
    if (!cursor.is_field) {
      add_literal(cursor);
      continue;
    }
    detail::PrintfSpec spec = cursor.spec;
    if (spec.conversion == 'm') spec.argument = static_cast<int>(count);
    const auto type =
        spec.conversion == 'm' ? ArgType::kErrno : static_cast<ArgType>(types[static_cast<std::size_t>(spec.argument)]);
    Op op = plan_field(spec, type);
    op.field = static_cast<std::uint32_t>(printf_fields.size());
    add_field(op);
    if (needs_field(op.kind)) printf_fields.emplace_back(spec, type);
  }
  if (cursor.error == detail::FormatError::kNone && cursor.uses_errno != has_errno) {
    cursor.fail(detail::FormatError::kErrnoMismatch, 0);
  }
  // A string that %p prints was logged as a pointer.
  if (cursor.as_pointer != 0) cursor.fail(detail::FormatError::kWrongType, 0);
  if (cursor.error != detail::FormatError::kNone) return format_error(cursor);
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  if (has_errno) names.emplace_back("errno");
  return Status();
}

// Prints a field of unbounded size.
template <class Source>
[[gnu::noinline]] char* Printer::Impl::print_field(const Op& op, const Source& source, char* p, Cursor& out) const {
  ByteBuffer& buffer = out.settle(p);
  std::vector<Value> memory;
  const std::span<const Value> values = source.all(&memory, arguments);
  if (op.kind == Kind::kValue) {
    print_value(values[op.argument], buffer);
  } else if (op.kind == Kind::kMeaning) {
    meaning_fields[op.field].print(values, op.argument, buffer);
  } else if (op.kind == Kind::kNullable) {
    nullable_fields[op.field].print(values, op.argument, buffer);
  } else if (brace) {
    brace_fields[op.field].print(values, buffer);
  } else {
    printf_fields[op.field].print(values, buffer);
  }
  return out.begin(room);
}

template <class Source>
char* Printer::Impl::run(const Source& source, std::span<const Op> some, char* p, Cursor& out) const {
  p = out.ensure(p, room);
  const std::size_t start = out.size(p);
  const char* const text = literals.data();
  const Op* const end = some.data() + some.size();
  for (const Op* op = some.data(); op != end; ++op) {
    p = put_steps(p, text + op->literal, op->literal_size);
    switch (op->kind) {
      case Kind::kNothing:
        continue;
      case Kind::kSigned:
        p = write_decimal(signed_bits(source.bits_of(op->argument), op->shift), p);
        continue;
      case Kind::kUnsigned:
        p = write_decimal(unsigned_bits(source.bits_of(op->argument), op->shift), p);
        continue;
      case Kind::kShortest:
        p = write_shortest(std::bit_cast<double>(source.bits_of(op->argument)), p);
        continue;
      case Kind::kFixed: {
        const double value = to_double(source.type_of(op->argument), source.bits_of(op->argument));
        char* after = write_fixed(value, op->precision, p);
        p = after != nullptr ? after : print_field(*op, source, p, out);
        break;
      }
      case Kind::kDigits: {
        const std::uint64_t bits = source.bits_of(op->argument);
        if (op->is_signed && signed_bits(bits, op->shift) < 0) {
          p = print_field(*op, source, p, out);
          break;
        }
        const std::uint64_t number = unsigned_bits(bits, op->shift);
        p = op->ten == 0 ? put_padded_decimal(number, op->digits, p) : put_padded_hex(number, op->digits, op->ten, p);
        continue;
      }
      case Kind::kString: {
        std::string_view string = source.string_of(op->argument);
        if (string.data() == nullptr) string = kNullText;
        p = put(out.ensure(p, string.size() + room), string);
        break;
      }
      default:
        p = print_field(*op, source, p, out);
        break;
    }
    if (out.size(p) - start > kMaxMessage) {
      append("{!message too long}", out.settle(p));
      return out.begin();
    }
  }
  return p;
}

Printer::Printer() : impl_(std::make_unique<Impl>()) {}
Printer::Printer(Printer&&) noexcept = default;
Printer& Printer::operator=(Printer&&) noexcept = default;
Printer::~Printer() = default;

Result<Printer> Printer::compile(wire::Style style, std::string_view format, std::string_view types,
                                 const Meanings* meanings, const Presences* presences) {
  Printer printer;
  Impl& impl = *printer.impl_;
  impl.arguments = types.size();
  if (style == wire::Style::kBrace && presences != nullptr) impl.arguments = presences->values_needed(types.size());
  Status status = style == wire::Style::kPrintf ? impl.compile_printf(format, types)
                                                : impl.compile_brace(format, types, meanings, presences);
  if (!status.ok()) return status;
  impl.finish();
  return printer;
}

const std::vector<std::string>& Printer::names() const {
  return impl_->names;
}

bool Printer::plain() const {
  return impl_->plain;
}

void Printer::print(std::span<const Value> values, ByteBuffer& out) const {
  if (values.size() < impl_->arguments) return append("{!wrong number of arguments}", out);
  Cursor cursor(out);
  cursor.settle(impl_->run(ValuesSource(values), impl_->ops, cursor.begin(), cursor));
}

char* Printer::print_row(const Column* columns, std::size_t row, char* p, Cursor& out) const {
  return impl_->run(ColumnsSource(columns, row), impl_->ops, p, out);
}

std::vector<Printer::Field> Printer::fields() const {
  std::vector<Field> fields;
  for (const Op& op : impl_->ops) {
    Field& field = fields.emplace_back();
    field.literal = std::string_view(impl_->literals).substr(op.literal, op.literal_size);
    field.argument = op.argument;
    field.shift = op.shift;
    field.precision = op.precision;
    field.digits = op.digits;
    field.ten = op.ten;
    field.is_signed = op.is_signed;
    field.kind = op.kind == Kind::kNothing    ? Field::Kind::kNone
                 : op.kind == Kind::kSigned   ? Field::Kind::kSigned
                 : op.kind == Kind::kUnsigned ? Field::Kind::kUnsigned
                 : op.kind == Kind::kFixed    ? Field::Kind::kFixed
                 : op.kind == Kind::kDigits   ? Field::Kind::kDigits
                 : op.kind == Kind::kString   ? Field::Kind::kString
                 : op.kind == Kind::kShortest ? Field::Kind::kValue
                 : op.kind == Kind::kValue    ? Field::Kind::kValue
                                              : Field::Kind::kOther;
  }
  return fields;
}

void Printer::print_field(std::size_t i, std::span<const Value> values, ByteBuffer& out) const {
  Op op = impl_->ops[i];
  op.literal_size = 0;
  Cursor cursor(out);
  cursor.settle(impl_->run(ValuesSource(values), {&op, 1}, cursor.begin(), cursor));
}

}  // namespace steno::text
