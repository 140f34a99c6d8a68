#include "base/string_facts.h"

#include <cstring>

#include "base/bytes.h"

namespace steno {
namespace {

typedef std::int8_t Bytes __attribute__((vector_size(16)));  // signed: what is not ASCII is below all that is

bool any(Bytes x) {
  std::uint64_t halves[2];
  std::memcpy(halves, &x, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

// Controls, the tab among them, and what is not ASCII.
Bytes unusual(Bytes x) {
  return static_cast<Bytes>(x < 0x20) | static_cast<Bytes>(x == 0x7F);
}

}  // namespace

StringFacts StringFacts::of(std::span<const std::uint8_t> bytes, bool has_slack) {
  StringFacts facts;
  facts.has_slack = has_slack;
  std::size_t i = 0;
  Bytes found = {};
  for (; i + sizeof(Bytes) <= bytes.size(); i += sizeof(Bytes)) found |= unusual(load<Bytes>(bytes.data() + i));
  const std::size_t quick = any(found) ? 0 : i;
  for (const std::uint8_t c : bytes.subspan(quick)) {
    facts.has_control |= (c < 0x20 && c != '\t') || c == 0x7F;
    facts.has_c1 |= c == 0xC2;
    facts.has_high |= c >= 0x80;
  }
  return facts;
}

}  // namespace steno
