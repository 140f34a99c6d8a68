// Lines while the program runs, besides the binary log or instead of it: on the console, in text files, in functions of
// the program. Log calls cost the same.
#include <steno/log.h>
#include <steno/session.h>

#include <atomic>

int main() {
  std::atomic<int> errors{0};

  steno::Options options;
  options.path = "app.steno";
  options.console = true;  // standard error; STENO_CONSOLE=0 takes it away, STENO_CONSOLE=stdout moves it

  steno::SinkOptions warnings;  // a text file of its own for those that somebody should read
  warnings.path = "warnings.log";
  warnings.level = steno::Level::kWarn;
  warnings.pattern = "{level} {message}";
  options.sinks.push_back(warnings);

  steno::SinkOptions json;  // a line an object, for what collects logs in containers
  json.path = "network.json";
  json.format = steno::LineFormat::kJson;
  json.logger = "network";
  options.sinks.push_back(json);

  steno::SinkOptions counter;  // a function, called in a thread of the sink's
  counter.callback = [&errors](const steno::Line&) { ++errors; };
  counter.level = steno::Level::kError;
  options.sinks.push_back(counter);

  if (!steno::start(options)) return 1;
  const steno::Logger network = steno::logger("network");
  STENO_INFO("started");
  STENO_LOG_TO(network, INFO, "connected to {host}", "db1");
  STENO_WARN("{percent}% of the disk is full", 91);
  STENO_ERROR("cannot write {file}", "data.db");
  steno::stop();  // returns when the sinks have had all of it

  return errors == 1 ? 0 : 1;
}
