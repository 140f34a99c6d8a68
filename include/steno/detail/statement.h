// The expansion of a log statement (log.h).
//
// Every statement is a type: a local struct with the facts of the site. Templates over it hold the site's word, check
// the format against the arguments' types, and register the site before main. How a record is written is in
// write_record.h.
//
// This header is compiled for each of a program's thousands of statements: what can be shared by statements of the same
// argument types is in Signature, and nothing is a function that need not be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "steno/detail/arg_type.h"
#include "steno/detail/brace_format.h"
#include "steno/detail/capture.h"
#include "steno/detail/config.h"
#include "steno/detail/library.h"
#include "steno/detail/literal.h"
#include "steno/detail/named_level.h"
#include "steno/detail/printf_format.h"
#include "steno/detail/report.h"
#include "steno/detail/site.h"
#include "steno/detail/write_record.h"
#include "steno/detail/writer.h"
#include "steno/level.h"
#include "steno/logger.h"

namespace steno::detail {

constexpr bool compiled_in(Level level, int min_level) {
  return static_cast<int>(level) >= min_level;
}

// The static facts of a statement.
struct StatementText {
  const char* format;
  std::size_t length;
  const char* file;
  const char* function;
  std::uint32_t line;
  Level level;
  bool printf;
  bool to_logger;
};

template <class S>
struct STENO_HIDDEN SiteWord {
  static inline std::uint64_t word = 0;
};

// Types as letters, NUL-terminated.
template <std::size_t kCount>
struct Letters {
  char of[kCount + 2];  // arguments, perhaps 'E'
};

// The size of records of these types in units of 8 bytes, or 0 if strings vary it.
constexpr std::uint16_t record_size8(const char* letters) {
  std::size_t n = kArgsOffset;
  for (const char* p = letters; *p != '\0'; ++p) {
    if (is_string(static_cast<ArgType>(*p))) return 0;
    n += fixed_size(static_cast<ArgType>(*p));
  }
  return static_cast<std::uint16_t>((n + 7) / 8);
}

// A structure whose fields are arguments: struct.h specialises it, and defines the two functions.
template <class T>
struct Structure {
  static constexpr std::size_t kFields = 0;
  static constexpr const char* name() { return nullptr; }
  static constexpr const char* const* names() { return nullptr; }
};
template <class T>
inline constexpr bool kIsStruct = Structure<T>::kFields != 0;
template <class S, class Slot, class... A>
bool log_structs(Slot slot, std::uint64_t found, const A&... args);
template <class S, class... A>
constexpr void check_structs(const A&... args);

// An argument that may be absent: containers.h specialises it, and nullable.h defines the two functions.
template <class T>
struct NullableParts {
  static constexpr bool kIs = false;
};
template <class T>
inline constexpr bool kIsNullable = NullableParts<T>::kIs;
template <class S, class Slot, class... A>
bool log_nullables(Slot slot, std::uint64_t found, const A&... args);
template <class S, class... A>
constexpr void check_nullables(const A&... args);

// The code that statements of the same argument types share.
template <class... A>
struct Signature {
  static constexpr Letters<sizeof...(A)> kLetters = {{letter_of<A>()..., '\0'}};
  static constexpr std::uint16_t kSize8 = record_size8(kLetters.of);
  static constexpr bool kTypedPointers = (is_typed_pointer<A>() || ...);
  static constexpr bool kDescribed = ((*meaning_of<A>() != '\0') || ...);
  static constexpr bool kSecret = (is_secret<A>() || ...);
  static_assert(Loggables<((letter_of<A>() != '?') && ...), A...>::kFine);
};

// The types again, and after their NUL what each means (SiteEntry). The last kMore letters are not of arguments, and
// 'm'.
template <std::size_t kMore, class... A>
struct DescribedTypes {
  static constexpr std::size_t kLetters = sizeof...(A) + kMore;
  struct Text {
    char of[kLetters + 1 + kMore + ((length_of(meaning_of<A>()) + 1) + ... + 1)];
  };
  static constexpr Text make() {
    Text text{};
    const char letters[] = {letter_of<A>()..., '\0'};
    const char* const meanings[] = {meaning_of<A>()..., ""};
    char* p = text.of;
    for (std::size_t i = 0; i < kLetters; ++i) *p++ = i < sizeof...(A) ? letters[i] : 'm';
    ++p;
    for (std::size_t i = 0; i < sizeof...(A); ++i, ++p) {
      for (const char* c = meanings[i]; *c != '\0'; ++c) *p++ = *c;
    }
    return text;
  }
  static constexpr Text kText = make();
};

constexpr SiteEntry site_entry(const StatementText& text, std::uint64_t* word, const char* types, std::uint16_t size8) {
  return {word,      &library, text.format, text.file,   text.function, types,
          text.line, size8,    text.level,  text.printf, text.to_logger};
}

// The error of a format and where it is; the rest of a check is printf's business.
struct Verdict {
  FormatError error;
  int argument;
  int where;
};
constexpr Verdict brace_verdict(const StatementText& text, const char* letters, std::size_t count) {
  // No literal: said already. Only then is the pointer asked: to GCC's UBSan no address of a variable is a constant.
  if (text.length == 0 && text.format == nullptr) return {FormatError::kNone, -1, 0};
  const FormatCheck check = check_brace(text.format, text.length, letters, count);
  return {check.error, check.argument, check.where};
}

// Does what brace_verdict() does, where some of the first arguments may be secrets: a string stands for each of these.
template <class... A>
constexpr Verdict brace_verdict_of(const StatementText& text, const char* letters, std::size_t count) {
  const Verdict verdict = brace_verdict(text, letters, count);
  if constexpr (Signature<A...>::kSecret) {
    if (verdict.error != FormatError::kNone) return verdict;
    char shown[kMaxArguments] = {(is_secret<A>() ? 'S' : letter_of<A>())...};
    for (std::size_t i = sizeof...(A); i < count; ++i) shown[i] = letters[i];
    Verdict of_shown = brace_verdict(text, shown, count);
    if (of_shown.error != FormatError::kNone) of_shown.error = FormatError::kSecretSpec;
    return of_shown;
  } else {
    return verdict;
  }
}

constexpr FormatCheck printf_verdict(const StatementText& text, const char* letters, std::size_t count) {
  if (text.format != nullptr) return check_printf(text.format, text.length, letters, count);
  FormatCheck none;
  for (std::size_t i = 0; i < count; ++i) none.types[i] = letters[i];
  return none;
}

STENO_DETAIL_BEGIN_QUIET
// A statement in brace syntax.
template <class S, class... A>
struct STENO_HIDDEN BraceStatement {
  static constexpr Verdict kVerdict =
      brace_verdict_of<A...>(S::steno_text(), Signature<A...>::kLetters.of, sizeof...(A));
  static constexpr SiteEntry site() {
    using Types = Signature<A...>;
    SiteEntry entry = site_entry(S::steno_text(), &SiteWord<S>::word, Types::kLetters.of, Types::kSize8);
    if constexpr (Types::kDescribed) {
      entry.types = DescribedTypes<0, A...>::kText.of;
      entry.described = true;
    }
    return entry;
  }
  static constexpr SiteEntry kSite = site();
  // Dynamic initialisation: this is what registers the site before main.
  static inline const std::uint64_t registered = register_site(kSite);

