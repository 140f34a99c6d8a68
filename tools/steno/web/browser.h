// The user's browser, which is shown the page.
#pragma once

#include <string>

namespace steno::cli::web {

// Not thread-safe.
class Browser {
 public:
  Browser() = default;
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;
  // Removes what open() has made.
  ~Browser();

  // Opens an address in the browser, by xdg-open, where there is a screen. The arguments of a program are seen by all
  // users of the machine, and the address has a token: so the browser gets a file that leads there, which only this
  // user can read. Nothing is said if that fails: the address has been printed.
  void open(const std::string& url);

 private:
  std::string file_;  // empty: there is none
};

}  // namespace steno::cli::web
