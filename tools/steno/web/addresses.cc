#include "web/addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstring>

namespace steno::cli::web {
namespace {

std::string text_of(const in_addr& address) {
  char text[INET_ADDRSTRLEN] = "";
  return inet_ntop(AF_INET, &address, text, sizeof text) != nullptr ? text : "";
}

std::string text_of(const in6_addr& address) {
  char text[INET6_ADDRSTRLEN] = "";
  return inet_ntop(AF_INET6, &address, text, sizeof text) != nullptr ? "[" + std::string(text) + "]" : "";
}

// Returns the machine's names: also the full one, with its domain, where the machine knows that.
std::vector<std::string> names_of_machine() {
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return {};
  std::vector<std::string> names;
  addrinfo hints{};
  hints.ai_flags = AI_CANONNAME;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(name, nullptr, &hints, &found) == 0) {
    if (found->ai_canonname != nullptr && std::strcmp(found->ai_canonname, "localhost") != 0) {
      names.emplace_back(found->ai_canonname);
    }
    freeaddrinfo(found);
  }
  names.emplace_back(name);
  return names;
}

std::vector<std::string> addresses_of_machine() {
  std::vector<std::string> addresses;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return addresses;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    if (one->ifa_addr->sa_family == AF_INET) {
      addresses.push_back(text_of(reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr));
    } else if (one->ifa_addr->sa_family == AF_INET6) {
      addresses.push_back(text_of(reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr));
    }
  }
  freeifaddrs(all);
  return addresses;
}

}  // namespace

bool is_loopback(const std::string& address) {
  in_addr four{};
  in6_addr six{};
  if (inet_pton(AF_INET, address.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  if (inet_pton(AF_INET6, address.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six);
  return address == "localhost";
}

std::vector<std::string> hosts_of(const std::string& address) {
  in_addr four{};
  in6_addr six{};
  const bool is_four = inet_pton(AF_INET, address.c_str(), &four) == 1;
  const bool is_six = !is_four && inet_pton(AF_INET6, address.c_str(), &six) == 1;
  std::vector<std::string> hosts;
  if ((is_four && four.s_addr == INADDR_ANY) || (is_six && IN6_IS_ADDR_UNSPECIFIED(&six))) {
    hosts = names_of_machine();
    for (std::string& own : addresses_of_machine()) hosts.push_back(std::move(own));
  }
  const bool has_colon = address.find(':') != std::string::npos;
  hosts.push_back(is_six ? text_of(six) : has_colon ? "[" + address + "]" : address);
  if (is_loopback(address) || hosts.size() > 1) hosts.insert(hosts.end(), {"localhost", "127.0.0.1", "[::1]"});
  for (std::string& host : hosts) {
    for (char& c : host) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return hosts;
}

}  // namespace steno::cli::web
