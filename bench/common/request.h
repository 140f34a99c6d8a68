// The arguments that a server logs for a request. They vary from call to call, like those of real programs.
#pragma once

#include <cstddef>

namespace steno::bench {

struct Request {
  int status;
  const char* method;
  const char* path;
  double us;
  std::size_t bytes;
};

inline Request request(std::size_t i) {
  static constexpr const char* kMethods[] = {"GET", "PUT", "POST", "DELETE"};
  static constexpr const char* kPaths[] = {"/api/v1/users", "/api/v1/orders/7087", "/static/app.js", "/health",
                                           "/api/v1/search?q=steno"};
  return {i % 97 == 0 ? 503 : 200, kMethods[i % 4], kPaths[i % 5], static_cast<double>(i % 1000) * 1.7, i * 31 % 65536};
}

}  // namespace steno::bench
