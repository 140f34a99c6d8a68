#include "query/shape_alignment.h"

#include <algorithm>
#include <string_view>

namespace steno::query {
namespace {

using format::Piece;
using format::PieceKind;
using Where = DigitTest::Where;

constexpr std::size_t kMostAlignments = 64;
constexpr std::size_t kMostSteps = 4096;

class Aligner {
 public:
  Aligner(const Needle& needle, const NeedleSites::Column& column, const format::Shape& shape,
          std::vector<Alignment>* alignments)
      : text_(needle.text()), column_(column), pieces_(shape.pieces), alignments_(*alignments) {}

  bool run() {
    std::uint32_t number = 0;
    for (std::size_t at = 1; at <= text_.size(); ++at) {  // the match began before the string
      if ((column_.before >> (at - 1) & 1) != 0) step(0, 0, at);
    }
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      begin_in(i, number);
      if (pieces_[i].is_number()) ++number;
    }
    return !too_many_;
  }

 private:
  // How many of the needle's bytes from `at` on are digits of the piece.
  std::size_t digits_at(const Piece& piece, std::size_t at) const {
    std::size_t n = 0;
    while (at + n < text_.size() && format::is_digit_of(piece.kind, static_cast<std::uint8_t>(text_[at + n]))) ++n;
    return n;
  }

  // The match begins within piece i.
  void begin_in(std::size_t i, std::uint32_t number) {
    const Piece& piece = pieces_[i];
    if (piece.kind == PieceKind::kConstant) {
      for (std::size_t from = 0; from < piece.text.size(); ++from) {
        const std::size_t n = std::min(piece.text.size() - from, text_.size());
        if (std::string_view(piece.text).substr(from, n) != text_.substr(0, n)) continue;
        if (n == text_.size()) {
          accept();
        } else {
          step(i + 1, number, n);
        }
      }
      return;
    }
    const std::size_t digits = digits_at(piece, 0);
    if (digits == text_.size()) with(Where::kAnywhere, piece, number, text_, [&] { accept(); });
    for (std::size_t n = 1; n <= digits; ++n) {
      with(Where::kLast, piece, number, text_.substr(0, n), [&] { step(i + 1, number + 1, n); });
    }
  }

  // The needle goes on at `at` where piece i begins.
  void step(std::size_t i, std::uint32_t number, std::size_t at) {
    if (++steps_ > kMostSteps) too_many_ = true;
    if (too_many_) return;
    if (at == text_.size()) return accept();
    if (i == pieces_.size()) {
      if ((column_.after >> (at - 1) & 1) != 0) accept();
      return;
    }
    const Piece& piece = pieces_[i];
    if (piece.kind == PieceKind::kConstant) {
      const std::size_t n = std::min(piece.text.size(), text_.size() - at);
      if (std::string_view(piece.text).substr(0, n) == text_.substr(at, n)) step(i + 1, number, at + n);
      return;
    }
    const std::size_t digits = digits_at(piece, at);
    if (at + digits == text_.size()) with(Where::kFirst, piece, number, text_.substr(at), [&] { accept(); });
    for (std::size_t n = 1; n <= digits; ++n) {
      with(Where::kAll, piece, number, text_.substr(at, n), [&] { step(i + 1, number + 1, at + n); });
    }
  }

  template <class Then>
  void with(Where where, const Piece& piece, std::uint32_t number, std::string_view digits, const Then& then) {
    DigitTest test;
    if (!DigitTest::make(where, number, piece, digits, &test)) return;
    tests_.push_back(test);
    then();
    tests_.pop_back();
  }

  void accept() {
    if (alignments_.size() == kMostAlignments) {
      too_many_ = true;
    } else {
      alignments_.push_back(tests_);
    }
  }

  const std::string_view text_;
  const NeedleSites::Column& column_;
  const std::vector<Piece>& pieces_;
  std::vector<Alignment>& alignments_;
  Alignment tests_;
  std::size_t steps_ = 0;
  bool too_many_ = false;
};

}  // namespace

bool align(const Needle& needle, const NeedleSites::Column& column, const format::Shape& shape,
           std::vector<Alignment>* alignments) {
  alignments->clear();
  return Aligner(needle, column, shape, alignments).run();
}

}  // namespace steno::query