  static_assert(Pointers<!Signature<A...>::kTypedPointers>::kFine);
  static_assert(Report<kVerdict.error, kVerdict.argument, kVerdict.where>::kFine);
};

// A statement in printf syntax: %p makes an address of a string, a precision bounds one, %m adds an argument.
template <class S, class... A>
struct STENO_HIDDEN PrintfStatement {
  static constexpr std::size_t kCount = sizeof...(A);
  static constexpr FormatCheck kCheck = printf_verdict(S::steno_text(), Signature<A...>::kLetters.of, kCount);

  static constexpr Letters<kCount> letters() {
    Letters<kCount> out{};
    for (std::size_t i = 0; i < kCount && i < kMaxArguments; ++i) out.of[i] = kCheck.types[i];
    if (kCheck.uses_errno) out.of[kCount] = 'E';
    return out;
  }
  static constexpr Letters<kCount> kLetters = letters();
  static constexpr SiteEntry kSite =
      site_entry(S::steno_text(), &SiteWord<S>::word, kLetters.of, record_size8(kLetters.of));
  static inline const std::uint64_t registered = register_site(kSite);

  static_assert(Report<kCheck.error, kCheck.argument, kCheck.where>::kFine);

  static constexpr bool bounded(int i) { return kCheck.literal_bound(i) >= 0 || kCheck.bound_argument(i) >= 0; }
  // The most units that string argument kPlace may have.
  template <std::size_t kPlace, class... B>
  STENO_ALWAYS_INLINE static std::size_t bound([[maybe_unused]] const B&... args) {
    if constexpr (kCheck.literal_bound(kPlace) >= 0) {
      return static_cast<std::size_t>(kCheck.literal_bound(kPlace));
    } else if constexpr (kCheck.bound_argument(kPlace) >= 0) {
      const long long precision = integer_at<kCheck.bound_argument(kPlace)>(args...);
      return precision < 0 ? kUnbounded : static_cast<std::size_t>(precision);
    } else {
      return kUnbounded;
    }
  }

