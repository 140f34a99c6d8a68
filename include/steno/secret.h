// Values that not everybody who reads a log is to see: passwords, tokens, account numbers.
//
//   STENO_INFO("{user} paid with {card}", user, steno::secret(card));          // ada paid with [redacted]
//   STENO_INFO("card {card} is refused", steno::secret_hash(card));            // card #5f0c32a9e18b7d44 is refused
//
// secret(x) is stored as x is, in staging and in the file, and marked in the log's dictionary. Readers and sinks show
// `[redacted]` in its place, whatever its type, length or value, and every question sees that text: filters, grep,
// groups, sums and exports (docs/security.md says what that protects from). `steno cat --show-secrets` and its like
// show the value. Of anything that a statement takes, or a type with a Loggable, but no structure (STENO_STRUCT). The
// field takes fill, alignment and width. For brace statements and spans: printf statements and contexts do not compile
// with one. In a container or tuple each secret is stored as `[redacted]` itself. Costs what x costs. The value must
// live until the statement has run.
//
// secret_hash(x) is for values that the log must not have, and that have to be told apart. What is stored is a hash of
// the value by a key (SipHash-2-4, 64 bits), as a text: '#' and 16 hex digits. The same value is the same text, which
// can be searched, compared and grouped by, and without the key nobody tells which value it was. The key is that of
// set_secret_key(), else STENO_SECRET_KEY in the environment (set-user-id programs ignore it), else one that each
// process makes up (children that it forks then have it): then hashes can be compared within what one process logged.
// Whoever has the key can try values. Of a string of char, an integer (as its decimal digits, so that 17 and "17" are
// the same) or a bool ("true", "false"); of a null pointer as of "".
//
// Cost: that of hashing, and of a string of 17 bytes. Thread-safe. In signal handlers once a hash has been made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "steno/detail/capture.h"
#include "steno/detail/config.h"
#include "steno/detail/short_text.h"
#include "steno/loggable.h"

namespace steno {

// A view of a value, by which it is logged as a secret.
template <class T>
struct Secret {
  const T& value;
};

// Marks a value as a secret for the statement that it is an argument of. The value must live until that has run.
template <class T>
Secret<T> secret(const T& value) {
  return {value};
}

// What is logged in place of a value.
struct SecretHash {
  std::uint64_t value;
};

// From now on, in the whole process. Any text, best of 16 random bytes or more: short ones can be guessed. The same one
// gives the same hashes everywhere.
STENO_EXPORT void set_secret_key(std::string_view key);

namespace detail {

STENO_EXPORT std::uint64_t hash_secret(const void* data, std::size_t size) noexcept;

}  // namespace detail

// The hash of a value by the process's key, as an argument of a statement. Thread-safe.
template <class T>
SecretHash secret_hash(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return {detail::hash_secret(value ? "true" : "false", value ? 4 : 5)};
  } else if constexpr (std::is_integral_v<T> && !detail::kIsCharacter<T>) {
    static_assert(sizeof(T) <= sizeof(long long), "steno: a secret is an integer of 64 bits at most");
    detail::ShortText<24> text;
    if constexpr (std::is_signed_v<T>) {
      text.append_signed(static_cast<long long>(value));
    } else {
      text.append(static_cast<unsigned long long>(value));
    }
    return {detail::hash_secret(text.data(), text.size())};
  } else {
    static_assert(!detail::IsLoggable<T>::value && detail::letter_of<T>() == 'S',
                  "steno: a secret is a string of char, an integer or a bool");
    const detail::Bytes bytes = detail::measured(detail::wire<'S', false>(value));
    return {detail::hash_secret(bytes.data, bytes.size == detail::kNullBytes ? 0 : bytes.size)};
  }
}

namespace detail {

// '!', and what the value means.
template <class T>
struct SecretMeaning {
  struct Text {
    char of[length_of(meaning_of<T>()) + 2];
  };
  static constexpr Text make() {
    Text text{};
    char* p = text.of;
    *p++ = '!';
    for (const char* c = meaning_of<T>(); *c != '\0'; ++c) *p++ = *c;
    return text;
  }
  static constexpr Text kText = make();
};

template <class C>
auto view_of(const C* data, std::size_t size) {
  if constexpr (sizeof(C) == 1) {
    return std::string_view(reinterpret_cast<const char*>(data), size);
  } else {
    return std::basic_string_view<C>(data, size);
  }
}

}  // namespace detail

template <class T>
struct Loggable<Secret<T>> {
  static_assert(!detail::is_secret<T>(), "steno: a secret of a secret");

  static auto capture(const Secret<T>& secret) {
    if constexpr (detail::needs_capture<T>()) {
      return detail::captured(secret.value);
    } else if constexpr (std::is_array_v<T>) {
      return detail::view_of(&secret.value[0], detail::string_units(&secret.value[0], std::extent_v<T>));
    } else if constexpr (detail::IsString<T>::value) {
      return detail::view_of(secret.value.data(), secret.value.size());
    } else {
      return secret.value;
    }
  }
  static constexpr const char* meaning() { return detail::SecretMeaning<T>::kText.of; }
  // Within a container, where no meaning says what the text is.
  static std::string_view text(const Secret<T>&) { return "[redacted]"; }
};

template <>
struct Loggable<SecretHash> {
  static detail::ShortText<17> capture(SecretHash hash) {
    detail::ShortText<17> text;
    text.append('#');
    for (int shift = 60; shift >= 0; shift -= 4) text.append("0123456789abcdef"[hash.value >> shift & 15]);
    return text;
  }
};

}  // namespace steno
