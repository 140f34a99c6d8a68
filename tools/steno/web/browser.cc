#include "web/browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace steno::cli::web {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// A file of mode 0600; empty: none can be made.
std::string make_page_file(const std::string& html) {
  for (const std::string& folder : {variable("XDG_RUNTIME_DIR"), variable("TMPDIR"), std::string("/tmp")}) {
    if (folder.empty() || folder[0] != '/') continue;
    std::string path = folder + "/steno-web-XXXXXX.html";
    const int fd = ::mkostemps(path.data(), 5, O_CLOEXEC);
    if (fd < 0) continue;
    const bool is_written = ::write(fd, html.data(), html.size()) == static_cast<ssize_t>(html.size());
    ::close(fd);
    if (is_written) return path;
    ::unlink(path.c_str());
  }
  return "";
}

// With what a program usually starts with, whatever signals this one blocks and ignores; in a session of its own, so
// that Ctrl-C ends the server only. 0: it cannot be started.
pid_t start_apart(std::string program, std::string argument) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  if (posix_spawnattr_init(&attributes) != 0) return 0;
  if (posix_spawn_file_actions_init(&actions) != 0) {
    posix_spawnattr_destroy(&attributes);
    return 0;
  }
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  char* words[] = {program.data(), argument.data(), nullptr};
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, program.c_str(), &actions, &attributes, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? pid : 0;
}

}  // namespace

Browser::~Browser() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

void Browser::open(const std::string& url) {
  if (variable("DISPLAY").empty() && variable("WAYLAND_DISPLAY").empty()) return;
  file_ = make_page_file(
      "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">"
      "<meta http-equiv=\"refresh\" content=\"0; url=" +
      url + "\"><title>steno</title><p><a href=\"" + url + "\">The page of steno web</a>\n");
  if (file_.empty()) return;
  const pid_t pid = start_apart("xdg-open", file_);
  if (pid == 0) return;
  std::thread([pid] {  // for its end, so that no zombie stays
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  })
      .detach();
}

}  // namespace steno::cli::web
