#include "lines/escape.h"

#include <bit>
#include <cstring>

#include "lines/byte_tests.h"
#include "lines/unseen.h"
#include "text/utf8.h"

namespace steno::lines {
namespace {

struct JsonTest {
  static Bytes suspicious(Bytes x) {
    return controls(x) | static_cast<Bytes>(x >= 0x80) | static_cast<Bytes>(x == '"') | static_cast<Bytes>(x == '\\');
  }
};

// Quotes more than it must: control characters too, not line breaks alone.
struct CsvQuoteTest {
  static Bytes suspicious(Bytes x) { return controls(x) | static_cast<Bytes>(x == '"') | static_cast<Bytes>(x == ','); }
};
struct CsvTest {
  static Bytes suspicious(Bytes x) { return CsvQuoteTest::suspicious(x) | static_cast<Bytes>(x >= 0x80); }
};

// Returns whether any byte could need an escape.
template <class Test>
bool any_suspicious(const std::uint8_t* p, std::size_t n) {
  if (n == 0) return false;  // p may be null
  Bytes found = {};
  if (n >= sizeof(Bytes)) {
    std::size_t i = 0;
    for (; i + sizeof(Bytes) <= n; i += sizeof(Bytes)) found |= Test::suspicious(load<Bytes>(p + i));
    found |= Test::suspicious(load<Bytes>(p + n - sizeof(Bytes)));
  } else {
    std::uint8_t padded[sizeof(Bytes)];
    std::memset(padded, ' ', sizeof padded);
    std::memcpy(padded, p, n);
    found = Test::suspicious(load<Bytes>(padded));
  }
  return any(found);
}

// In quotes: what is not copied as it is.
struct CsvQuotedTest {
  static Bytes suspicious(Bytes x) {
    return static_cast<Bytes>(x == 0) | static_cast<Bytes>(x == '"') | static_cast<Bytes>(x >= 0x80);
  }
};

// How many bytes come before the first that could need an escape.
template <class Test>
std::size_t clean_prefix(const std::uint8_t* p, std::size_t n) {
  for (std::size_t i = 0; i < n; i += sizeof(Bytes)) {
    Bytes x;
    if (n - i >= sizeof(Bytes)) {
      x = load<Bytes>(p + i);
    } else {
      std::memset(&x, ' ', sizeof x);
      std::memcpy(&x, p + i, n - i);
    }
    const Bytes found = Test::suspicious(x);
    std::uint64_t halves[2];
    std::memcpy(halves, &found, sizeof halves);
    if ((halves[0] | halves[1]) == 0) continue;
    return i +
           static_cast<std::size_t>(halves[0] != 0 ? std::countr_zero(halves[0]) : 64 + std::countr_zero(halves[1])) /
               8;
  }
  return n;
}

// Copies what is clean from `at` on, and returns where that ends.
template <class Test>
std::size_t copy_clean(std::string_view text, std::size_t at, ByteBuffer& out) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(text.data()) + at;
  const std::size_t n = clean_prefix<Test>(p, text.size() - at);
  if (n != 0) out.put_bytes(p, n);
  return at + n;
}

constexpr char kHex[] = "0123456789abcdef";

void put_hex(ByteBuffer& out, std::string_view prefix, std::uint32_t code, int digits) {
  put(out, prefix);
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out.put(kHex[code >> shift & 15]);
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

void put_control(ByteBuffer& out, std::uint32_t code) {
  switch (code) {
    case '\n':
      return put(out, "\\n");
    case '\r':
      return put(out, "\\r");
    default:
      return code < 0x80 ? put_hex(out, "\\x", code, 2) : put_hex(out, "\\u", code, 4);
  }
}

void escape_text(std::string_view text, Escape escape, ByteBuffer& out) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(text.data());
  for (std::size_t i = 0; (i = copy_clean<TerminalTest>(text, i, out)) < text.size();) {
    std::uint32_t code = 0;
    const std::size_t size = text::decode_utf8(p + i, text.size() - i, &code);
    if (size == 0) {
      escape == Escape::kTerminal ? put_hex(out, "\\x", p[i], 2) : out.put(p[i]);
      ++i;
      continue;
    }
    if (code != '\t' && is_control(code)) {
      put_control(out, code);
    } else if (escape == Escape::kTerminal && is_unseen(code)) {
      code < 0x10000 ? put_hex(out, "\\u", code, 4) : put_hex(out, "\\U", code, 8);
    } else {
      out.put_bytes(p + i, size);
    }
    i += size;
  }
}

void put_json_code(ByteBuffer& out, std::uint32_t code) {
  if (code < 0x10000) return put_hex(out, "\\u", code, 4);
  put_hex(out, "\\u", 0xD800 + ((code - 0x10000) >> 10), 4);
  put_hex(out, "\\u", 0xDC00 + ((code - 0x10000) & 0x3FF), 4);
}

void escape_json(std::string_view text, ByteBuffer& out) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(text.data());
  for (std::size_t i = 0; (i = copy_clean<JsonTest>(text, i, out)) < text.size();) {
    std::uint32_t code = 0;
    const std::size_t size = text::decode_utf8(p + i, text.size() - i, &code);
    if (size == 0) {
      put(out, "\xEF\xBF\xBD");
    } else if (code == '"' || code == '\\') {
      out.put('\\');
      out.put(static_cast<char>(code));
    } else if (code == '\n') {
      put(out, "\\n");
    } else if (code == '\t') {
      put(out, "\\t");
    } else if (is_control(code) || is_unseen(code)) {  // the same text to a program, and safe on a terminal
      put_json_code(out, code);
    } else {
      out.put_bytes(p + i, size);
    }
    i += size != 0 ? size : 1;
  }
}

