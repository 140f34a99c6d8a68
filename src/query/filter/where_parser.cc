// Recursive descent over the grammar of --where (docs/cli.md).
#include <utility>

#include "base/level_name.h"
#include "base/suggest.h"
#include "query/filter/expression.h"
#include "query/filter/where_lexer.h"

namespace steno::query {
namespace {

constexpr int kMaxDepth = 100;

// Returns whether the name is a level that records have: not "off", which other places take.
bool is_level(std::string_view name, Level* level) {
  return parse_level_name(name, level) && *level != kLevelOff;
}

// Words that other languages have for a comparison, and what follows the field here; % is its name.
struct ForeignWord {
  std::string_view word;
  std::string_view here;
};
constexpr ForeignWord kForeignWords[] = {{"like", "contains \"text\""},
                                         {"ilike", "=~ \"(?i)text\""},
                                         {"has", "contains \"text\""},
                                         {"includes", "contains \"text\""},
                                         {"startswith", "=~ \"^text\""},
                                         {"starts", "=~ \"^text\""},
                                         {"endswith", "=~ \"text$\""},
                                         {"ends", "=~ \"text$\""},
                                         {"matches", "=~ \"text\""},
                                         {"regexp", "=~ \"text\""},
                                         {"rlike", "=~ \"text\""},
                                         {"between", ">= 1 and % <= 5"},
                                         {"eq", "== 5"},
                                         {"equals", "== 5"},
                                         {"ne", "!= 5"},
                                         {"gt", "> 5"},
                                         {"ge", ">= 5"},
                                         {"gte", ">= 5"},
                                         {"lt", "< 5"},
                                         {"le", "<= 5"},
                                         {"lte", "<= 5"}};

class Parser {
 public:
  Parser(std::string_view text, const TimeContext& times, const IsArgument& is_argument)
      : lexer_(text), times_(times), is_argument_(is_argument) {}

  Result<Expression> run() {
    Expression expression;
    if (Status status = lexer_.next(); !status.ok()) return status;
    if (Status status = parse_or(&expression); !status.ok()) return status;
    if (lexer_.token() != Token::kEnd) return lexer_.error("'and', 'or' or the end is missing");
    return expression;
  }

 private:
  Status parse_or(Expression* out) { return parse_list(out, "or", &Parser::parse_and, &Expression::any_of); }
  Status parse_and(Expression* out) { return parse_list(out, "and", &Parser::parse_not, &Expression::all_of); }

  Status parse_list(Expression* out, std::string_view keyword, Status (Parser::*parse)(Expression*),
                    Expression (*join)(std::vector<Expression>)) {
    std::vector<Expression> parts;
    for (;;) {
      if (Status status = (this->*parse)(&parts.emplace_back()); !status.ok()) return status;
      if (!lexer_.is_keyword(keyword)) break;
      if (Status status = lexer_.next(); !status.ok()) return status;
    }
    *out = join(std::move(parts));
    return {};
  }

  Status parse_not(Expression* out) {
    if (++depth_ > kMaxDepth) return lexer_.error("this is nested too deeply");
    Status status;
    if (lexer_.is_keyword("not")) {
      status = lexer_.next();
      if (status.ok()) status = parse_not(out);
      if (status.ok()) out->negate();
    } else if (lexer_.is_symbol("(")) {
      status = lexer_.next();
      if (status.ok()) status = parse_or(out);
      if (status.ok()) status = lexer_.is_symbol(")") ? lexer_.next() : lexer_.error("')' is missing");
    } else {
      status = parse_condition(out);
    }
    --depth_;
    return status;
  }

