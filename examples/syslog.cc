// Errors to a syslog daemon, all of it to the systemd journal where there is one, beside the binary log.
//
//   syslog                                # to /dev/log
//   syslog tcp://logs.example.com:601
#include <steno/log.h>
#include <steno/session.h>
#include <unistd.h>

#include <chrono>

int main(int argc, char** argv) {
  steno::Options options;
  options.path = "app.steno";

  steno::SinkOptions syslog;
  syslog.syslog.address = argc > 1 ? argv[1] : "local";
  syslog.syslog.facility = steno::Facility::kLocal0;
  syslog.syslog.retry_for = std::chrono::seconds(30);  // lines wait so long for a daemon that is away
  syslog.level = steno::Level::kError;
  options.sinks.push_back(syslog);

  steno::SinkOptions journal;  // journalctl ARG_FILE=data.db
  journal.journal.address = "local";
  if (access("/run/systemd/journal/socket", W_OK) == 0) options.sinks.push_back(journal);

  if (!steno::start(options)) return 1;
  STENO_INFO("started");
  STENO_ERROR("cannot write {file}", "data.db");
  steno::stop();  // waits for a daemon that does not answer, but no longer than Options::block_at_most
}