 private:
  template <std::size_t kPlace, class First, class... Rest>
  STENO_ALWAYS_INLINE static long long integer_at(const First& first, [[maybe_unused]] const Rest&... rest) {
    if constexpr (kPlace == 0) {
      return static_cast<long long>(first);
    } else {
      return integer_at<kPlace - 1>(rest...);
    }
  }
};

STENO_DETAIL_END_QUIET
template <class St, bool kNotifies, class Slot, class... A, std::size_t... kPlace>
STENO_ALWAYS_INLINE bool log_printf(Slot slot, std::uint64_t word, std::index_sequence<kPlace...>, const A&... args) {
  if constexpr (St::kCheck.uses_errno) {
    return write_record<kNotifies>(
        slot, St::kSite, word,
        wire<St::kLetters.of[kPlace], St::bounded(kPlace)>(args, St::template bound<kPlace>(args...))...,
        Scalar<std::uint32_t>{static_cast<std::uint32_t>(errno_now())});
  } else {
    return write_record<kNotifies>(
        slot, St::kSite, word,
        wire<St::kLetters.of[kPlace], St::bounded(kPlace)>(args, St::template bound<kPlace>(args...))...);
  }
}

template <class S>
struct Site {};

// A call of a statement: the body once its site is known to be enabled, or not yet registered (word 0). The arguments'
// types are deduced by the guide below, which nothing calls, before the arguments are passed.
template <class... A>
struct Call {
  template <class S, class Slot, class Format>
  STENO_ALWAYS_INLINE Call(Site<S>, Slot slot, std::uint64_t found, const Format&, Parameter<A>... args) {
    constexpr bool kNotifies = S::steno_text().level >= Level::kWarn;
    [[maybe_unused]] const std::uint64_t word = slot.address(found);
    if constexpr (!S::steno_text().printf && (kIsStruct<Bare<A>> || ...)) {
      logged = log_structs<S>(slot, found, args...);
    } else if constexpr (!S::steno_text().printf && (kIsNullable<Bare<A>> || ...)) {
      logged = log_nullables<S>(slot, found, args...);
    } else if constexpr (S::steno_text().printf) {
      static_assert(NoSecrets<!(is_secret<Bare<A>>() || ...)>::kFine);
      using St = PrintfStatement<S, TextType<Bare<A>>...>;
      static_cast<void>(&St::registered);
      logged =
          log_printf<St, kNotifies>(slot, word, std::make_index_sequence<sizeof...(A)>(), captured_as_text(args)...);
    } else {
      using St = BraceStatement<S, Bare<A>...>;
      static_cast<void>(&St::registered);
      if constexpr ((needs_capture<A>() || ...)) {
        logged = write_record<kNotifies>(slot, St::kSite, word, wire<letter_of<Bare<A>>(), false>(captured(args))...);
      } else {
        logged = write_record<kNotifies>(slot, St::kSite, word, wire<letter_of<Bare<A>>(), false>(args)...);
      }
    }
  }
  bool logged = false;  // false: the record is refused
};
template <class S, class Slot, class Format, class... A>
Call(Site<S>, Slot, std::uint64_t, const Format&, const A&...) -> Call<A...>;

// Makes a Call for another statement than the macro's.
template <class S, class Slot, class Format, class... A>
STENO_ALWAYS_INLINE bool log(Slot slot, std::uint64_t found, const Format& format, const A&... args) {
  return Call<A...>(Site<S>(), slot, found, format, args...).logged;
}

// Instantiates the checks of a statement that is stripped.
template <class S, class Format, class... A>
constexpr void check_statement(const Format&, [[maybe_unused]] const A&... args) {
  if constexpr (!S::steno_text().printf && (kIsStruct<Bare<A>> || ...)) {
    check_structs<S>(args...);
  } else if constexpr (!S::steno_text().printf && (kIsNullable<Bare<A>> || ...)) {
    check_nullables<S>(args...);
  } else if constexpr (S::steno_text().printf) {
    static_assert(NoSecrets<!(is_secret<Bare<A>>() || ...)>::kFine);
    static_cast<void>(sizeof(PrintfStatement<S, TextType<Bare<A>>...>));
  } else {
    static_cast<void>(sizeof(BraceStatement<S, Bare<A>...>));
  }
}

}  // namespace steno::detail

