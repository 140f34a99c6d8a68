#include <stdio.h>
#include <steno/c.h>
#include <steno/c_reader.h>

void greet(const char* who);

int main(int argc, char** argv) {
  steno_error error;
  steno_reader* reader;
  steno_record record;
  if (argc != 2 || steno_start(argv[1], NULL) != STENO_OK) return 2;
  STENO_INFO("a stranger logs {count} things", 3);
  STENO_WARNF("in printf syntax: %5.2f %s", 2.5, "percent");
  greet("world");
  steno_stop();
  reader = steno_reader_open((const char* const*)&argv[1], 1, &error);
  if (reader == NULL) return 1;
  while (steno_reader_next(reader, &record, sizeof record, &error) == 1) puts(record.message);
  steno_reader_close(reader);
  return 0;
}
