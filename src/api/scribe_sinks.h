// The sinks of an external scribe, from its options and its configuration file: opened, and again when
// the file changes.
//
// The file has the keys of a process's configuration (docs/guide/configuration.md) that are a scribe's: `console`,
// `sinks` and `file_mode`. All others are errors, as are sinks that would have the scribe wait (when_full = "block").
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "steno/status.h"

namespace steno::sink {
class SinkSet;
}

namespace steno::api {

struct ScribeSinkOptions {
  bool console = false;                          // standard output
  std::vector<std::string> sinks;                // each the keys of one: path = "app.log", level = "warn"
  std::string config;                            // a file; "": none
  std::vector<std::string> logs;                 // absolute paths that are no sinks'
  std::function<void(const std::string&)> warn;  // any thread
};

class ScribeSinks {
 public:
  // Opens them. Fails with what is wrong with an option or with the file.
  static Result<std::unique_ptr<ScribeSinks>> open(ScribeSinkOptions options);
  // Waits for the sinks that there are, for a few seconds. Those that sessions still have are closed.
  ~ScribeSinks();

  // Any thread; nullptr: there are none.
  std::shared_ptr<sink::SinkSet> current();

 private:
  class Impl;
  explicit ScribeSinks(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace steno::api
