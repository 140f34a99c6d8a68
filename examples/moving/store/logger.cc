#include "logger.h"

#include <sys/time.h>

#include <cstdio>
#include <ctime>

namespace store {

namespace {

// A line a message, written and flushed by the call.
class FileLogger : public Logger {
 public:
  explicit FileLogger(std::FILE* file) : file_(file) {}
  ~FileLogger() override { std::fclose(file_); }

  void Logv(const char* format, std::va_list arguments) override {
    timeval now;
    gettimeofday(&now, nullptr);
    std::tm day;
    localtime_r(&now.tv_sec, &day);
    char text[512];
    std::strftime(text, sizeof text, "%Y/%m/%d-%H:%M:%S", &day);
    char message[512];
    std::vsnprintf(message, sizeof message, format, arguments);
    std::fprintf(file_, "%s.%06ld %s\n", text, static_cast<long>(now.tv_usec), message);
    std::fflush(file_);
  }

 private:
  std::FILE* file_;
};

}  // namespace

std::unique_ptr<Logger> NewLogger(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "a");
  return file != nullptr ? std::make_unique<FileLogger>(file) : nullptr;
}

void Log(Logger& logger, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  logger.Logv(format, arguments);
  va_end(arguments);
}

}  // namespace store
