// The compile-time checks: one hand-picked statement an error, what they tell the call site, and for each type and each
// spec what is allowed.
#include <gtest/gtest.h>

#include "cases.h"
#include "steno/detail/brace_format.h"
#include "steno/detail/printf_format.h"

namespace steno::text {
namespace {

using detail::FormatCheck;
using detail::FormatError;

template <std::size_t N, std::size_t M>
constexpr FormatCheck brace(const char (&format)[N], const char (&types)[M]) {
  return detail::check_brace(format, N - 1, types, M - 1);
}
template <std::size_t N, std::size_t M>
constexpr FormatCheck printf(const char (&format)[N], const char (&types)[M]) {
  return detail::check_printf(format, N - 1, types, M - 1);
}
constexpr bool is(const FormatCheck& check, FormatError error, int where, int argument = -1) {
  return check.error == error && check.where == where && check.argument == argument;
}

// --- brace: what is well formed
static_assert(brace("", "").error == FormatError::kNone);
static_assert(brace("{{}} 100%", ""));
static_assert(brace("{} {:>8} {:*^+#012.3e} {:\u00e9<5}", "iSdc"));
static_assert(brace("{0} {1} {0}", "iS"));
static_assert(brace("{qty} @ {price:.2f}, {qty} left of {}", "idl"));
static_assert(brace("{x:{w}.{p}} {w}", "dii"));
static_assert(brace("{:{}}|{:>{}.{}f}", "iidii"));
static_assert(brace("{0:{1}.{1}}", "di"));
static_assert(brace("{:?} {:?}", "cS"));
static_assert(brace("{:s} {:d} {:c} {:L}", "bbil"));

// --- brace: every error, where it is and of which argument
static_assert(is(brace("{} {}", "i"), FormatError::kTooFewArguments, 4, 1));
static_assert(is(brace("{:{}}", "i"), FormatError::kTooFewArguments, 3, 1));
static_assert(is(brace("{}", "iS"), FormatError::kTooManyArguments, 2, 1));
static_assert(is(brace("{1}", "iS"), FormatError::kTooManyArguments, 3, 0));
static_assert(is(brace("{", "i"), FormatError::kUnmatchedBrace, 1));
static_assert(is(brace("}", ""), FormatError::kUnmatchedBrace, 0));
static_assert(is(brace("a } b {}", "i"), FormatError::kUnmatchedBrace, 2));
static_assert(is(brace("{:>8", "i"), FormatError::kUnmatchedBrace, 4));
static_assert(is(brace("{name", "i"), FormatError::kUnmatchedBrace, 5));
static_assert(is(brace("{:{", "ii"), FormatError::kUnmatchedBrace, 3));
static_assert(is(brace("{ x}", "i"), FormatError::kBadName, 1));
static_assert(is(brace("{-}", "i"), FormatError::kBadName, 1));
static_assert(is(brace("{a-b}", "i"), FormatError::kBadSpec, 2));
static_assert(is(brace("{2}", "ii"), FormatError::kBadArgumentIndex, 1, 2));
static_assert(is(brace("{99999999999999999999}", "ii"), FormatError::kBadArgumentIndex, 1, 0x7FFFFFFF));
static_assert(is(brace("{00}", "i"), FormatError::kBadArgumentIndex, 2));
static_assert(is(brace("{0x}", "i"), FormatError::kBadArgumentIndex, 2));
static_assert(is(brace("{0} {}", "ii"), FormatError::kMixedIndexing, 5));
static_assert(is(brace("{} {0}", "ii"), FormatError::kMixedIndexing, 4));
static_assert(is(brace("{0} {a}", "ii"), FormatError::kMixedIndexing, 5));
static_assert(is(brace("{0:{}}", "ii"), FormatError::kMixedIndexing, 4));
static_assert(is(brace("{:dd}", "i"), FormatError::kBadSpec, 3));
static_assert(is(brace("{:\0}", "i"), FormatError::kBadSpec, 2, 0));
static_assert(is(brace("{:.}", "d"), FormatError::kBadSpec, 3, 0));
static_assert(is(brace("{:{<5}", "i"), FormatError::kBadSpec, 2, 0));
static_assert(is(brace("{:4097}", "i"), FormatError::kNumberTooBig, 2, 0));
static_assert(is(brace("{:.4097f}", "d"), FormatError::kNumberTooBig, 0, 0));
static_assert(brace("{:4096} {:.4096f} {:.2000000000}", "idS"));
static_assert(is(brace("{:{}}", "iS"), FormatError::kBadWidthArgument, 2, 1));
static_assert(is(brace("{:{}}", "ib"), FormatError::kBadWidthArgument, 2, 1));
static_assert(is(brace("{:.{}}", "dd"), FormatError::kBadPrecisionArgument, 3, 1));
static_assert(is(brace("{:+}", "S"), FormatError::kNeedsNumber, 0, 0));
static_assert(is(brace("{:#}", "p"), FormatError::kNeedsNumber, 0, 0));
static_assert(is(brace("{:08}", "S"), FormatError::kNeedsNumber, 0, 0));
static_assert(is(brace("{:L}", "S"), FormatError::kNeedsNumber, 0, 0));
static_assert(is(brace("{:+}", "j"), FormatError::kNeedsSigned, 0, 0));
static_assert(is(brace("{:-}", "b"), FormatError::kNeedsSigned, 0, 0));
static_assert(is(brace("{:d}", "S"), FormatError::kSpecNotForType, 0, 0));
static_assert(is(brace("{:p}", "S"), FormatError::kSpecNotForType, 0, 0));
static_assert(is(brace("{} {:f}", "ii"), FormatError::kSpecNotForType, 3, 1));
static_assert(is(brace("{:d}", "d"), FormatError::kSpecNotForType, 0, 0));
static_assert(is(brace("{:y}", "i"), FormatError::kSpecNotForType, 0, 0));
static_assert(is(brace("{:+c}", "c"), FormatError::kSpecNotForType, 0, 0));
static_assert(is(brace("{:<05}", "c"), FormatError::kSpecNotForType, 0, 0));
static_assert(is(brace("{:c}", "b"), FormatError::kSpecNotForType, 0, 0));
static_assert(is(brace("{:#}", "b"), FormatError::kNeedsNumber, 0, 0));
static_assert(is(brace("{:08s}", "b"), FormatError::kNeedsNumber, 0, 0));
static_assert(is(brace("{:008}", "i"), FormatError::kBadSpec, 3, 0));
static_assert(is(brace("{:}<5}", "i"), FormatError::kUnmatchedBrace, 5));
static_assert(brace("{:+d} {:#x} {:08b}", "ccb"));
static_assert(is(brace("{:.2}", "i"), FormatError::kPrecisionNotForType, 0, 0));
static_assert(is(brace("{:.2}", "c"), FormatError::kPrecisionNotForType, 0, 0));
static_assert(is(brace("{}", "E"), FormatError::kUnknownType, 0, 0));
static_assert(is(brace("{}{}", "i?"), FormatError::kUnknownType, 0, 1));

// --- printf: what is well formed, and what the call site learns
static_assert(printf("100%% of %d %s", "iS"));
static_assert(printf("%c %hhd %hu %i %u %x %lc %C", "cbsabjwi"));
static_assert(printf("%ld %lld %qd %jd %zu %td %Lo", "llllmlm"));
static_assert(printf("%f %.3e %lg %a %LF", "fddfe"));
static_assert(printf("%-+ #0'I10.3d", "i"));
static_assert(printf("%2$*1$d %3$.*1$s", "iiS"));
static_assert(printf("%ls %S %ls", "WWU"));
static_assert(printf("%p %p %p", "pSW"));
static_assert(printf("%p %p %p", "pSW").types[1] == 'p' && printf("%p %p %p", "pSW").types[2] == 'p');
static_assert(printf("%s", "S").types[0] == 'S' && !printf("%s", "S").uses_errno);
static_assert(printf("%d: %m", "i").uses_errno && printf("%-30.10m", "").uses_errno);

static_assert(printf("%s", "S").literal_bound(0) == -1 && printf("%s", "S").bound_argument(0) == -1);
static_assert(printf("%.5s", "S").literal_bound(0) == 5 && printf("%.5s", "S").bound_argument(0) == -1);
static_assert(printf("%.s", "S").literal_bound(0) == 0);
static_assert(printf("%*.*s", "iiS").bound_argument(2) == 1 && printf("%*.*s", "iiS").literal_bound(2) == -1);
static_assert(printf("%.*s", "iS").bound_argument(1) == 0);
static_assert(printf("%1$.5s %1$.9s %1$.2s", "S").literal_bound(0) == 9);
static_assert(printf("%1$.5s %1$s %1$.2s", "S").literal_bound(0) == -1);
static_assert(printf("%1$s %1$.2s", "S").literal_bound(0) == -1);
static_assert(printf("%2$.*1$s %2$.*1$s", "iS").bound_argument(1) == 0);
static_assert(printf("%2$.*1$s %2$s", "iS").bound_argument(1) == -1);

// --- printf: every error
static_assert(is(printf("%d %d", "i"), FormatError::kTooFewArguments, 3, 1));
static_assert(is(printf("%*d", "i"), FormatError::kTooFewArguments, 0, 1));
static_assert(is(printf("%d", "ii"), FormatError::kTooManyArguments, 2, 1));
static_assert(is(printf("%2$d", "ii"), FormatError::kTooManyArguments, 4, 0));
static_assert(is(printf("%3$d", "ii"), FormatError::kBadArgumentIndex, 0, 2));
static_assert(is(printf("%0$d", "ii"), FormatError::kBadArgumentIndex, 1, 0));
static_assert(is(printf("%1$d %d", "ii"), FormatError::kMixedIndexing, 5));
static_assert(is(printf("%1$*d", "ii"), FormatError::kMixedIndexing, 0));
static_assert(is(printf("%d%", "i"), FormatError::kBadSpec, 2));
static_assert(is(printf("%-5%", ""), FormatError::kBadSpec, 0));
static_assert(is(printf("%1$m", ""), FormatError::kBadSpec, 0));
static_assert(is(printf("%5000000d", "i"), FormatError::kNumberTooBig, 0));
static_assert(is(printf("%.99999999999999999999d", "i"), FormatError::kNumberTooBig, 0));
static_assert(is(printf("%*d", "li"), FormatError::kBadWidthArgument, 1, 0));
static_assert(is(printf("%*d", "Si"), FormatError::kBadWidthArgument, 1, 0));
static_assert(is(printf("%.*s", "mS"), FormatError::kBadPrecisionArgument, 2, 0));
static_assert(is(printf("%y", "i"), FormatError::kUnknownConversion, 0));
static_assert(is(printf("%hs", "S"), FormatError::kBadLength, 0));
static_assert(is(printf("%lS", "W"), FormatError::kBadLength, 0));
static_assert(is(printf("%lp", "p"), FormatError::kBadLength, 0));
static_assert(is(printf("%hf", "d"), FormatError::kBadLength, 0));
static_assert(is(printf("%d %n", "ii"), FormatError::kPercentN, 3));
static_assert(is(printf("%d", "l"), FormatError::kWrongType, 0, 0));
static_assert(is(printf("%ld", "i"), FormatError::kWrongType, 0, 0));
static_assert(is(printf("%d", "d"), FormatError::kWrongType, 0, 0));
static_assert(is(printf("%d %s", "ii"), FormatError::kWrongType, 3, 1));
static_assert(is(printf("%f", "e"), FormatError::kWrongType, 0, 0));
static_assert(is(printf("%Lf", "d"), FormatError::kWrongType, 0, 0));
static_assert(is(printf("%s", "W"), FormatError::kWrongType, 0, 0));
static_assert(is(printf("%ls", "S"), FormatError::kWrongType, 0, 0));
static_assert(is(printf("%s", "p"), FormatError::kWrongType, 0, 0));
static_assert(is(printf("%p", "l"), FormatError::kWrongType, 0, 0));
static_assert(is(printf("%d", "n"), FormatError::kWrongType, 0, 0));
static_assert(is(printf("%lld", "o"), FormatError::kWrongType, 0, 0));
static_assert(is(printf("%1$s %1$p", "S"), FormatError::kConflictingUse, 5, 0));
static_assert(is(printf("%3$.*1$s %3$.*2$s", "iiS"), FormatError::kConflictingUse, 9, 2));
static_assert(is(printf("%2$.*1$s %2$.3s", "iS"), FormatError::kConflictingUse, 9, 1));
static_assert(is(printf("%d", "E"), FormatError::kUnknownType, 0, 0));

TEST(FormatCheck, EveryErrorHasItsSentence) {
  for (int i = 0; i <= static_cast<int>(FormatError::kErrnoMismatch); ++i) {
    EXPECT_STRNE(detail::describe(static_cast<FormatError>(i)), "unknown error") << i;
  }
  EXPECT_STREQ(detail::describe(static_cast<FormatError>(200)), "unknown error");
}

TEST(FormatCheck, Limits) {
  const std::string types(65, 'i');
  std::string format;
  for (int i = 0; i < 65; ++i) format += "{}";
  EXPECT_EQ(detail::check_brace(format.data(), format.size(), types.data(), 65).error, FormatError::kArgumentLimit);
  EXPECT_EQ(detail::check_brace(format.data(), 128, types.data(), 64).error, FormatError::kNone);
  EXPECT_EQ(detail::check_printf("", 0, types.data(), 65).error, FormatError::kArgumentLimit);
  std::string fields;
  for (int i = 0; i < detail::kMaxFields; ++i) fields += "{0}";
  EXPECT_EQ(detail::check_brace(fields.data(), fields.size(), "i", 1).error, FormatError::kNone);
  fields += "{0}";
  EXPECT_EQ(detail::check_brace(fields.data(), fields.size(), "i", 1).error, FormatError::kFieldLimit);
  fields.clear();
  for (int i = 0; i < detail::kMaxFields; ++i) fields += "%1$d";
  EXPECT_EQ(detail::check_printf(fields.data(), fields.size(), "i", 1).error, FormatError::kNone);
  fields += "%1$d";
  EXPECT_EQ(detail::check_printf(fields.data(), fields.size(), "i", 1).error, FormatError::kFieldLimit);
  const std::string longest(detail::kMaxFormatLength, 'x');
  EXPECT_EQ(detail::check_brace(longest.data(), longest.size(), "", 0).error, FormatError::kNone);
  const std::string too_long = longest + 'x';
  EXPECT_EQ(detail::check_brace(too_long.data(), too_long.size(), "", 0).error, FormatError::kFormatTooLong);
  EXPECT_EQ(detail::check_printf(too_long.data(), too_long.size(), "", 0).error, FormatError::kFormatTooLong);
}

// Every spec that the grammar can form, with one of each kind of fill, width and precision, and each letter as type.
struct SpecParts {
  std::string align, sign, flags, sizes, locale, type;
  std::string format() const { return "{0:" + align + sign + flags + sizes + locale + type + "}{1}"; }
};

std::vector<SpecParts> all_specs() {
  std::vector<SpecParts> specs;
  std::vector<std::string> types = {"", "?", "%", "1"};
  for (char c = 'A'; c <= 'z'; ++c) {
    if (c != '^') types.emplace_back(1, c);  // an alignment
  }
  for (const char* align : {"", "<", "*^", "\u00e9>"}) {
    for (const char* sign : {"", "+", "-", " "}) {
      for (const char* flags : {"", "#", "0", "#0"}) {
        for (const char* sizes : {"", "7", "{1}", ".3", ".{1}", "9.{1}"}) {
          for (const char* locale : {"", "L"}) {
            for (const std::string& type : types) specs.push_back({align, sign, flags, sizes, locale, type});
          }
        }
      }
    }
  }
  return specs;
}

// Returns whether std::format takes a field, with types.md's differences: no sign for unsigned integers and bool.
bool is_allowed(char type, const SpecParts& spec) {
  enum class Class { kBool, kCharacter, kInteger, kFloat, kPointer, kString };
  const Class of = type == 'b'                 ? Class::kBool
                   : std::strchr("cuw", type)  ? Class::kCharacter
                   : std::strchr("fdeg", type) ? Class::kFloat
                   : type == 'p'               ? Class::kPointer
                   : std::strchr("SUW", type)  ? Class::kString
                                               : Class::kInteger;
  if (spec.type == "1") {  // another digit of a width or precision, or a width of its own; no type
    SpecParts same = spec;
    same.type.clear();
    if (spec.locale == "L" || (!spec.sizes.empty() && spec.sizes.back() == '}')) return false;
    same.sizes += "1";
    return is_allowed(type, same);
  }
  static const std::string kTypes[] = {"sdxXobB", "c?dxXobB", "dxXobBc", "aAeEfFgG", "p", "s?"};
  if (spec.type == "L" && spec.locale.empty()) {
    SpecParts same = spec;
    same.type.clear();
    same.locale = "L";
    return is_allowed(type, same);
  }
  if (!spec.type.empty() && kTypes[static_cast<int>(of)].find(spec.type) == std::string::npos) return false;
  const bool text_type = spec.type.empty() || spec.type == "s" || spec.type == "c" || spec.type == "?";
  const bool number =
      of == Class::kInteger || of == Class::kFloat || ((of == Class::kBool || of == Class::kCharacter) && !text_type);
  const bool has_precision = spec.sizes.find('.') != std::string::npos;
  if (has_precision && of != Class::kFloat && of != Class::kString) return false;
  if (!spec.flags.empty() && !number) return false;
  if (!spec.locale.empty() && (of == Class::kPointer || of == Class::kString)) return false;
  const bool has_sign = of == Class::kFloat || of == Class::kCharacter || std::strchr("asiln", type) != nullptr;
  return spec.sign.empty() || (number && has_sign);
}

TEST(FormatCheck, TakesWhatIsAllowedOfEveryTypeAndSpecAndPrintsThat) {
  constexpr std::size_t kStep = test::kAddressSanitizer ? 8 : 1;
  const std::vector<SpecParts> specs = all_specs();
  testing::Random random("TakesWhatIsAllowedOfEveryTypeAndSpecAndPrintsThat");
  std::size_t accepted = 0;
  for (const char type : testing::kAllTypes) {
    const char types[2] = {type, 'i'};
    std::vector<testing::Argument> arguments;
    arguments.push_back(testing::random_argument(random, static_cast<ArgType>(type)));
    arguments.push_back(testing::i32(5));
    const std::vector<Value> values = testing::values_of(arguments);
    for (std::size_t i = random.below(kStep); i < specs.size(); i += kStep) {
      const std::string format = specs[i].format();
      const bool ours = detail::check_brace(format.data(), format.size(), types, 2).error == FormatError::kNone;
      ASSERT_EQ(ours, is_allowed(type, specs[i])) << type << " " << format;
      if (!ours) continue;
      ++accepted;
      const Result<Printer> printer = Printer::compile(wire::Style::kBrace, format, {types, 2});
      ASSERT_TRUE(printer.ok()) << type << " " << format;
      ASSERT_EQ(testing::printed_values(printer.value(), values).find("{!"), std::string::npos)
          << type << " " << format;
    }
  }
  EXPECT_GT(accepted, 10'000u / kStep);
}

TEST(FormatCheck, OnlyIntegersGiveSizes) {
  for (const char type : testing::kAllTypes) {
    const char types[2] = {'S', type};
    const bool integer = std::string_view("asilnhtjmo").find(type) != std::string_view::npos;
    for (const std::string format : {"{0:{1}}", "{0:.{1}}"}) {
      EXPECT_EQ(detail::check_brace(format.data(), format.size(), types, 2).error == FormatError::kNone, integer)
          << type << " " << format;
    }
  }
}

}  // namespace
}  // namespace steno::text
