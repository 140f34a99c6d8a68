#include "web/guard.h"

#include <sys/random.h>

#include <algorithm>
#include <stdexcept>

namespace steno::cli::web {
namespace {

std::string random_token() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    throw std::runtime_error("the kernel gives no random numbers");
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace

Guard::Guard(std::vector<std::string> hosts, std::uint16_t port, bool tls)
    : hosts_(std::move(hosts)), port_(port), tls_(tls), token_(random_token()) {}

std::string Guard::cookie() const {
  return cookie_name() + "=" + token_ + "; Path=/; HttpOnly; SameSite=Strict" + (tls_ ? "; Secure" : "");
}

bool Guard::is_own_host(std::string_view host) const {
  std::string lower(host);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::string port = ":" + std::to_string(port_);
  const bool has_default = port_ == (tls_ ? 443 : 80);
  return std::any_of(hosts_.begin(), hosts_.end(),
                     [&](const std::string& name) { return lower == name + port || (has_default && lower == name); });
}

bool Guard::is_own_origin(std::string_view origin) const {
  if (origin.empty()) return true;
  const std::string_view scheme = tls_ ? "https://" : "http://";
  return origin.starts_with(scheme) && is_own_host(origin.substr(scheme.size()));
}

bool Guard::is_own_fetch(std::string_view site) {
  return site.empty() || site == "same-origin" || site == "none";
}

// Takes as long whatever is wrong.
bool Guard::is_token(std::string_view text) const {
  if (text.size() != token_.size()) return false;
  unsigned differs = 0;
  for (std::size_t i = 0; i < text.size(); ++i) differs |= static_cast<unsigned char>(text[i] ^ token_[i]);
  return differs == 0;
}

bool Guard::has_token(std::string_view cookies) const {
  const std::string name = cookie_name() + "=";
  while (!cookies.empty()) {
    const std::size_t end = std::min(cookies.find(';'), cookies.size());
    std::string_view one = cookies.substr(0, end);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (one.starts_with(name) && is_token(one.substr(name.size()))) return true;
  }
  return false;
}

}  // namespace steno::cli::web
