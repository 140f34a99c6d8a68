#include <steno/log.h>
#include <steno/logf.h>
#include <steno/session.h>

#include <cstdlib>

#include "paper/server/statements.h"

namespace steno::bench {
namespace {

class None final : public Statements {
 public:
  void Logv(const char*, std::va_list) override {}
  void begin_read(const Request&) override {}
  void end_read(const Request&, const Reply&) override {}
  void begin_write(const Request&) override {}
  void end_write(const Request&, const Reply&) override {}
  void flush() override {}
};

class Steno final : public Statements {
 public:
  explicit Steno(const char* path) {
    if (!steno::start({.path = path})) std::exit(1);
    prepare_thread();
  }
  void Logv(const char* format, std::va_list arguments) override { steno::vlogf(Level::kInfo, format, arguments); }
  void flush() override { (void)steno::flush(); }
  BENCH_SERVER_STATEMENTS(STENO_INFO)
};

}  // namespace

Statements* no_statements() {
  return new None;
}

Statements* steno_statements(const char* path) {
  return new Steno(path);
}

}  // namespace steno::bench
