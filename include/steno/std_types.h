// Types of the standard library in log statements, and two functions for what is none.
//
//   STENO_WARN("cannot open {path}: {error}", path, std::make_error_code(std::errc::no_such_file_or_directory));
//                                     // cannot open /etc/app.conf: generic:2, No such file or directory
//   STENO_DEBUG("{session} goes", std::make_unique<Session>());         // 0x55d0c8a3b2c0: the address
//   STENO_DEBUG("matrix {}", steno::formatted(matrix));                 // by its operator<<
//   STENO_DEBUG("packet {}", steno::hex(packet.data(), packet.size())); // 16 03 01 02
//
// error_code, error_condition, formatted() and hex() make a string in the logging thread, which allocates; paths are
// copied, smart pointers (unique_ptr, shared_ptr) cost a store. Strings are columns of strings.
// For durations and times there is <steno/chrono.h>.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "steno/loggable.h"

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

// What operator<< prints.
template <class T>
std::string formatted(const T& value) {
  std::ostringstream text;
  text << value;
  return std::move(text).str();
}

// The first `most` of the bytes as pairs of digits with spaces between, and how many more there are.
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
