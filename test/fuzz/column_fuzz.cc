// Searches in columns of strings: arbitrary bytes as a column, where every pattern must lead as it leads in the strings
// that are decoded. Input: a byte of flags, u16 the number of strings, the pattern up to a NUL, then the column.
#include <memory>
#include <vector>

#include "base/scratch.h"
#include "format/strings/codec.h"
#include "fuzz_input.h"
#include "query/search/pattern.h"
#include "query/search/string_states.h"

namespace steno {
namespace {

using fuzz::require;
using query::Automaton;

// A dictionary that columns may refer to, number 1, in which one string is lost.
class Shared final : public format::SharedDictionaries {
 public:
  std::span<const std::string_view> strings_of(std::uint64_t dictionary) const override {
    static constexpr std::string_view kStrings[] = {"alpha", format::kMissingString, "", "omega"};
    return dictionary == 1 ? std::span(kStrings) : std::span<const std::string_view>();
  }
};

void search(unsigned flags, std::size_t n, std::string_view text, std::span<const std::uint8_t> column) {
  const auto kind = (flags & 1) != 0 ? query::PatternKind::kRegex : query::PatternKind::kContains;
  const auto made = query::Pattern::make(std::string(text), kind, (flags & 2) != 0);
  if (!made.ok() || (*made)->automaton() == nullptr) return;
  const query::Pattern& pattern = **made;
  const Automaton& automaton = *pattern.automaton();
  const Shared shared;
  std::vector<std::string_view> strings(n);
  format::StringArena arena;
  ByteReader in(column.data(), column.size());
  const bool good = format::decode_strings(in, n, {.shared = &shared}, &arena, strings.data()) && in.at_end();
  const query::Suffix suffix("a", (flags & 4) != 0);
  for (const bool by_claims : {false, true}) {
    Scratch scratch;
    query::SharedTables tables;
    query::StringStates states_of(pattern, (flags & 8) != 0, &tables, &shared, &scratch);
    query::RowStates states(n, automaton.start());
    const bool ran = states_of.run(column, suffix, by_claims, &states);
    const query::StateSet may = states_of.outcomes(automaton.start(), column, n);
    if (!good) continue;
    require(ran, "what can be decoded can be searched");
    for (std::size_t i = 0; i < n; ++i) {
      const Automaton::State after = states_of.next(automaton.start(), strings[i]);
      require(may.has(after), "a string leads to one of the outcomes");
      require(states.at(i) == suffix.after(automaton, after), "a string leads where it leads by itself");
      require(states.present().has(states.at(i)), "a state that is there is present");
      require(strings[i].size() <= states_of.longest(), "no string is longer than is said");
    }
  }
}

}  // namespace
}  // namespace steno

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steno;
  if (size < 4) return 0;
  ByteReader in(data + 3, size - 3);
  const std::string_view text = fuzz::take_text(in);
  const std::size_t left = in.remaining();
  const fuzz::Exact column(in.take(left), left);
  search(data[0], load<std::uint16_t>(data + 1) % 4096 + std::size_t{1}, text, {column.data(), column.size()});
  return 0;
}
