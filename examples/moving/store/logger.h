// How the store logs: through an interface that its users may implement, with printf formats, as LevelDB does.
#pragma once

#include <cstdarg>
#include <memory>
#include <string>

namespace store {

class Logger {
 public:
  virtual ~Logger() = default;
  virtual void Logv(const char* format, std::va_list arguments) = 0;
};

// The logger of a store that is given none: to `path`. Null if it cannot be opened.
std::unique_ptr<Logger> NewLogger(const std::string& path);

__attribute__((format(printf, 2, 3))) void Log(Logger& logger, const char* format, ...);

}  // namespace store
