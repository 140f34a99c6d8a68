// The words of a --where expression.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "query/filter/expression.h"
#include "steno/status.h"

namespace steno::query {

enum class Token {
  kEnd,
  kName,      // a bare word; keywords too, also as && || !
  kArgument,  // {name}, {0}
  kNumber,
  kText,    // "..." or '...'; a time of digits, 14:03, without quotes too
  kSymbol,  // == != < <= > >= =~ !~ ( ) ,
};

class WhereLexer {
 public:
  explicit WhereLexer(std::string_view text) : text_(text) {}

  // Reads the next token. kInvalidArgument: there is none.
  Status next();

  Token token() const { return token_; }
  // Names, arguments, symbols: as written; texts: with escapes replaced.
  const std::string& word() const { return word_; }
  const Constant& number() const { return number_; }
  bool is_symbol(std::string_view symbol) const { return token_ == Token::kSymbol && word_ == symbol; }
  // Keywords in either case.
  bool is_keyword(std::string_view keyword) const;

  // "--where: `what`, at 'qty >'": an error at the current token.
  Status error(const std::string& what) const;

 private:
  Status read_number();
  bool read_digits(std::string_view digits);
  Status read_text(char quote);
  Status read_argument();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;  // of the current token
  Token token_ = Token::kEnd;
  std::string word_;
  Constant number_;
};

}  // namespace steno::query