#define STENO_DETAIL_BRACE false
#define STENO_DETAIL_PRINTF true
#define STENO_DETAIL_FIRST(...) STENO_DETAIL_FIRST_OF(__VA_ARGS__, 0)
#define STENO_DETAIL_FIRST_OF(first, ...) first

// An expression that is no literal is not evaluated, and its text is nullptr: one sentence is enough. All of it stands
// in a branch that is never taken where the statement is stripped: the text leaves no trace then, without optimisation
// too.
#define STENO_DETAIL_SPELLING(...) STENO_DETAIL_SPELLED(__VA_ARGS__)
#define STENO_DETAIL_SPELLED(...) #__VA_ARGS__
#define STENO_DETAIL_NAMED_LEVEL(name)                                                                              \
  constexpr int steno_number_ = ::steno::detail::level_number(name);                                                \
  static_assert(                                                                                                    \
      steno_number_ != ::steno::detail::kNoLevel,                                                                   \
      "steno: no such level: TRACE, DEBUG, INFO, NOTICE, WARN, ERROR, CRITICAL; a logger before it: STENO_LOG_TO"); \
  static_assert(steno_number_ != ::steno::detail::kFormatForLevel,                                                  \
                "steno: a format where the level should be: a logger, a level, a format");                          \
  constexpr ::steno::Level steno_level_ = ::steno::detail::level_of(steno_number_);                                 \
  constexpr bool steno_compiled_ = ::steno::detail::compiled_in(steno_level_, STENO_MIN_LEVEL)
#define STENO_DETAIL_SITE(printf, to_logger, format)                                                                  \
  [[maybe_unused]] constexpr const char* steno_function_ = __func__;                                                  \
  [[maybe_unused]] constexpr bool steno_literal_ = ::steno::detail::is_literal(STENO_DETAIL_SPELLING(format));        \
  static_assert(steno_literal_ || sizeof(::steno::detail::logger_as_format(format)) == 1,                             \
                "steno: a logger where the format should be: STENO_LOG_TO(logger, INFO, \"…\") logs to it");          \
  static_assert(steno_literal_ || sizeof(::steno::detail::logger_as_format(format)) != 1,                             \
                "steno: the format must be a string literal; log other text as \"{}\", text");                        \
  [[maybe_unused]] constexpr const char* steno_format_ = steno_literal_ ? ::steno::detail::text_of(format) : nullptr; \
  [[maybe_unused]] constexpr ::std::size_t steno_size_ = steno_literal_ ? ::steno::detail::text_size(format) : 0;     \
  struct StenoSite {                                                                                                  \
    static constexpr ::steno::detail::StatementText steno_text() {                                                    \
      return {steno_format_, steno_size_, __FILE__, steno_function_, __LINE__, steno_level_, printf, to_logger};      \
    }                                                                                                                 \
  }
#define STENO_DETAIL_WORD __atomic_load_n(&::steno::detail::SiteWord<StenoSite>::word, __ATOMIC_RELAXED)

// In a constexpr function nothing is logged while the compiler evaluates it: no variable here is static, and what no
// constant expression may do stands where none comes.
#define STENO_DETAIL_RUNNING !__builtin_is_constant_evaluated()

// A statement. `gate`: asked where it is enabled, whether this call is to be logged. `accepted`: what is done with the
// call's result; `otherwise`: what follows where the logger does not let it pass.
#define STENO_DETAIL_BODY(accepted, printf, level, gate, ...)                                              \
  STENO_DETAIL_NAMED_LEVEL(level);                                                                         \
  if (steno_compiled_) {                                                                                   \
    STENO_DETAIL_SITE(printf, false, STENO_DETAIL_FIRST(__VA_ARGS__));                                     \
    if constexpr (steno_compiled_) {                                                                       \
      const ::std::uint64_t steno_word_ = STENO_DETAIL_WORD;                                               \
      if (STENO_LIKELY((steno_word_ & ::steno::detail::kDisabledBit) == 0) && (gate))                      \
        accepted(::steno::detail::Call(::steno::detail::Site<StenoSite>(), ::steno::detail::DefaultSlot(), \
                                       steno_word_, __VA_ARGS__)                                           \
                     .logged);                                                                             \
    } else {                                                                                               \
      ::steno::detail::check_statement<StenoSite>(__VA_ARGS__);                                            \
    }                                                                                                      \
  }
