// Automata of literal texts and of regular expressions, as RE2 reads them: a parser, Thompson's construction, and that
// of subsets.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "query/search/automaton.h"

namespace steno::query {
namespace automata {

constexpr std::size_t kMostNfaNodes = 1'000;
constexpr int kMostNesting = 100;
constexpr int kNoNode = -1;

struct NfaNode {
  enum class Kind : std::uint8_t { kBytes, kSplit, kBegin, kEnd, kMatch };
  Kind kind = Kind::kMatch;
  CharSet bytes;
  int next = kNoNode;
  int other = kNoNode;  // of kSplit
};

struct Syntax {
  enum class Kind : std::uint8_t { kBytes, kBegin, kEnd, kAll, kEither, kRepeat };
  Kind kind = Kind::kAll;
  CharSet bytes;
  std::vector<Syntax> parts;
  int least = 0;
  int most = 0;  // kNoNode: any number
};

inline CharSet byte_range(unsigned first, unsigned last) {
  CharSet set;
  for (unsigned c = first; c <= last; ++c) set.set(c);
  return set;
}

inline CharSet folded(CharSet set) {
  for (unsigned c = 'a'; c <= 'z'; ++c) {
    const bool either = set[c] || set[c - 'a' + 'A'];
    set[c] = set[c - 'a' + 'A'] = either;
  }
  return set;
}

// The bytes of a text, one after the other.
inline Syntax sequence_of(std::string_view text, bool ignore_case) {
  Syntax all;
  for (const char c : text) {
    Syntax& one = all.parts.emplace_back();
    one.kind = Syntax::Kind::kBytes;
    one.bytes.set(static_cast<unsigned char>(c));
    if (ignore_case) one.bytes = folded(one.bytes);
  }
  return all;
}

// Parses those regular expressions that need no more than bytes and sets of them, without assertions but of the two
// ends. RE2 has accepted the expression before; anything doubtful is given up.
class SyntaxParser {
 public:
  SyntaxParser(std::string_view text, bool ignore_case) : text_(text), ignore_case_(ignore_case) {}

  std::optional<Syntax> parse() {
    Syntax all = either(0);
    if (!at_end()) good_ = false;
    return good_ ? std::optional(std::move(all)) : std::nullopt;
  }

 private:
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Syntax give_up() {
    good_ = false;
    at_ = text_.size();
    return {};
  }

  Syntax either(int depth) {
    if (depth > kMostNesting) return give_up();
    Syntax any;
    any.kind = Syntax::Kind::kEither;
    do {
      any.parts.push_back(sequence(depth));
    } while (take('|'));
    return any.parts.size() == 1 ? std::move(any.parts[0]) : any;
  }

  Syntax sequence(int depth) {
    Syntax all;
    while (!at_end() && peek() != '|' && peek() != ')') all.parts.push_back(repeated(depth));
    return all;
  }

  Syntax repeated(int depth) {
    Syntax one = atom(depth);
    int least = 0;
    int most = kNoNode;
    if (take('*')) {
    } else if (take('+')) {
      least = 1;
    } else if (take('?')) {
      most = 1;
    } else if (peek() == '{') {
      if (!counts(&least, &most)) return give_up();
    } else {
      return one;
    }
    take('?');  // lazy ones match the same texts
    if (peek() == '*' || peek() == '+' || peek() == '?' || peek() == '{') return give_up();
    Syntax many;
    many.kind = Syntax::Kind::kRepeat;
    many.least = least;
    many.most = most;
    many.parts.push_back(std::move(one));
    return many;
  }

  bool number(int* value) {
    const std::size_t begin = at_;
    *value = 0;
    while (peek() >= '0' && peek() <= '9' && at_ - begin < 4) *value = *value * 10 + (text_[at_++] - '0');
    return at_ != begin;
  }

  bool counts(int* least, int* most) {
    if (!take('{') || !number(least)) return false;
    *most = *least;
    if (take(',')) {
      *most = kNoNode;
      if (peek() != '}' && !number(most)) return false;
    }
    return take('}');
  }

  Syntax of_bytes(CharSet set) const {
    Syntax one;
    one.kind = Syntax::Kind::kBytes;
    one.bytes = ignore_case_ ? folded(set) : set;
    return one;
  }

