// JSON put together piece by piece: commas and quotes come by themselves. What is inside of strings is escaped by
// lines/escape.h.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "lines/escape.h"

namespace steno::cli::web {

class Json {
 public:
  Json& begin(char bracket) {
    separate();
    out_.put(static_cast<std::uint8_t>(bracket));
    first_ = true;
    return *this;
  }
  Json& end(char bracket) {
    out_.put(static_cast<std::uint8_t>(bracket));
    first_ = false;
    return *this;
  }
  Json& name(std::string_view name) {
    separate();
    quote(name);
    out_.put(':');
    first_ = true;
    return *this;
  }
  void text(std::string_view text) {
    separate();
    quote(text);
  }
  void number(std::uint64_t value) { raw(std::to_string(value)); }
  // A number that programs may round, as text: times and durations in ns, 64-bit ids.
  void exact(std::int64_t value) { text(std::to_string(value)); }
  // Numbers that are not finite, which JSON does not have, are null.
  void real(double value) {
    char digits[40];
    if (!std::isfinite(value)) return null();
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
    raw({digits, static_cast<std::size_t>(end - digits)});
  }
  void boolean(bool value) { raw(value ? "true" : "false"); }
  void null() { raw("null"); }
  // Puts a text that is JSON already.
  void raw(std::string_view json) {
    separate();
    lines::put(out_, json);
  }

  const ByteBuffer& bytes() const { return out_; }
  std::string take() const { return {reinterpret_cast<const char*>(out_.data()), out_.size()}; }

 private:
  void separate() {
    if (!first_) out_.put(',');
    first_ = false;
  }
  void quote(std::string_view text) {
    out_.put('"');
    lines::append_json(text, out_);
    out_.put('"');
  }

  ByteBuffer out_;
  bool first_ = true;
};

}  // namespace steno::cli::web
