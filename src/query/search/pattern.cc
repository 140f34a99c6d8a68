#include "query/search/pattern.h"

#include <re2/re2.h>

#include <cstring>

#include "query/search/necessary_texts.h"

namespace steno::query {
namespace {

constexpr std::size_t kMostOfLiteral = 64;  // that is searched for where the whole needs too many states
constexpr std::int64_t kRegexMemory = 64 << 20;

// Closing brackets and braces stand for themselves where none is open.
bool has_special(std::string_view text) {
  return text.find_first_of("\\.+*?()|[{^$") != std::string_view::npos;
}

}  // namespace

Pattern::~Pattern() = default;

Result<std::shared_ptr<const Pattern>> Pattern::make(std::string_view text, PatternKind kind, bool ignore_case) {
  std::shared_ptr<Pattern> pattern(new Pattern);
  if (!ignore_case && (kind != PatternKind::kRegex || !has_special(text))) {
    pattern->text_ = text;
    pattern->whole_ = kind == PatternKind::kEquals;
    pattern->compile_literal();
    return std::shared_ptr<const Pattern>(std::move(pattern));
  }
  if (Status status = pattern->compile_regex(text, ignore_case); !status.ok()) return status;
  return std::shared_ptr<const Pattern>(std::move(pattern));
}

void Pattern::compile_literal() {
  literal_ = text_;
  automaton_ = Automaton::of_text(literal_, whole_);
  anywhere_ = !whole_;
  if (automaton_ == nullptr) {
    literal_.resize(kMostOfLiteral);
    automaton_ = Automaton::of_necessary({literal_}, false);
    anywhere_ = true;
  }
  note_seen();
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
  const re2::StringPiece piece(text.data(), text.size());
  regex_ = std::make_unique<const re2::RE2>(piece, options);
  if (!regex_->ok()) {
    return {StatusCode::kInvalidArgument,
            "'" + std::string(text) + "' is not a valid regular expression: " + regex_->error()};
  }
  automaton_ = Automaton::of_regex(text, ignore_case);
  if (automaton_ == nullptr) automaton_ = necessary_automaton(piece, options);
  return {};
}

bool Pattern::matches(std::string_view text) const {
  if (regex_ != nullptr) return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex_);
  if (whole_) return text == text_;
  return text_.empty() ||
         (text.size() >= text_.size() && ::memmem(text.data(), text.size(), text_.data(), text_.size()) != nullptr);
}

}  // namespace steno::query
