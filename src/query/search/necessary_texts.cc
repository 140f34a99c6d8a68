#include "query/search/necessary_texts.h"

#include <re2/filtered_re2.h>

#include <algorithm>
#include <string_view>

namespace steno::query {
namespace {

constexpr std::size_t kLeastAtom = 2;  // shorter texts tell little
constexpr std::size_t kMostAtoms = 256;

// Returns whether an ASCII letter stands for more than its two cases where case is ignored: U+017F and U+212A fold to
// 's' and 'k'. RE2 makes other characters lower case, too.
bool folds_beyond_ascii(char c, bool ignore_case) {
  return static_cast<unsigned char>(c) >= 0x80 || (ignore_case && (c == 'k' || c == 's'));
}

// The longest part of an atom whose bytes are found as they are; empty: it is too short.
std::string usable_part(std::string_view atom, bool ignore_case) {
  std::string_view best;
  for (std::size_t begin = 0; begin < atom.size(); ++begin) {
    std::size_t end = begin;
    while (end < atom.size() && !folds_beyond_ascii(atom[end], ignore_case)) ++end;
    if (end - begin > best.size()) best = atom.substr(begin, end - begin);
    begin = end;
  }
  return std::string(best.size() >= kLeastAtom ? best : std::string_view());
}

// Returns whether a group of the expression sets flags, of which 'i' may be one: "(?i)", "(?s-i:", but not "(?:" and
// "(?P<".
bool sets_flags(std::string_view expression) {
  constexpr std::string_view kGroup = "(?";
  for (std::size_t at = 0; (at = expression.find(kGroup, at)) != std::string_view::npos;) {
    at += kGroup.size();
    if (at < expression.size() && std::string_view(":P<").find(expression[at]) == std::string_view::npos) return true;
  }
  return false;
}

bool may_match(const re2::FilteredRE2& filter, const std::vector<int>& present) {
  std::vector<int> potentials;
  filter.AllPotentials(present, &potentials);
  return !potentials.empty();
}

}  // namespace

// All usable atoms together are needed, if any are. Each that is not needed beside the others is left out, short ones
// first.
std::vector<std::string> necessary_texts(const re2::StringPiece& expression, const re2::RE2::Options& options) {
  re2::FilteredRE2 filter(static_cast<int>(kLeastAtom));
  int id = 0;
  if (filter.Add(expression, options, &id) != re2::RE2::NoError) return {};
  std::vector<std::string> atoms;
  filter.Compile(&atoms);
  if (atoms.empty() || atoms.size() > kMostAtoms) return {};
  const bool ignore_case =
      !options.case_sensitive() || sets_flags(std::string_view(expression.data(), expression.size()));
  for (std::string& atom : atoms) atom = usable_part(atom, ignore_case);

  std::vector<int> present;  // whether it is there or not
  std::vector<int> by_size;
  for (int i = 0; i < static_cast<int>(atoms.size()); ++i)
    (atoms[static_cast<std::size_t>(i)].empty() ? present : by_size).push_back(i);
  if (may_match(filter, present)) return {};
  const auto size_of = [&atoms](int i) { return atoms[static_cast<std::size_t>(i)].size(); };
  std::stable_sort(by_size.begin(), by_size.end(), [&](int a, int b) { return size_of(a) < size_of(b); });
  std::vector<std::string> needed;
  for (const int atom : by_size) {
    std::vector<int> with = present;
    with.insert(std::lower_bound(with.begin(), with.end(), atom), atom);
    if (may_match(filter, with)) {
      needed.push_back(atoms[static_cast<std::size_t>(atom)]);
    } else {
      present = std::move(with);
    }
  }
  return needed;
}

std::shared_ptr<const Automaton> necessary_automaton(const re2::StringPiece& expression,
                                                     const re2::RE2::Options& options) {
  std::vector<std::string> texts = necessary_texts(expression, options);
  if (texts.empty()) return nullptr;
  std::size_t longest = 0;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  for (;;) {
    if (auto automaton = Automaton::of_necessary(texts, true)) return automaton;
    if (longest <= kLeastAtom) return nullptr;
    longest = std::max(longest / 2, kLeastAtom);
    for (std::string& text : texts) text.resize(std::min(text.size(), longest));
  }
}

}  // namespace steno::query
