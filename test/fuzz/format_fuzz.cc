// Formats, types and values. Input: a byte ('p': printf, else brace), the types up to a NUL, the format up to a NUL,
// then the values in their wire bytes; a string as varint of length + 1 (0: null) and bytes.
#include "fuzz_input.h"
#include "steno/detail/arg_type.h"
#include "text/printer.h"

namespace steno {
namespace {

using fuzz::require;

// A message passes 16 MiB by its last field at most, which is bounded by its width and what it prints.
constexpr std::size_t kLongest = (16u << 20) + 8u * text::kMaxPad;

text::Value take_value(ArgType type, ByteReader& in) {
  static constexpr std::uint8_t kZeros[16] = {};
  text::Value value;
  value.type = type;
  const unsigned size = fixed_size(type);
  if (is_string(type)) {
    const std::uint64_t code = std::min<std::uint64_t>(in.get_varint(), in.remaining() + 1);
    if (code != 0) value.string = {reinterpret_cast<const char*>(in.take(code - 1)), code - 1};
  } else if (size == 16) {
    const std::uint8_t* p = in.take(16);
    value.wide = p != nullptr ? p : kZeros;
  } else if (const std::uint8_t* p = in.take(size); p != nullptr) {
    std::memcpy(&value.bits, p, size);
    const unsigned unused = 64 - 8 * size;
    if (is_signed_integer(type)) {
      value.bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value.bits << unused) >> unused);
    }
  }
  return value;
}

}  // namespace
}  // namespace steno

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steno;
  ByteReader in(data, size);
  const auto style = in.get<char>() == 'p' ? wire::Style::kPrintf : wire::Style::kBrace;
  const fuzz::Exact types(fuzz::take_text(in));
  const fuzz::Exact format(fuzz::take_text(in));
  const auto printer = text::Printer::compile(style, format.text(), types.text());
  if (!printer.ok()) {
    require(printer.status().code() == StatusCode::kCorrupt, "a bad format is called corrupt");
    return 0;
  }
  require(printer->names().size() == types.size(), "a name for each argument");
  std::vector<text::Value> values;
  ByteBuffer out;
  for (const char type : types.text()) {
    values.push_back(take_value(static_cast<ArgType>(type), in));
    out.clear();
    text::print_value(values.back(), out);
  }
  out.clear();
  printer->print(values, out);
  require(out.size() <= kLongest, "a message is bounded");
  return 0;
}