  Syntax atom(int depth) {
    const char c = text_[at_++];
    Syntax one;
    switch (c) {
      case '(':
        if (take('?') && !take(':')) return give_up();
        one = either(depth + 1);
        return take(')') ? one : give_up();
      case '[':
        return bracket();
      case '.':
        return of_bytes(~byte_range('\n', '\n'));
      case '^':
        if (end_seen_) return give_up();  // both can hold in an empty text
        one.kind = Syntax::Kind::kBegin;
        return one;
      case '$':
        end_seen_ = true;
        one.kind = Syntax::Kind::kEnd;
        return one;
      case '\\': {
        CharSet set;
        return escape(&set) ? of_bytes(set) : give_up();
      }
      case '*':
      case '+':
      case '?':
      case '{':
        return give_up();
      default:
        if (static_cast<unsigned char>(c) >= 0x80) return give_up();
        return of_bytes(byte_range(static_cast<unsigned char>(c), static_cast<unsigned char>(c)));
    }
  }

  // After the backslash. False: something else than a character or a class of characters.
  bool escape(CharSet* set) {
    if (at_end()) return false;
    const char c = text_[at_++];
    const CharSet digits = byte_range('0', '9');
    const CharSet words = digits | byte_range('a', 'z') | byte_range('A', 'Z') | byte_range('_', '_');
    CharSet spaces = byte_range('\t', '\n') | byte_range('\f', '\r');
    spaces.set(' ');
    switch (c) {
      case 'd':
        return *set = digits, true;
      case 'D':
        return *set = ~digits, true;
      case 'w':
        return *set = words, true;
      case 'W':
        return *set = ~words, true;
      case 's':
        return *set = spaces, true;
      case 'S':
        return *set = ~spaces, true;
      case 't':
        return *set = byte_range('\t', '\t'), true;
      case 'n':
        return *set = byte_range('\n', '\n'), true;
      case 'r':
        return *set = byte_range('\r', '\r'), true;
      default:
        break;
    }
    if (static_cast<unsigned char>(c) >= 0x80 || words[static_cast<unsigned char>(c)]) return false;
    set->set(static_cast<unsigned char>(c));
    return true;
  }

  // One character of a bracket, or a class. *single: the character; -1: a class.
  bool element(CharSet* set, int* single) {
    if (at_end()) return false;
    *single = -1;
    *set = CharSet();
    const char c = text_[at_++];
    if (static_cast<unsigned char>(c) >= 0x80 || (c == '[' && peek() == ':')) return false;
    if (c == '\\') {
      if (!escape(set)) return false;
    } else {
      set->set(static_cast<unsigned char>(c));
    }
    for (int i = 0; set->count() == 1 && i < 256; ++i) {
      if ((*set)[static_cast<std::size_t>(i)]) *single = i;
    }
    return true;
  }

  Syntax bracket() {
    const bool negated = take('^');
    CharSet all;
    for (bool first = true; first || peek() != ']'; first = false) {
      CharSet set;
      int low = 0;
      if (!element(&set, &low)) return give_up();
      if (peek() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
        ++at_;
        int high = 0;
        if (!element(&set, &high) || low < 0 || high < low) return give_up();
        set = byte_range(static_cast<unsigned>(low), static_cast<unsigned>(high));
      }
      all |= set;
    }
    ++at_;
    Syntax one = of_bytes(all);
    if (negated) one.bytes = ~one.bytes;
    return one;
  }

  const std::string_view text_;
  const bool ignore_case_;
  std::size_t at_ = 0;
  bool end_seen_ = false;
  bool good_ = true;
};

}  // namespace automata

using automata::byte_range;
using automata::kMostNfaNodes;
using automata::kNoNode;
using automata::NfaNode;
using automata::sequence_of;
using automata::Syntax;
using automata::SyntaxParser;

class AutomatonBuilder {
 public:
  // With `ascii`, bytes from 0x80 on have no meaning of their own. `match`: what is said of texts that match.
  explicit AutomatonBuilder(bool ascii, Automaton::End match = Automaton::End::kMatch) : ascii_(ascii), match_(match) {}

