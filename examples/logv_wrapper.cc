// A logger class of a program that knows nothing of steno, as LevelDB's is: it is handed formats and arguments.
#include <steno/logf.h>
#include <steno/session.h>

#include <cstdarg>

class Logger {  // the program's
 public:
  virtual ~Logger() = default;
  virtual void Logv(const char* format, std::va_list arguments) = 0;
};

__attribute__((format(printf, 2, 3))) void Log(Logger& logger, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  logger.Logv(format, arguments);
  va_end(arguments);
}

class StenoLogger : public Logger {  // what it takes to log by steno
 public:
  void Logv(const char* format, std::va_list arguments) override {
    steno::vlogf(logger_, steno::Level::kInfo, format, arguments);
  }

 private:
  steno::Logger logger_ = steno::logger("store");
};

int main() {
  steno::start("app.steno");
  StenoLogger logger;
  Log(logger, "Level-0 table #%llu: started", 7ULL);
  for (int level = 0; level < 2; ++level) {
    Log(logger, "Compacted %d@%d files => %lld bytes: %s", 4 - level, level, 2097152LL + level, "OK");
  }
  Log(logger, "Delete type=%d #%llu", 2, 5ULL);
}