#define STENO_DETAIL_BODY_TO(accepted, otherwise, printf, logger, level, gate, ...)                                   \
  STENO_DETAIL_NAMED_LEVEL(level);                                                                                    \
  if (steno_compiled_) {                                                                                              \
    STENO_DETAIL_SITE(printf, true, STENO_DETAIL_FIRST(__VA_ARGS__));                                                 \
    if constexpr (steno_compiled_) {                                                                                  \
      const ::steno::Logger steno_logger_ = (logger);                                                                 \
      const ::std::uint64_t steno_word_ = STENO_DETAIL_WORD;                                                          \
      if (STENO_LIKELY((steno_word_ & ::steno::detail::kDisabledBit) == 0) &&                                         \
          ::steno::detail::passes(steno_logger_, steno_level_, steno_word_) && (gate))                                \
        accepted(::steno::detail::Call(::steno::detail::Site<StenoSite>(),                                            \
                                       ::steno::detail::LoggerSlot(*steno_logger_.state()), steno_word_, __VA_ARGS__) \
                     .logged);                                                                                        \
      otherwise                                                                                                       \
    } else {                                                                                                          \
      ::steno::detail::check_statement<StenoSite>(__VA_ARGS__);                                                       \
    }                                                                                                                 \
  }

// None of these in terms of another: compilers show each step of an expansion with each mistake.
#define STENO_DETAIL_DISCARD static_cast<void>
#define STENO_DETAIL_LOG(printf, level, ...)                                    \
  do {                                                                          \
    if (STENO_DETAIL_RUNNING) {                                                 \
      STENO_DETAIL_BODY(STENO_DETAIL_DISCARD, printf, level, true, __VA_ARGS__) \
    }                                                                           \
  } while (false)
#define STENO_DETAIL_LOG_IF(printf, level, gate, ...)                           \
  do {                                                                          \
    if (STENO_DETAIL_RUNNING) {                                                 \
      STENO_DETAIL_BODY(STENO_DETAIL_DISCARD, printf, level, gate, __VA_ARGS__) \
    }                                                                           \
  } while (false)
#define STENO_DETAIL_LOG_TO(printf, logger, level, ...)                                      \
  do {                                                                                       \
    if (STENO_DETAIL_RUNNING) {                                                              \
      STENO_DETAIL_BODY_TO(STENO_DETAIL_DISCARD, , printf, logger, level, true, __VA_ARGS__) \
    }                                                                                        \
  } while (false)
#define STENO_DETAIL_LOG_TO_IF(printf, logger, level, gate, ...)                             \
  do {                                                                                       \
    if (STENO_DETAIL_RUNNING) {                                                              \
      STENO_DETAIL_BODY_TO(STENO_DETAIL_DISCARD, , printf, logger, level, gate, __VA_ARGS__) \
    }                                                                                        \
  } while (false)

// The macros as expressions. They do not ask whether the compiler evaluates them: it tries to for `const bool logged =
// …`, and would take it for true.
#define STENO_DETAIL_KEEP steno_accepted_ =
#define STENO_DETAIL_IF_CLOSED else if (!steno_logger_.is_open()) steno_accepted_ = false;
#define STENO_DETAIL_TRY(printf, level, ...)                               \
  __extension__({                                                          \
    bool steno_accepted_ = true;                                           \
    STENO_DETAIL_BODY(STENO_DETAIL_KEEP, printf, level, true, __VA_ARGS__) \
    steno_accepted_;                                                       \
  })
#define STENO_DETAIL_TRY_TO(printf, logger, level, ...)                                                       \
  __extension__({                                                                                             \
    bool steno_accepted_ = true;                                                                              \
    STENO_DETAIL_BODY_TO(STENO_DETAIL_KEEP, STENO_DETAIL_IF_CLOSED, printf, logger, level, true, __VA_ARGS__) \
    steno_accepted_;                                                                                          \
  })
