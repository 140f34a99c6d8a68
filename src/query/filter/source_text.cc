#include "query/filter/source_text.h"

#include <cctype>

namespace steno::query {
namespace {

// Reads what steno/struct.h makes of a field.
class Collapsing {
 public:
  explicit Collapsing(std::string_view format) : format_(format) {}

  std::string text(bool nameless) {
    std::string text;
    while (at_ < format_.size()) {
      const std::size_t begin = at_;
      std::string name;
      if (group(&name)) {
        text += nameless ? "{}" : "{" + name + "}";
        continue;
      }
      at_ = begin;
      const bool twice = take("{{") || take("}}");
      if (!twice) ++at_;
      text += format_.substr(begin, at_ - begin);
    }
    return text;
  }

 private:
  bool take(std::string_view what) {
    if (format_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }

  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < format_.size() && (std::isalnum(static_cast<unsigned char>(format_[at_])) != 0 || format_[at_] == '_'))
      ++at_;
    return format_.substr(begin, at_ - begin);
  }

  // `{NAME.MEMBER}`, perhaps with a spec, or a structure in its place.
  bool member(std::string* name, std::string_view* of) {
    std::string path;
    const std::size_t begin = at_;
    if (!group(&path)) {
      at_ = begin;
      if (!take("{")) return false;
      const std::size_t end = format_.find_first_of(":{}", at_);
      const std::size_t close = format_.find('}', at_);
      if (end == std::string_view::npos || close == std::string_view::npos || format_[end] == '{') return false;
      path = format_.substr(at_, end - at_);
      at_ = close + 1;
    }
    const std::size_t dot = path.rfind('.');
    if (dot == std::string::npos || dot == 0) return false;
    if (name->empty()) *name = path.substr(0, dot);
    last_ = path.substr(dot + 1);
    *of = last_;
    return path.compare(0, dot, *name) == 0;
  }

  bool group(std::string* name) {
    if (depth_ == kDeepest) return false;
    ++depth_;
    const std::size_t begin = at_;
    bool found = structure(name);
    if (!found) {
      at_ = begin;
      name->clear();
      found = elements(name, "(", ", ");
    }
    if (!found) {
      at_ = begin;
      name->clear();
      found = elements(name, "variant(", "");
    }
    --depth_;
    return found;
  }

  bool structure(std::string* name) {
    if (!take("{{")) return false;
    do {
      const std::string_view key = word();
      std::string_view of;
      if (key.empty() || !take("=") || !member(name, &of) || of != key) return false;
    } while (take(", "));
    return take("}}");
  }

  bool elements(std::string* name, std::string_view open, std::string_view between) {
    if (!take(open)) return false;
    std::string_view of;
    do {
      if (!member(name, &of)) return false;
      if (take(")")) return true;
    } while (take(between));
    return false;
  }

  static constexpr int kDeepest = 8;  // structures in structures

  std::string_view format_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string last_;
};

}  // namespace

std::string source_text(std::string_view format, bool nameless) {
  return Collapsing(format).text(nameless);
}

}  // namespace steno::query
