#include "output/screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace steno::cli {
namespace {

volatile std::sig_atomic_t end_asked_ = 0;
volatile std::sig_atomic_t suspend_asked_ = 0;
volatile std::sig_atomic_t hung_up_ = 0;
volatile std::sig_atomic_t resized_ = 0;

// Without SA_RESTART: blocking calls return, so that the flags are checked.
void on_signal(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}

void write_all(const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

winsize terminal_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    size.ws_col = 80;
    size.ws_row = 24;
  }
  return size;
}

}  // namespace

void catch_ends() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) on_signal(signal, [](int) { end_asked_ = 1; });
}

bool end_asked() {
  return end_asked_ != 0;
}

void catch_hangups() {
  on_signal(SIGHUP, [](int) { hung_up_ = 1; });
}

bool take_hangup() {
  const bool taken = hung_up_ != 0;
  if (taken) hung_up_ = 0;
  return taken;
}

Screen::Screen() : has_keys_(::isatty(STDIN_FILENO) == 1) {
  catch_ends();
  on_signal(SIGTSTP, [](int) { suspend_asked_ = 1; });
  on_signal(SIGWINCH, [](int) { resized_ = 1; });
  enter();
}

Screen::~Screen() {
  leave();
}

void Screen::enter() {
  if (has_keys_ && ::tcgetattr(STDIN_FILENO, &saved_) == 0) {
    termios keys = saved_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // ISIG stays: Ctrl-C and Ctrl-Z mean what they mean
    keys.c_cc[VMIN] = 0;
    keys.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  } else {
    has_keys_ = false;
  }
  write_all("\x1b[?1049h\x1b[?25l\x1b[H\x1b[2J");
}

void Screen::leave() {
  write_all("\x1b[?25h\x1b[?1049l");
  if (has_keys_) ::tcsetattr(STDIN_FILENO, TCSANOW, &saved_);
}

void Screen::show(const std::string& text) {
  std::string all = "\x1b[H";
  const std::size_t lines = height();
  std::size_t at = 0;
  for (std::size_t line = 0; line < lines && at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    all += text.substr(at, end - at) + "\x1b[K";
    at = end + 1;
    if (line + 1 < lines && at < text.size()) all += "\r\n";
  }
  write_all(all + "\x1b[J");
}

bool Screen::wait(long ns, bool* redraw) {
  pollfd keys = {STDIN_FILENO, POLLIN, 0};
  const timespec time = {ns / 1'000'000'000, ns % 1'000'000'000};
  const int ready = ::ppoll(&keys, has_keys_ ? 1 : 0, &time, nullptr);
  if (suspend_asked_ != 0) {
    suspend_asked_ = 0;
    leave();
    ::raise(SIGSTOP);
    enter();
    *redraw = true;
  }
  if (resized_ != 0) {
    resized_ = 0;
    *redraw = true;
  }
  if (ready > 0) {
    char typed[64];
    const ssize_t n = ::read(STDIN_FILENO, typed, sizeof typed);
    if (n == 0 || (keys.revents & (POLLHUP | POLLERR)) != 0) return true;  // the terminal is gone
    if (n > 0 && std::find(typed, typed + n, 'q') != typed + n) return true;
  }
  return end_asked();
}

std::size_t Screen::width() const {
  return terminal_size().ws_col;
}

std::size_t Screen::height() const {
  return terminal_size().ws_row;
}

}  // namespace steno::cli