  // Field, then how it is compared; or a constant, an operator and a field.
  Status parse_condition(Expression* out) {
    if (lexer_.token() == Token::kNumber || lexer_.token() == Token::kText || is_truth()) return parse_flipped(out);
    Condition condition;
    if (Status status = parse_field(&condition); !status.ok()) return status;
    bool negated = false;
    if (lexer_.is_keyword("is")) return parse_is(std::move(condition), out);
    if (lexer_.is_keyword("not")) {
      negated = true;
      if (Status status = lexer_.next(); !status.ok()) return status;
      if (!lexer_.is_keyword("in") && !lexer_.is_keyword("contains")) {
        if (Status foreign = refuse_foreign_word(condition.name, negated); !foreign.ok()) return foreign;
        return lexer_.error("'not' can only precede 'in' and 'contains' here");
      }
    }
    if (Status foreign = refuse_foreign_word(condition.name, negated); !foreign.ok()) return foreign;
    Status status;
    if (lexer_.is_keyword("in")) {
      status = parse_in(condition, out);
    } else if (lexer_.is_keyword("contains")) {
      status = parse_contains(std::move(condition), out);
    } else if (lexer_.token() == Token::kSymbol && !lexer_.is_symbol(")") && !lexer_.is_symbol(",") &&
               !lexer_.is_symbol("(")) {
      const std::string op = lexer_.word();
      status = lexer_.next();
      if (status.ok() && lexer_.is_keyword("null") && (op == "==" || op == "!=")) {
        condition.negated = op == "!=";
        return parse_absent(std::move(condition), out);
      }
      if (status.ok()) status = parse_constant(&condition.constant);
      if (status.ok()) status = compare(std::move(condition), op, out);
    } else if (condition.field == Field::kArgument) {
      condition.comparison = Comparison::kIsTrue;
      *out = Expression::of(std::move(condition));
    } else {
      return lexer_.error("a comparison is missing");
    }
    if (status.ok() && negated) out->negate();
    return status;
  }

  // An error if a word comes that another language has for a comparison of the field, or what would be a function
  // there.
  Status refuse_foreign_word(const std::string& name, bool negated) const {
    if (lexer_.is_symbol("(")) {
      return lexer_.error("there are no functions here; write NAME contains \"text\" or NAME =~ \"text\"");
    }
    for (const ForeignWord& foreign : kForeignWords) {
      if (!lexer_.is_keyword(foreign.word)) continue;
      std::string here = name + " " + std::string(foreign.here);
      if (const std::size_t at = here.find('%'); at != std::string::npos) here.replace(at, 1, name);
      const Status error = lexer_.error("there is no '" + lexer_.word() + "' here");
      return {error.code(), error.message() + "; write " + (negated ? "not (" + here + ")" : here)};
    }
    return {};
  }

  Status parse_flipped(Expression* out) {
    Condition condition;
    if (Status status = parse_constant(&condition.constant); !status.ok()) return status;
    std::string op = lexer_.word();
    const bool can_flip =
        lexer_.token() == Token::kSymbol && (op[0] == '<' || op[0] == '>' || op == "==" || op == "!=");
    if (!can_flip) return lexer_.error("a constant must be followed by a comparison and a field");
    if (op[0] == '<' || op[0] == '>') op[0] = op[0] == '<' ? '>' : '<';
    if (Status status = lexer_.next(); !status.ok()) return status;
    if (Status status = parse_field(&condition); !status.ok()) return status;
    return compare(std::move(condition), op, out);
  }

  Status parse_field(Condition* condition) {
    condition->field = Field::kArgument;
    condition->name = lexer_.word();
    if (lexer_.token() == Token::kName) {
      for (const std::string_view keyword : {"and", "or", "in", "is", "contains"}) {
        if (lexer_.is_keyword(keyword)) return lexer_.error("a field is missing");
      }
      condition->field = field_named(lexer_.word(), is_argument_);
    } else if (lexer_.token() != Token::kArgument) {
      return lexer_.error("a field is missing");
    }
    return lexer_.next();
  }

  bool is_truth() const { return lexer_.is_keyword("true") || lexer_.is_keyword("false"); }

