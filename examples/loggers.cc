// Loggers have a name and a level. Sessions have a file, a scribe and options of their own:
// a program, or a library inside it, can hold several side by side.
#include <steno/log.h>
#include <steno/session.h>

int main() {
  if (!steno::start("app.steno")) return 1;

  // Loggers of the default session.
  steno::Logger network = steno::logger("network");
  steno::Logger storage = steno::logger("storage", steno::Level::kWarn);
  STENO_LOG_TO(network, INFO, "connected to {host}", "db1");
  STENO_LOG_TO(storage, INFO, "below its threshold: not logged, and nothing evaluated");
  STENO_LOGF_TO(storage, WARN, "%d%% full", 91);

  network.set_level(steno::Level::kDebug);  // while it runs, from any thread
  STENO_LOG_TO(network, DEBUG, "packet of {bytes} bytes", 1500);
  STENO_LOG_TO(steno::logger("network.http"), DEBUG, "has the level of the logger above it");

  // The same, and files, lines and texts, by rules: here, or as STENO_LEVEL in the environment.
  const steno::Status status = steno::set_levels("notice,network.http=info,loggers.cc=trace,retry*=off");
  if (!status.ok()) return 1;
  STENO_TRACE("enabled, as all of this file");
  STENO_LOG_TO(network, WARN, "retry {n}: not logged, by its text", 3);

  // An audit log beside it: never drops, and is on the disk block by block.
  steno::Options options;
  options.path = "audit.steno";
  options.when_full = steno::WhenFull::kBlock;
  options.sync = steno::Sync::kEachBlock;
  auto audit = steno::Session::open(options);
  if (!audit.ok()) return 1;
  const steno::Logger trail = audit->logger("trail");
  STENO_LOG_TO(trail, NOTICE, "user {user} read {document}", "alice", "contract.pdf");
  STENO_INFO("statements without a logger go to the default session");
}  // both are flushed and closed
