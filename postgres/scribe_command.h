// The command line of the scribe, as the settings say.
#pragma once

#include "steno_pg.h"

#include <sys/types.h>

// A time zone, the command and its arguments, each ended by a NUL.
typedef struct ScribeCommand {
  size_t size;
  char text[6 * MAXPGPATH];
} ScribeCommand;

// `lifeline`: the descriptor that the scribe has of it. `sinks` NULL: none.
void steno_make_scribe_command(ScribeCommand* command, const char* path, const char* sinks, int lifeline);
bool steno_is_same_command(const ScribeCommand* one, const ScribeCommand* other);
// In the child: becomes it. Exits with 127 where that cannot be executed.
pg_noreturn void steno_execute_command(ScribeCommand* command);
// Into and out of the scribe's lock file, for the workers that come later. The process id of who wrote it and runs it
// now; 0: nobody does.
void steno_note_command(int lock, const ScribeCommand* command);
pid_t steno_noted_command(int lock, ScribeCommand* command);
