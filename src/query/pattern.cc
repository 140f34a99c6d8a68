#include "query/pattern.h"

#include <re2/filtered_re2.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstring>

namespace steno::query {
namespace {

constexpr int kLeastAtom = 2;  // shorter literals of a regular expression tell little
constexpr std::int64_t kRegexMemory = 64 << 20;

// Closing brackets and braces stand for themselves where none is open.
bool has_special(std::string_view text) {
  return text.find_first_of("\\.+*?()|[{^$") != std::string_view::npos;
}

// Whether ASCII letters can stand for themselves only, case aside: U+017F and U+212A fold to 's' and 'k'.
bool folds_beyond_ascii(std::string_view atom) {
  return std::any_of(atom.begin(), atom.end(), [](char c) {
    return c == 'k' || c == 's' || c == 'K' || c == 'S' || static_cast<unsigned char>(c) >= 0x80;
  });
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

Pattern::~Pattern() = default;

Result<std::shared_ptr<const Pattern>> Pattern::make(std::string_view text, PatternKind kind, bool ignore_case) {
  std::shared_ptr<Pattern> pattern(new Pattern);
  if (!ignore_case && (kind != PatternKind::kRegex || !has_special(text))) {
    pattern->literal_ = text;
    pattern->whole_ = kind == PatternKind::kEquals;
    pattern->needles_.emplace_back(text, false);
    pattern->automaton_ = Automaton::of_text(text, pattern->whole_);
    if (pattern->automaton_ != nullptr) pattern->note_seen();
    return std::shared_ptr<const Pattern>(std::move(pattern));
  }
  if (Status status = pattern->compile_regex(text, ignore_case); !status.ok()) return status;
  return std::shared_ptr<const Pattern>(std::move(pattern));
}

// States are as many as prefixes of the literal, if it may be anywhere: each is that after one of them.
void Pattern::note_seen() {
  seen_.assign(automaton_->states(), literal_.size());
  Automaton::State state = automaton_->start();
  for (std::size_t n = 0; n < literal_.size(); ++n) {
    seen_[state] = n;
    state = automaton_->step(state, static_cast<std::uint8_t>(literal_[n]));
  }
}

Status Pattern::compile_regex(std::string_view text, bool ignore_case) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(!ignore_case);
  options.set_max_mem(kRegexMemory);
  regex_ = std::make_unique<re2::FilteredRE2>(kLeastAtom);
  int id = 0;
  const re2::StringPiece piece(text.data(), text.size());
  if (regex_->Add(piece, options, &id) != re2::RE2::NoError) {
    const re2::RE2 bad(piece, options);
    return {StatusCode::kInvalidArgument,
            "'" + std::string(text) + "' is not a valid regular expression: " + bad.error()};
  }
  std::vector<std::string> atoms;
  regex_->Compile(&atoms);
  automaton_ = Automaton::of_regex(text, ignore_case);
  const bool folds = ignore_case || text.find("(?") != std::string_view::npos;
  for (const std::string& atom : atoms) {
    // An empty needle is in everything.
    const bool usable = folds ? !folds_beyond_ascii(atom) : is_ascii(atom);
    needles_.emplace_back(usable ? std::string_view(atom) : std::string_view(), true);
  }
  return {};
}

bool Pattern::matches(std::string_view text) const {
  if (regex_ != nullptr) {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex_->GetRE2(0));
  }
  if (whole_) return text == literal_;
  return literal_.empty() || (text.size() >= literal_.size() &&
                              ::memmem(text.data(), text.size(), literal_.data(), literal_.size()) != nullptr);
}

bool Pattern::may_match(const std::vector<bool>& present) const {
  if (regex_ == nullptr) return present[0];
  if (needles_.empty()) return true;
  std::vector<int> atoms;
  for (std::size_t i = 0; i < present.size(); ++i) {
    if (present[i]) atoms.push_back(static_cast<int>(i));
  }
  std::vector<int> potentials;
  regex_->AllPotentials(atoms, &potentials);
  return !potentials.empty();
}

bool Pattern::needle_required() const {
  return needles_.size() == 1 && !needles_[0].empty() && !may_match({false});
}

bool Pattern::needle_decides() const {
  return regex_ == nullptr && !whole_ && needles_[0].whole();
}

}  // namespace steno::query
