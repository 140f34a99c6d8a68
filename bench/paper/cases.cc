#include "paper/cases.h"

#include <steno/log.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "real/words.h"

namespace steno::bench {
namespace {

constexpr int kCounts[] = {1, 2, 3, 4, 6, 10};
constexpr int kLengths[] = {10, 15, 20, 30, 45, 60, 100};
constexpr std::size_t kLetters = 94;  // from '!' to '~'
constexpr std::uint64_t kSeed = 9;

// The streams of all cases are drawn once, and have no text.
class CaseStream : public Stream {
 public:
  void append_text(std::string*) const override {}
  double bits() const override { return 0; }
};

template <class T>
class NumberStream final : public CaseStream {
 public:
  explicit NumberStream(const Case& c) : case_(c) {}

  void draw(std::size_t lines) override {
    Draw draw(kSeed);
    // Values begin where they need half of their type's bytes.
    constexpr int kBits = static_cast<int>(sizeof(T)) * 8;
    const std::uint64_t least = case_.small ? 0 : std::uint64_t{1} << (kBits / 2);
    const std::uint64_t range = case_.small ? 1u << 16 : (std::uint64_t{1} << (kBits - 1)) - least;
    const auto n = static_cast<std::size_t>(case_.size);
    values_.resize(lines * n);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      // The arguments of a record count up together, each from a start of its own.
      const std::uint64_t number = case_.sequential ? i / n + i % n : random(draw);
      values_[i] = static_cast<T>(least + number % range);
    }
  }

  void log() const override {
    const T* v = values_.data();
    const T* const end = v + values_.size();
    switch (case_.size) {
      case 1:
        for (; v < end; v += 1) STENO_INFO("one {}", v[0]);
        break;
      case 2:
        for (; v < end; v += 2) STENO_INFO("two {} {}", v[0], v[1]);
        break;
      case 3:
        for (; v < end; v += 3) STENO_INFO("three {} {} {}", v[0], v[1], v[2]);
        break;
      case 4:
        for (; v < end; v += 4) STENO_INFO("four {} {} {} {}", v[0], v[1], v[2], v[3]);
        break;
      case 6:
        for (; v < end; v += 6) STENO_INFO("six {} {} {} {} {} {}", v[0], v[1], v[2], v[3], v[4], v[5]);
        break;
      default:
        for (; v < end; v += 10)
          STENO_INFO("ten {} {} {} {} {} {} {} {} {} {}", v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]);
    }
  }

 private:
  static std::uint64_t random(Draw& draw) {
    const std::uint64_t high = draw.below(std::uint64_t{1} << 32);
    return high << 32 | draw.below(std::uint64_t{1} << 32);
  }

  Case case_;
  std::vector<T> values_;
};

class StringStream final : public CaseStream {
 public:
  explicit StringStream(const Case& c) : case_(c) {}

  void draw(std::size_t lines) override {
    Draw draw(kSeed);
    const Choice letters = Choice::zipf(kLetters, 0.99);
    Pool<std::string> words = make_words(draw, 1'000);
    const auto length = static_cast<std::size_t>(case_.size);
    text_.clear();
    for (std::size_t line = 1; line <= lines; ++line) {
      while (text_.size() < line * length) {
        if (case_.kind == Kind::kWords) {
          text_ += words.get(draw.below(words.size()), draw);
          text_ += ' ';
        } else {
          const std::size_t letter = case_.kind == Kind::kZipfString ? draw.pick(letters) : draw.below(kLetters);
          text_ += static_cast<char>('!' + letter);
        }
      }
      text_.resize(line * length);  // a sentence is cut where its string ends
    }
  }

  void log() const override {
    const std::string_view text = text_;
    const auto length = static_cast<std::size_t>(case_.size);
    for (std::size_t at = 0; at < text.size(); at += length) STENO_INFO("a string {}", text.substr(at, length));
  }

 private:
  Case case_;
  std::string text_;
};

bool is_number(Kind kind) {
  return kind == Kind::kInt || kind == Kind::kLong || kind == Kind::kDouble;
}

}  // namespace

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kInt:
      return "int";
    case Kind::kLong:
      return "long";
    case Kind::kDouble:
      return "double";
    case Kind::kRandomString:
      return "random string";
    case Kind::kZipfString:
      return "zipfian string";
    case Kind::kWords:
      return "words";
  }
  return "";
}

std::vector<Case> figure9_cases() {
  std::vector<Case> cases;
  for (const Kind kind : kKinds) {
    if (!is_number(kind)) {
      for (const int length : kLengths) cases.push_back({kind, length, false, false});
      continue;
    }
    for (const int count : kCounts) {
      for (const bool sequential : {false, true}) {
        for (const bool small : {false, true}) cases.push_back({kind, count, sequential, small});
      }
    }
  }
  return cases;
}

std::string case_name(const Case& c) {
  const std::string name = kind_name(c.kind);
  if (!is_number(c.kind)) return name + ", " + std::to_string(c.size) + " characters";
  return name + ", " + std::to_string(c.size) + (c.size == 1 ? " argument" : " arguments") +
         (c.sequential ? ", sequential" : ", random") + (c.small ? ", up to 2 bytes" : ", at least half the type");
}

std::unique_ptr<Stream> case_stream(const Case& c) {
  switch (c.kind) {
    case Kind::kInt:
      return std::make_unique<NumberStream<int>>(c);
    case Kind::kLong:
      return std::make_unique<NumberStream<std::int64_t>>(c);
    case Kind::kDouble:
      return std::make_unique<NumberStream<double>>(c);
    default:
      return std::make_unique<StringStream>(c);
  }
}

}  // namespace steno::bench
