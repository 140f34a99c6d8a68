// Network addresses in log statements.
//
//   STENO_INFO("{peer} connects", peer);                                  // sockaddr_in: 10.0.0.7:4711
//   STENO_INFO("{peer} connects", steno::address(pointer, length));       // a sockaddr*: [fe80::1%2]:4711
//   STENO_INFO("{host} is gone", host);                                   // in_addr, in6_addr: 2001:db8::1
//
// in_addr, in6_addr, sockaddr_in, sockaddr_in6, sockaddr_un and sockaddr_storage. They are formatted as text in the
// logging thread, without allocating. A Unix socket prints its path, `@name` if it is abstract, or "unnamed"; other
// families print as "family 17".
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>

#include "steno/detail/short_text.h"
#include "steno/loggable.h"

namespace steno {

// The text that is logged for an address.
using AddressText = detail::ShortText<128>;

namespace detail {

template <class Address>
void append_host(int family, const Address& address, AddressText* text) {
  char buffer[INET6_ADDRSTRLEN] = {};
  text->append(inet_ntop(family, &address, buffer, sizeof buffer) != nullptr ? buffer : "?");
}

inline void append_address(const sockaddr_in& address, AddressText* text) {
  append_host(AF_INET, address.sin_addr, text);
  text->append(':');
  text->append(static_cast<unsigned long long>(ntohs(address.sin_port)));
}

inline void append_address(const sockaddr_in6& address, AddressText* text) {
  text->append('[');
  append_host(AF_INET6, address.sin6_addr, text);
  if (address.sin6_scope_id != 0) {
    text->append('%');
    text->append(static_cast<unsigned long long>(address.sin6_scope_id));
  }
  text->append("]:");
  text->append(static_cast<unsigned long long>(ntohs(address.sin6_port)));
}

// `size`: of the path and its NULs, as far as it is known.
inline void append_address(const sockaddr_un& address, std::size_t size, AddressText* text) {
  const char* path = address.sun_path;
  if (size > sizeof address.sun_path) size = sizeof address.sun_path;
  if (size == 0) return text->append("unnamed");
  if (path[0] == '\0') {
    while (size > 1 && path[size - 1] == '\0') --size;
    if (size == 1) return text->append("unnamed");
    text->append('@');
    for (std::size_t i = 1; i < size; ++i) text->append(path[i]);
    return;
  }
  for (std::size_t i = 0; i < size && path[i] != '\0'; ++i) text->append(path[i]);
}

}  // namespace detail

// An address of any family, of `size` bytes. A null pointer prints "none".
inline AddressText address(const sockaddr* given, std::size_t size) {
  AddressText text;
  if (given == nullptr) {
    text.append("none");
    return text;
  }
  const auto take = [given, size](auto* out) {
    if (size < sizeof *out) return false;
    std::memcpy(out, given, sizeof *out);
    return true;
  };
  sa_family_t family = AF_UNSPEC;
  if (size >= offsetof(sockaddr, sa_family) + sizeof family) family = given->sa_family;
  sockaddr_in v4;
  sockaddr_in6 v6;
  if (family == AF_INET && take(&v4)) {
    detail::append_address(v4, &text);
  } else if (family == AF_INET6 && take(&v6)) {
    detail::append_address(v6, &text);
  } else if (family == AF_UNIX) {
    sockaddr_un local = {};
    std::memcpy(&local, given, size < sizeof local ? size : sizeof local);
    detail::append_address(local, size - offsetof(sockaddr_un, sun_path), &text);
  } else {
    text.append("family ");
    text.append(static_cast<unsigned long long>(family));
  }
  return text;
}

template <>
struct Loggable<in_addr> {
  static AddressText capture(const in_addr& host) {
    AddressText text;
    detail::append_host(AF_INET, host, &text);
    return text;
  }
};
template <>
struct Loggable<in6_addr> {
  static AddressText capture(const in6_addr& host) {
    AddressText text;
    detail::append_host(AF_INET6, host, &text);
    return text;
  }
};
template <>
struct Loggable<sockaddr_in> {
  static AddressText capture(const sockaddr_in& given) {
    return address(reinterpret_cast<const sockaddr*>(&given), sizeof given);
  }
};
template <>
struct Loggable<sockaddr_in6> {
  static AddressText capture(const sockaddr_in6& given) {
    return address(reinterpret_cast<const sockaddr*>(&given), sizeof given);
  }
};
template <>
struct Loggable<sockaddr_un> {
  static AddressText capture(const sockaddr_un& given) {
    return address(reinterpret_cast<const sockaddr*>(&given), sizeof given);
  }
};
template <>
struct Loggable<sockaddr_storage> {
  static AddressText capture(const sockaddr_storage& given) {
    return address(reinterpret_cast<const sockaddr*>(&given), sizeof given);
  }
};

}  // namespace steno
