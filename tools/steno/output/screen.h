// A terminal taken over for a while: an alternate screen, without a cursor, whose keys are read one by one.
#pragma once

#include <termios.h>

#include <cstddef>
#include <string>

namespace steno::cli {

// The terminal is restored by the destructor, and while the process is suspended (Ctrl-Z). While a Screen exists,
// SIGINT, SIGTERM and SIGHUP set a flag instead of ending the process. At most one at a time; not thread-safe.
class Screen {
 public:
  // Requires that standard output is a terminal. Keys come from standard input, if that is a terminal too.
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Replaces what is shown by these lines, as many as fit.
  void show(const std::string& text);
  // Waits for 'q' or Ctrl-C, or until the time is over. True: the user wants to exit. Sets `*redraw` if the terminal's
  // size may have changed.
  bool wait(long ns, bool* redraw);

  std::size_t width() const;
  std::size_t height() const;

 private:
  void enter();
  void leave();

  termios saved_{};
  bool has_keys_ = false;
};

// After catch_ends(), SIGINT, SIGTERM and SIGHUP set a flag and interrupt waiting calls. end_asked() returns whether
// one of them has arrived.
void catch_ends();
bool end_asked();
// From now on SIGHUP does not end the process; take_hangup() returns true once after each.
void catch_hangups();
bool take_hangup();

}  // namespace steno::cli
