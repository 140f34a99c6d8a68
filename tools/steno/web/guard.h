// Admits requests that name this server, come from its own page, and have the token.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steno::cli::web {

class Guard {
 public:
  // `hosts`: the names under which the server is reached, in lower case and without a port.
  Guard(std::vector<std::string> hosts, std::uint16_t port, bool tls);

  // 128 bits from the kernel, in hexadecimal digits.
  const std::string& token() const { return token_; }
  // The name of the cookie: it has the port, because cookies of one host are those of all its ports.
  std::string cookie_name() const { return "steno-" + std::to_string(port_); }
  std::string cookie() const;

  // Returns whether the header Host names this server: a page elsewhere whose name leads here (DNS rebinding) has
  // another. A browser leaves the port out if it is the one of the scheme.
  bool is_own_host(std::string_view host) const;
  // Returns whether the header Origin is of this server; empty: the browser sends none, and neither do programs.
  bool is_own_origin(std::string_view origin) const;
  // Returns whether the header Sec-Fetch-Site allows an answer: pages elsewhere do not get one, and neither do those of
  // another port of this host, which a browser calls the same site. Empty is treated as in is_own_origin().
  static bool is_own_fetch(std::string_view site);
  bool is_token(std::string_view text) const;
  // Returns whether the header Cookie has the token.
  bool has_token(std::string_view cookies) const;

 private:
  std::vector<std::string> hosts_;
  std::uint16_t port_;
  bool tls_;
  std::string token_;
};

}  // namespace steno::cli::web