// Replaces the tail of `out` by what `write` makes of it.
template <class Write>
void rewrite_tail(ByteBuffer& out, std::size_t start, Write write) {
  const std::string text(reinterpret_cast<const char*>(out.data()) + start, out.size() - start);
  out.truncate(start);
  write(text);
}

}  // namespace

bool is_clean(const char* text, std::size_t size, Escape escape) {
  if (escape == Escape::kRaw) return true;
  const auto* p = reinterpret_cast<const std::uint8_t*>(text);
  return !(escape == Escape::kTerminal ? any_suspicious<TerminalTest>(p, size) : any_suspicious<ControlsTest>(p, size));
}

void append_text(std::string_view text, Escape escape, ByteBuffer& out) {
  if (is_clean(text.data(), text.size(), escape)) {
    put(out, text);
  } else {
    escape_text(text, escape, out);
  }
}

void escape_tail(ByteBuffer& out, std::size_t start, Escape escape) {
  if (is_clean(reinterpret_cast<const char*>(out.data()) + start, out.size() - start, escape)) return;
  rewrite_tail(out, start, [&](const std::string& text) { escape_text(text, escape, out); });
}

bool is_json_clean(std::string_view text) {
  return !any_suspicious<JsonTest>(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

void append_json(std::string_view text, ByteBuffer& out) {
  if (is_json_clean(text)) {
    put(out, text);
  } else {
    escape_json(text, out);
  }
}

void json_escape_tail(ByteBuffer& out, std::size_t start) {
  if (!any_suspicious<JsonTest>(out.data() + start, out.size() - start)) return;
  rewrite_tail(out, start, [&](const std::string& text) { escape_json(text, out); });
}

void append_csv(std::string_view text, ByteBuffer& out) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(text.data());
  if (!any_suspicious<CsvTest>(p, text.size())) return put(out, text);
  const bool quoted = any_suspicious<CsvQuoteTest>(p, text.size());
  if (quoted) out.put('"');
  for (std::size_t i = 0; (i = copy_clean<CsvQuotedTest>(text, i, out)) < text.size();) {
    std::uint32_t code = 0;
    const std::size_t size = text::decode_utf8(p + i, text.size() - i, &code);
    if (size == 0 || code == 0) {
      put(out, "\xEF\xBF\xBD");
    } else {
      if (code == '"') out.put('"');
      out.put_bytes(p + i, size);
    }
    i += size != 0 ? size : 1;
  }
  if (quoted) out.put('"');
}

std::string escaped(std::string_view text, Escape escape) {
  ByteBuffer out;
  append_text(text, escape, out);
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

std::string json_escaped(std::string_view text) {
  ByteBuffer out;
  append_json(text, out);
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

void append_logfmt_value(std::string_view text, ByteBuffer& out) {
  bool plain = !text.empty();
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    plain = plain && byte > ' ' && byte < 0x7F && c != '=' && c != '"' && c != '\\';
  }
  if (plain) return put(out, text);
  out.put('"');
  append_json(text, out);
  out.put('"');
}

std::string logfmt_key(std::string name) {
  const bool plain = escaped(name, Escape::kTerminal) == name;
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool fits = byte > ' ' && c != '=' && c != '"' && byte != 0x7F && (byte < 0x80 || plain);
    if (!fits) c = '_';
  }
  return name;
}

}  // namespace steno::lines
