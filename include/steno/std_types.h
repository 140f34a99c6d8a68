// Types of the standard library in log statements, and two functions for other types.
//
//   STENO_WARN("cannot open {path}: {error}", path, std::make_error_code(std::errc::no_such_file_or_directory));
//                                     // cannot open /etc/app.conf: generic:2, No such file or directory
//   STENO_DEBUG("{session} goes", std::make_unique<Session>());         // 0x55d0c8a3b2c0: the address
//   STENO_ERROR("failed: {error}", exception);                          // std::runtime_error: no such table
//   STENO_DEBUG("flags {flags}", std::bitset<8>(5));                    // 00000101
//   STENO_DEBUG("matrix {}", steno::formatted(matrix));                 // by its operator<<
//   STENO_DEBUG("packet {}", steno::hex(packet.data(), packet.size())); // 16 03 01 02
//
// error_code, error_condition, exceptions, bitsets, formatted() and hex() make a string in the logging thread, which
// allocates; paths are copied, smart pointers (unique_ptr, shared_ptr) cost a store. Strings are columns of strings.
// An exception prints its dynamic type (if there is RTTI) and what(); it may be caught as std::exception, in C++20 also
// as any derived class.
// For durations and times see <steno/chrono.h>.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#if defined(__cpp_rtti) || defined(__GXX_RTTI)
#include <cxxabi.h>

#include <typeinfo>
#endif

#include "steno/loggable.h"

#include "steno/detail/begin.h"

namespace steno {

template <>
struct Loggable<std::error_code> {
  static std::string capture(const std::error_code& error) {
    return std::string(error.category().name()) + ":" + std::to_string(error.value()) + ", " + error.message();
  }
};
template <>
struct Loggable<std::error_condition> {
  static std::string capture(const std::error_condition& error) {
    return std::string(error.category().name()) + ":" + std::to_string(error.value()) + ", " + error.message();
  }
};

namespace detail {

inline std::string text_of_exception(const std::exception& exception) {
  std::string text;
#if defined(__cpp_rtti) || defined(__GXX_RTTI)
  const char* const name = typeid(exception).name();
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                        [](void* memory) { std::free(memory); });
  text = readable != nullptr ? readable.get() : name;
  text += ": ";
#endif
  return text + exception.what();
}

}  // namespace detail

#if __cplusplus >= 202002L
template <class T>
requires std::is_base_of_v<std::exception, T>
struct Loggable<T> {
  static std::string capture(const std::exception& exception) { return detail::text_of_exception(exception); }
};
#else
template <>
struct Loggable<std::exception> {
  static std::string capture(const std::exception& exception) { return detail::text_of_exception(exception); }
};
#endif

// The highest bit first, as to_string() prints it.
template <std::size_t kBits>
struct Loggable<std::bitset<kBits>> {
  static std::string capture(const std::bitset<kBits>& bits) { return bits.to_string(); }
};

template <>
struct Loggable<std::filesystem::path> {
  static std::string_view capture(const std::filesystem::path& path) { return path.native(); }
};

template <class T, class Deleter>
struct Loggable<std::unique_ptr<T, Deleter>> {
  static const volatile void* capture(const std::unique_ptr<T, Deleter>& pointer) { return pointer.get(); }
};
template <class T>
struct Loggable<std::shared_ptr<T>> {
  static const volatile void* capture(const std::shared_ptr<T>& pointer) { return pointer.get(); }
};

// The text that operator<< prints.
template <class T>
std::string formatted(const T& value) {
  std::ostringstream text;
  text << value;
  return std::move(text).str();
}

// The first `most` bytes as pairs of hex digits separated by spaces, and how many more there are.
inline std::string hex(const void* data, std::size_t size, std::size_t most = 256) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto* bytes = static_cast<const unsigned char*>(data);
  const std::size_t shown = size < most ? size : most;
  std::string text;
  text.reserve(shown * 3);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i != 0) text += ' ';
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  if (shown < size) text += "…[+" + std::to_string(size - shown) + " bytes]";
  return text;
}

}  // namespace steno

#include "steno/detail/end.h"
