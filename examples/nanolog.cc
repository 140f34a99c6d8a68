// A program written for NanoLog, compiled without a change: the header of this name is steno's (include/steno/compat).
#include <cstdio>
#include <ios>
#include <string>

#include "NanoLogCpp17.h"

using namespace NanoLog::LogLevels;

int main() {
  NanoLog::setLogFile("nanolog.steno");
  NanoLog::preallocate();
  NanoLog::setLogLevel(NOTICE);

  const std::string user = "ada";
  NANO_LOG(DEBUG, "left out: less severe than NOTICE");
  NANO_LOG(NOTICE, "user %s took %0.2lf ms, '%*d' of %u", user.c_str(), 12.5, 6, 42, 100u);
  NANO_LOG(WARNING, "%.4s and '%-8s', 100%%", "truncated", "padded");

  try {
    NanoLog::setLogFile("nanolog.steno/app.steno");  // a file is no directory
  } catch (const std::ios_base::failure&) {
    NANO_LOG(ERROR, "goes on in the file before");
  }
  NanoLog::setLogLevel(DEBUG);
  NANO_LOG(DEBUG, "level %d", static_cast<int>(NanoLog::getLogLevel()));
  NanoLog::setLogLevel(SILENT_LOG_LEVEL);
  NANO_LOG(ERROR, "left out: all are");
  NanoLog::setLogLevel(ERROR);
  NANO_LOG(WARNING, "left out");

  NanoLog::setLogFile("second.steno");
  NANO_LOG(ERROR, "in the second file, at level %d", static_cast<int>(NanoLog::getLogLevel()));
  NanoLog::sync();

  NanoLog::printConfig();
  std::fputs(NanoLog::getStats().c_str(), stdout);
  const int cpu = NanoLog::getCoreIdOfBackgroundThread();
  std::FILE* const unused = std::fopen("compressedLog", "r");  // NanoLog's default, in which nothing was logged
  if (unused != nullptr) std::fclose(unused);
  return cpu >= 0 && unused == nullptr ? 0 : 1;
}