  Status parse_constant(Constant* constant) {
    *constant = Constant();
    if (lexer_.token() == Token::kNumber) {
      *constant = lexer_.number();
    } else if (lexer_.token() == Token::kText) {
      *constant = Constant::of_text(lexer_.word());
    } else if (is_truth()) {
      constant->kind = Constant::Kind::kBool;
      constant->truth = lexer_.is_keyword("true");
    } else if (lexer_.is_keyword("nan")) {
      *constant = Constant::of_nan();
    } else if (Level level{}; lexer_.token() == Token::kName && is_level(lexer_.word(), &level)) {
      *constant = Constant::of_text(lexer_.word());  // level >= WARN
    } else if (lexer_.is_keyword("null")) {
      return lexer_.error("nothing is compared with null; NAME is null finds the records that do not have NAME");
    } else if (lexer_.token() == Token::kName) {  // level >= WRN, tenant == acme
      const std::string word(lexer_.word());
      const Status error = lexer_.error("a number, a \"text\", true or false is missing");
      std::string hint = did_you_mean(word, {}, {"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"});
      if (hint.empty()) hint = "; a text is written in quotes, \"" + word + "\"";
      return {error.code(), error.message() + hint};
    } else {
      return lexer_.error("a number, a \"text\", true or false is missing");
    }
    return lexer_.next();
  }

  Status parse_is(Condition condition, Expression* out) {
    if (Status status = lexer_.next(); !status.ok()) return status;
    if (lexer_.is_keyword("not")) {
      condition.negated = true;
      if (Status status = lexer_.next(); !status.ok()) return status;
    }
    if (!lexer_.is_keyword("nan") && !lexer_.is_keyword("null")) {
      return lexer_.error("after 'is' comes null, not null, nan or not nan; a value is compared with ==");
    }
    return parse_absent(std::move(condition), out);
  }

  // Requires that the word is null or nan.
  Status parse_absent(Condition condition, Expression* out) {
    const bool nan = lexer_.is_keyword("nan");
    if (condition.field != Field::kArgument) {
      return lexer_.error("only arguments can be null or nan, and every record has '" + condition.name + "'");
    }
    condition.comparison = nan ? Comparison::kIsNan : Comparison::kIsNull;
    *out = Expression::of(std::move(condition));
    return lexer_.next();
  }

  Status parse_in(const Condition& field, Expression* out) {
    if (Status status = lexer_.next(); !status.ok()) return status;
    if (!lexer_.is_symbol("(")) return lexer_.error("'in' needs a list: in (1, 2)");
    std::vector<Expression> parts;
    do {
      if (Status status = lexer_.next(); !status.ok()) return status;
      Condition condition = field;
      if (Status status = parse_constant(&condition.constant); !status.ok()) return status;
      if (Status status = compare(std::move(condition), "==", &parts.emplace_back()); !status.ok()) return status;
    } while (lexer_.is_symbol(","));
    if (!lexer_.is_symbol(")")) return lexer_.error("')' is missing");
    *out = Expression::any_of(std::move(parts));
    return lexer_.next();
  }

  Status parse_contains(Condition condition, Expression* out) {
    if (Status status = lexer_.next(); !status.ok()) return status;
    if (lexer_.token() != Token::kText) return lexer_.error("'contains' needs a \"text\"");
    return search(std::move(condition), lexer_.word(), PatternKind::kContains, out, true);
  }

  Status search(Condition condition, const std::string& text, PatternKind kind, Expression* out, bool move_on) {
    switch (condition.field) {
      case Field::kTime:
      case Field::kLevel:
      case Field::kTid:
      case Field::kPid:
      case Field::kLine:
      case Field::kSequence:
        return lexer_.error("only strings can be searched");
      default:
        break;
    }
    auto pattern = Pattern::make(text, kind, false);
    if (!pattern.ok()) return {pattern.status().code(), "--where: " + pattern.status().message()};
    condition.comparison = Comparison::kMatches;
    condition.pattern = std::move(pattern).value();
    *out = Expression::of(std::move(condition));
    return move_on ? lexer_.next() : Status();
  }

