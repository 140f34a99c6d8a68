// Values that not every reader of a log may see: passwords, tokens, account numbers.
//
//   STENO_INFO("{user} paid with {card}", user, steno::secret(card));          // ada paid with [redacted]
//   STENO_INFO("card {card} is refused", steno::secret_hash(card));            // card #5f0c32a9e18b7d44 is refused
//
// secret(x) is stored like x, in staging and in the file, and marked in the log's dictionary. Readers and sinks show
// `[redacted]` in its place, whatever its type, length or value, and so do filters, searches, groups, sums and exports
// (docs/security.md explains what this protects against). Options like `steno cat --show-secrets` show the value. x can
// be anything that a statement takes, or of a type with a Loggable, but not a structure (STENO_STRUCT). The field takes
// fill, alignment and width. For brace statements and spans; printf statements and contexts do not compile with a
// secret. In a container or tuple each secret is stored as the text `[redacted]`. Costs the same as x. The value must
// live until the statement has run.
//
// secret_hash(x) is for values that must not be in the log but must be distinguishable. It stores a keyed hash of the
// value (SipHash-2-4, 64 bits) as text: '#' and 16 hex digits. Equal values give equal texts, which can be searched,
// compared and grouped; without the key the value cannot be recovered. The key is set by set_secret_key(), else by
// STENO_SECRET_KEY in the environment (ignored by set-user-id programs), else chosen at random by each process and
// inherited by its forked children; then only hashes of one process can be compared. Whoever has the key can test
// guesses. x is a string of char, an integer (hashed as decimal digits, so 17 and "17" are equal) or a bool ("true",
// "false"); a null pointer is hashed as "".
//
// Cost: the hash, and a string of 17 bytes. Thread-safe. Usable in signal handlers after the first hash.
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

// A view of a value that is logged as a secret.
template <class T>
struct Secret {
  detail::Parameter<T> value;
};

// Marks an argument of a statement as a secret. The value must live until the statement has run.
template <class T, std::enable_if_t<!detail::kIsValue<T>, int> = 0>
Secret<T> secret(const T& value) {
  return {value};
}
template <class T, std::enable_if_t<detail::kIsValue<T>, int> = 0>
Secret<T> secret(T value) {
  return {value};
}

// The hash that is logged in place of a value.
struct SecretHash {
  std::uint64_t value;
};

// Sets the key for the whole process from now on. Any text; use at least 16 random bytes, because short keys can be
// guessed. The same key gives the same hashes everywhere.
STENO_EXPORT void set_secret_key(std::string_view key);

namespace detail {

STENO_EXPORT std::uint64_t hash_secret(const void* data, std::size_t size) noexcept;

}  // namespace detail

// The hash of a value with the process's key, as an argument of a statement. Thread-safe.
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
    } else if constexpr (detail::kIsByteArray<T>) {
      return detail::view_of(&secret.value[0], sizeof secret.value);
    } else if constexpr (std::is_array_v<T>) {
      return detail::view_of(&secret.value[0], detail::string_units(&secret.value[0], std::extent_v<T>));
    } else if constexpr (detail::IsString<T>::value) {
      return detail::view_of(secret.value.data(), secret.value.size());
    } else {
      return secret.value;
    }
  }
  static constexpr const char* meaning() { return detail::SecretMeaning<T>::kText.of; }
  // Within a container, which has no marks for single elements.
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
