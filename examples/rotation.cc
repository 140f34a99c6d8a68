// A log that goes on in new files: by size, by time and when asked to. `steno cat 'app*.steno'` reads them as one.
#include <steno/log.h>
#include <steno/session.h>

int main() {
  steno::Options options;
  options.path = "app.steno";
  options.rotation.max_bytes = 100 << 20;
  options.rotation.when = "daily 03:30";
  options.rotation.name = "{stem}.{n}{ext}";  // app.1.steno; by default the time is in it
  options.rotation.keep = 2;                  // closed files
  if (!steno::start(options)) return 1;

  for (int part = 1; part <= 4; ++part) {
    STENO_INFO("part {part}", part);
    if (part < 4 && !steno::rotate().ok()) return 1;  // as on a SIGHUP
  }
  steno::stop();
  return 0;
}