  // `op` as written. > and >= are no negations of <= and <, which NaN would satisfy.
  Status compare(Condition condition, const std::string& op, Expression* out) {
    if (Status status = convert_constant(&condition); !status.ok()) return status;
    if (condition.constant.kind == Constant::Kind::kNan) return compare_nan(std::move(condition), op, out);
    const bool search_op = op == "=~" || op == "!~";
    condition.negated = op == "!=" || op == "!~";
    if (search_op && condition.constant.kind != Constant::Kind::kText) {
      return lexer_.error("'" + op + "' needs a regular expression in quotes before this");
    }
    const std::string text = condition.constant.text;
    if (search_op) return search(std::move(condition), text, PatternKind::kRegex, out, false);
    if (condition.field == Field::kMessage && (op == "==" || op == "!=")) {
      if (condition.constant.kind != Constant::Kind::kText)
        return lexer_.error("a message is compared with a \"text\", before this");
      return search(std::move(condition), text, PatternKind::kEquals, out, false);
    }
    condition.comparison = op == "<"    ? Comparison::kLess
                           : op == "<=" ? Comparison::kLessEqual
                           : op == ">"  ? Comparison::kGreater
                           : op == ">=" ? Comparison::kGreaterEqual
                                        : Comparison::kEqual;
    *out = Expression::of(std::move(condition));
    return {};
  }

  // Whoever writes "== nan" means the records whose value is none, although nothing equals NaN.
  Status compare_nan(Condition condition, const std::string& op, Expression* out) {
    if (op != "==" && op != "!=") return lexer_.error("nothing is less or greater than nan, before this");
    if (condition.field != Field::kArgument) return lexer_.error("only arguments can be nan, before this");
    condition.comparison = Comparison::kIsNan;
    condition.negated = op == "!=";
    *out = Expression::of(std::move(condition));
    return {};
  }

  // Converts the constant that a field which every record has is compared with.
  Status convert_constant(Condition* condition) {
    Constant& constant = condition->constant;
    const auto wants = [&](const char* what) {
      return lexer_.error("'" + condition->name + "' is compared with " + what + ", before this");
    };
    if (constant.unit && condition->field != Field::kArgument) {
      const char* const advice = condition->field == Field::kTime ? "; write time > \"10m ago\"" : "";
      return lexer_.error("'" + condition->name + "' is not a duration" + advice + ", before this");
    }
    switch (condition->field) {
      case Field::kTime: {
        if (constant.kind == Constant::Kind::kInteger) {
          constexpr std::int64_t kLeastEpoch = 100'000'000;  // smaller numbers are nanoseconds
          if (constant.integer >= kLeastEpoch && constant.integer <= INT64_MAX) {
            // After 2262: later than every record.
            constant = Constant::of_integer(epoch_ns(static_cast<std::int64_t>(constant.integer)).value_or(INT64_MAX));
          }
          return {};
        }
        if (constant.kind != Constant::Kind::kText)
          return wants("a time (14:03, \"10m ago\"), or with seconds, ms, us or ns since the epoch");
        const auto time = parse_time(constant.text, times_);
        if (!time.ok()) return {time.status().code(), "--where: " + time.status().message()};
        constant = Constant::of_integer(*time);
        return {};
      }
      case Field::kLevel: {
        Level level{};
        if (constant.kind != Constant::Kind::kText || !is_level(constant.text, &level)) {
          return wants("a level, TRACE DEBUG INFO NOTICE WARN ERROR or CRITICAL");
        }
        constant = Constant::of_integer(static_cast<int>(level));
        return {};
      }
      case Field::kTid:
      case Field::kPid:
      case Field::kLine:
      case Field::kSequence:
        return constant.is_number() ? Status() : wants("a number");
      case Field::kThread:
        if (constant.kind == Constant::Kind::kInteger) {
          condition->field = Field::kTid;
          return {};
        }
        [[fallthrough]];
      case Field::kProgram:
      case Field::kHost:
      case Field::kLogger:
      case Field::kSite:
      case Field::kFile:
      case Field::kFunction:
      case Field::kFormat:
      case Field::kMessage:
        return constant.kind == Constant::Kind::kText ? Status() : wants("a \"text\"");
      case Field::kArgument:
        if (constant.kind == Constant::Kind::kText) {  // of an argument that is a time
          if (const auto time = parse_time(constant.text, times_); time.ok()) constant.time = *time;
        }
        return {};
    }
    return {};
  }

  WhereLexer lexer_;
  const TimeContext& times_;
  const IsArgument& is_argument_;
  int depth_ = 0;
};

}  // namespace

Result<Expression> parse_where(std::string_view text, const TimeContext& times, const IsArgument& is_argument) {
  return Parser(text, times, is_argument).run();
}

}  // namespace steno::query
