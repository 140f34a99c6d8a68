// Sessions as C++17 writes them.
#include <steno/log.h>
#include <steno/session.h>

#include <string>

void starts(const std::string& path, const char* name) {
  steno::start();
  steno::start("app.steno");
  steno::start(path);
  steno::start(name);
  steno::Options options;
  options.level = steno::Level::kDebug;
  steno::start("app.steno", options);
  steno::start(options);
  steno::start({});
  steno::start({"app.steno"});
#if __cplusplus >= 202002L
  steno::start({.path = path, .level = steno::Level::kDebug});
  steno::start("app.steno", {.level = steno::Level::kDebug});
#endif
  steno::flush();  // no warning
  steno::stop();
}

void opens(const std::string& path) {
  steno::Options options;
  options.zstd_level = 3;
  auto session = steno::Session::open("audit.steno", options);
  if (!session.ok()) return;
  if (steno::Status status = session->flush(); !status.ok()) return;
  session->flush();
  session->stop();
  if (!steno::Session::open(path).ok()) return;
  if (!steno::Session::open(options).ok()) return;
#if __cplusplus >= 202002L
  if (!steno::Session::open({.path = path}).ok()) return;
#endif
  const steno::Status started = steno::try_start(options);
  static_cast<void>(started.ok() && steno::flush().ok());
}