  // nullptr: too large.
  std::shared_ptr<const Automaton> build(const Syntax& expression) {
    const int match = add({});
    root_ = compile(expression, match);
    if (nodes_.size() > kMostNfaNodes) return nullptr;
    split_bytes();
    return determine() ? std::move(automaton_) : nullptr;
  }

 private:
  using State = Automaton::State;
  using Nodes = std::vector<int>;  // sorted

  int add(NfaNode node) {
    if (nodes_.size() > kMostNfaNodes) return 0;
    nodes_.push_back(node);
    return static_cast<int>(nodes_.size()) - 1;
  }

  // A node that continues at `next` when the expression has matched.
  int compile(const Syntax& e, int next) {
    if (nodes_.size() > kMostNfaNodes) return next;
    switch (e.kind) {
      case Syntax::Kind::kBytes:
        return add({NfaNode::Kind::kBytes, e.bytes, next, kNoNode});
      case Syntax::Kind::kBegin:
        return add({NfaNode::Kind::kBegin, {}, next, kNoNode});
      case Syntax::Kind::kEnd:
        return add({NfaNode::Kind::kEnd, {}, next, kNoNode});
      case Syntax::Kind::kAll:
        for (auto part = e.parts.rbegin(); part != e.parts.rend(); ++part) next = compile(*part, next);
        return next;
      case Syntax::Kind::kEither: {
        int any = compile(e.parts.back(), next);
        for (std::size_t i = e.parts.size() - 1; i-- > 0;) {
          any = add({NfaNode::Kind::kSplit, {}, compile(e.parts[i], next), any});
        }
        return any;
      }
      case Syntax::Kind::kRepeat: {
        if (e.most == kNoNode) {
          const int loop = add({NfaNode::Kind::kSplit, {}, kNoNode, next});
          const int body = compile(e.parts[0], loop);
          nodes_[static_cast<std::size_t>(loop)].next = body;
          next = loop;
        } else {
          const int end = next;
          for (int i = e.least; i < e.most; ++i) {
            next = add({NfaNode::Kind::kSplit, {}, compile(e.parts[0], next), end});
          }
        }
        for (int i = 0; i < e.least; ++i) next = compile(e.parts[0], next);
        return next;
      }
    }
    return next;
  }

  // Bytes that no set distinguishes form one class.
  void split_bytes() {
    class_of_.fill(0);
    std::size_t classes = 1;
    const auto split = [&](const CharSet& set) {
      std::map<std::pair<int, bool>, int> renamed;
      for (std::size_t c = 0; c < 256; ++c) {
        const auto key = std::pair(class_of_[c], static_cast<bool>(set[c]));
        class_of_[c] = renamed.try_emplace(key, static_cast<int>(renamed.size())).first->second;
      }
      classes = renamed.size();
    };
    for (const NfaNode& node : nodes_) {
      if (node.kind == NfaNode::Kind::kBytes) split(node.bytes);
    }
    if (ascii_) split(byte_range(0x80, 0xFF));
    samples_.assign(classes, 0);
    for (unsigned c = 0; c < 256; ++c) samples_[static_cast<std::size_t>(class_of_[c])] = static_cast<std::uint8_t>(c);
  }

  // Adds what is reached from a node without a byte.
  void follow(int from, bool at_begin, bool at_end, std::vector<bool>* seen) const {
    Nodes todo = {from};
    while (!todo.empty()) {
      const int n = todo.back();
      todo.pop_back();
      if (n == kNoNode || (*seen)[static_cast<std::size_t>(n)]) continue;
      (*seen)[static_cast<std::size_t>(n)] = true;
      const NfaNode& node = nodes_[static_cast<std::size_t>(n)];
      if (node.kind == NfaNode::Kind::kSplit) {
        todo.push_back(node.other);
        todo.push_back(node.next);
      }
      if ((node.kind == NfaNode::Kind::kBegin && at_begin) || (node.kind == NfaNode::Kind::kEnd && at_end)) {
        todo.push_back(node.next);
      }
    }
  }

