// A terminal taken over for a while: an alternate screen, without a cursor, whose keys are read one by one.
#pragma once

#include <termios.h>

#include <cstddef>
#include <string>

namespace steno::cli {

// Gives everything back when destroyed, and while the process is suspended (Ctrl-Z). While one exists, SIGINT, SIGTERM
// and SIGHUP are noted instead of ending the process. At most one at a time; not thread-safe.
class Screen {
 public:
  // Requires that standard output is a terminal. Keys come from standard input, if that is a terminal too.
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Replaces what is shown by these lines, as many as fit.
  void show(const std::string& text);
  // Waits for a key that ends ('q', Ctrl-C), or until the time is over. True: the user wants to leave. Sets `*redraw`
  // where the size may have changed.
  bool wait(long ns, bool* redraw);

  std::size_t width() const;
  std::size_t height() const;

 private:
  void enter();
  void leave();

  termios saved_{};
  bool has_keys_ = false;
};

// SIGINT, SIGTERM and SIGHUP set a flag, which this asks for, and interrupt waiting calls.
void catch_ends();
bool end_asked();
// From now on SIGHUP does not end, but is asked for here, once.
void catch_hangups();
bool take_hangup();

}  // namespace steno::cli