  State state_of(const std::vector<bool>& seen) {
    Nodes nodes;
    for (std::size_t n = 0; n < seen.size(); ++n) {
      if (!seen[n]) continue;
      const NfaNode::Kind kind = nodes_[n].kind;
      if (kind == NfaNode::Kind::kMatch) return Automaton::kFound;
      if (kind == NfaNode::Kind::kBytes || kind == NfaNode::Kind::kEnd) nodes.push_back(static_cast<int>(n));
    }
    if (nodes.empty()) return Automaton::kLost;
    const auto [found, added] = states_.try_emplace(std::move(nodes), static_cast<int>(sets_.size()));
    if (added) sets_.push_back(found->first);
    return static_cast<State>(std::min<int>(found->second, UINT8_MAX));
  }

  bool is_match_at_end(const Nodes& nodes) const {
    std::vector<bool> seen(nodes_.size());
    for (const int n : nodes) {
      std::vector<bool> of_node(nodes_.size());
      follow(n, false, true, &of_node);
      for (std::size_t i = 0; i < seen.size(); ++i) {
        if (of_node[i] && nodes_[i].kind == NfaNode::Kind::kMatch) return true;
      }
    }
    return false;
  }

  bool determine() {
    automaton_ = std::shared_ptr<Automaton>(new Automaton);
    Automaton& a = *automaton_;
    sets_.resize(3);  // those that stay
    std::vector<bool> restart(nodes_.size());
    follow(root_, false, false, &restart);
    std::vector<bool> begin(nodes_.size());
    follow(root_, true, false, &begin);
    a.start_ = state_of(begin);
    for (const State stays : {Automaton::kFound, Automaton::kLost, Automaton::kUnknown}) {
      a.next_.insert(a.next_.end(), 256, stays);
    }
    a.ends_ = {match_, Automaton::End::kNoMatch, Automaton::End::kUnknown};
    for (std::size_t s = 3; s < sets_.size(); ++s) {
      if (sets_.size() > Automaton::kMostStates) return false;
      const Nodes nodes = sets_[s];
      a.ends_.push_back(is_match_at_end(nodes) ? match_ : Automaton::End::kNoMatch);
      std::vector<State> by_class(samples_.size());
      for (std::size_t k = 0; k < samples_.size(); ++k) {
        std::vector<bool> seen = restart;
        for (const int n : nodes) {
          const NfaNode& node = nodes_[static_cast<std::size_t>(n)];
          if (node.kind == NfaNode::Kind::kBytes && node.bytes[samples_[k]]) follow(node.next, false, false, &seen);
        }
        by_class[k] = ascii_ && samples_[k] >= 0x80 ? Automaton::kUnknown : state_of(seen);
      }
      for (std::size_t c = 0; c < 256; ++c) a.next_.push_back(by_class[static_cast<std::size_t>(class_of_[c])]);
    }
    if (sets_.size() > Automaton::kMostStates) return false;
    a.make_tables();
    return true;
  }

  const bool ascii_;
  const Automaton::End match_;
  std::vector<NfaNode> nodes_;
  int root_ = 0;
  std::array<int, 256> class_of_{};
  std::vector<std::uint8_t> samples_;  // of each class
  std::map<Nodes, int> states_;
  std::vector<Nodes> sets_;  // by state
  std::shared_ptr<Automaton> automaton_;
};

std::shared_ptr<const Automaton> Automaton::of_text(std::string_view text, bool whole) {
  if (text.size() > kMostStates) return nullptr;
  Syntax all;
  if (whole) all.parts.emplace_back().kind = Syntax::Kind::kBegin;
  all.parts.push_back(sequence_of(text, false));
  if (whole) all.parts.emplace_back().kind = Syntax::Kind::kEnd;
  return AutomatonBuilder(false).build(all);
}

std::shared_ptr<const Automaton> Automaton::of_necessary(const std::vector<std::string>& texts, bool ignore_case) {
  Syntax any;
  any.kind = Syntax::Kind::kEither;
  for (const std::string& text : texts) any.parts.push_back(sequence_of(text, ignore_case));
  return AutomatonBuilder(false, Automaton::End::kUnknown).build(any);
}

std::shared_ptr<const Automaton> Automaton::of_regex(std::string_view text, bool ignore_case) {
  constexpr std::string_view kFold = "(?i)";
  const bool folds = text.starts_with(kFold);
  if (folds) text.remove_prefix(kFold.size());
  const auto expression = SyntaxParser(text, ignore_case || folds).parse();
  return expression ? AutomatonBuilder(true).build(*expression) : nullptr;
}

}  // namespace steno::query
