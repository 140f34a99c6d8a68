// The command line of the scribe, and the settings that it is made of: when the log goes on in a new file, and which
// closed files are kept.
#include "scribe_command.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "pgtime.h"

enum { kMinutesInHour = 60, kMinutesInDay = 24 * 60, kMinutesInWeek = 7 * 24 * 60, kMostMinutes = 100 * 366 * 24 * 60 };
enum { kLeastSize = 4, kMostArguments = 32 };  // in KiB, below which the command refuses it

static int rotation_size;  // KiB; 0: no limit
static int rotation_age;   // minutes; 0: never
static int keep_files;
static int keep_age;   // minutes
static int keep_size;  // KiB

static bool check_size(int* value, void** extra, GucSource source) {
  if (*value == 0 || *value >= kLeastSize) return true;
  GUC_check_errdetail("\"steno.rotation_size\" must be at least %d kB, or 0.", kLeastSize);
  return false;
}

static bool check_age(int* value, void** extra, GucSource source) {
  const int age = *value;
  if (age == 0 || age == kMinutesInDay || age == kMinutesInWeek) return true;
  if (age < kMinutesInHour && kMinutesInHour % age == 0) return true;
  if (age % kMinutesInHour == 0 && kMinutesInDay % age == 0) return true;
  GUC_check_errdetail(
      "Files begin at the same times of each hour, day or week: \"steno.rotation_age\" must divide an hour or a day "
      "(15min, 6h, 1d), or be 7d, or 0.");
  return false;
}

void steno_define_rotation_settings(void) {
  DefineCustomIntVariable("steno.rotation_size", "The log goes on in a new file when it has this size; 0: never.", NULL,
                          &rotation_size, 0, 0, INT_MAX, PGC_SIGHUP, GUC_UNIT_KB, check_size, NULL, NULL);
  DefineCustomIntVariable("steno.rotation_age", "The log goes on in a new file after this time; 0: never.", NULL,
                          &rotation_age, 0, 0, kMinutesInWeek, PGC_SIGHUP, GUC_UNIT_MIN, check_age, NULL, NULL);
  DefineCustomIntVariable("steno.keep_files", "How many closed files of the log are kept; 0: all.", NULL, &keep_files,
                          0, 0, INT_MAX, PGC_SIGHUP, 0, NULL, NULL, NULL);
  DefineCustomIntVariable("steno.keep_age", "How long closed files of the log are kept; 0: without end.", NULL,
                          &keep_age, 0, 0, kMostMinutes, PGC_SIGHUP, GUC_UNIT_MIN, NULL, NULL, NULL);
  DefineCustomIntVariable("steno.keep_size", "How much closed files of the log may take; 0: without end.", NULL,
                          &keep_size, 0, 0, INT_MAX, PGC_SIGHUP, GUC_UNIT_KB, NULL, NULL, NULL);
}

static void put(ScribeCommand* command, const char* format, ...) pg_attribute_printf(2, 3);

static void put(ScribeCommand* command, const char* format, ...) {
  const size_t room = sizeof command->text - command->size;
  va_list arguments;
  int size;
  va_start(arguments, format);
  size = vsnprintf(command->text + command->size, room, format, arguments);
  va_end(arguments);
  if (size < 0 || (size_t)size >= room) ereport(ERROR, (errmsg("the scribe's command is too long")));
  command->size += (size_t)size + 1;
}

// Puts the age as `steno scribe --rotate-at` takes it.
static void put_age(ScribeCommand* command) {
  if (rotation_age == kMinutesInWeek) {
    put(command, "weekly");
  } else if (rotation_age == kMinutesInDay) {
    put(command, "daily");
  } else if (rotation_age % kMinutesInHour == 0) {
    put(command, "every %dh", rotation_age / kMinutesInHour);
  } else {
    put(command, "every %dm", rotation_age);
  }
}

static void put_size(ScribeCommand* command, const char* option, int kib) {
  if (kib == 0) return;
  put(command, "%s", option);
  put(command, INT64_FORMAT, (int64)kib * 1024);
}

void steno_make_scribe_command(ScribeCommand* command, const char* path, const char* sinks, int lifeline) {
  command->size = 0;
  put(command, "%s", pg_get_timezone_name(log_timezone));  // as the server's own log is named and rotated
  put(command, "%s", steno_command);
  put(command, "scribe");
  put(command, "%s", path);
  put(command, "--lifeline");
  put(command, "%d", lifeline);
  put(command, "--local-time");
  if (sinks != NULL) {
    put(command, "--config");
    put(command, "%s", sinks);
  }
  put_size(command, "--rotate-size", rotation_size);
  if (rotation_age != 0) {
    put(command, "--rotate-at");
    put_age(command);
  }
  if (keep_files != 0) {
    put(command, "--keep");
    put(command, "%d", keep_files);
  }
  if (keep_age != 0) {
    put(command, "--keep-for");
    put(command, "%dm", keep_age);
  }
  put_size(command, "--keep-bytes", keep_size);
}

bool steno_is_same_command(const ScribeCommand* one, const ScribeCommand* other) {
  return one->size == other->size && memcmp(one->text, other->text, one->size) == 0;
}

void steno_execute_command(ScribeCommand* command) {
  char* arguments[kMostArguments + 1];
  int count = 0;
  for (size_t at = 0; at < command->size && count < kMostArguments; at += strlen(command->text + at) + 1) {
    arguments[count++] = command->text + at;
  }
  arguments[count] = NULL;
  (void)setenv("TZ", arguments[0], 1);
  (void)execvp(arguments[1], arguments + 1);
  _exit(127);
}

void steno_note_command(int lock, const ScribeCommand* command) {
  const pid_t self = getpid();
  if (ftruncate(lock, 0) != 0 || pwrite(lock, command->text, command->size, sizeof self) < 0 ||
      pwrite(lock, &self, sizeof self, 0) < 0) {
    return;  // whoever looks finds nobody
  }
}

// Numbers of processes are used again.
static bool runs_command(pid_t who, const ScribeCommand* command) {
  char path[64];
  char running[sizeof command->text];
  ssize_t size = -1;
  const size_t zone = strnlen(command->text, command->size) + 1;
  int file;
  snprintf(path, sizeof path, "/proc/%d/cmdline", (int)who);
  file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  size = read(file, running, sizeof running);
  close(file);
  return size > 0 && zone + (size_t)size == command->size && memcmp(running, command->text + zone, (size_t)size) == 0;
}

pid_t steno_noted_command(int lock, ScribeCommand* command) {
  pid_t who = 0;
  const ssize_t size = pread(lock, command->text, sizeof command->text, sizeof who);
  command->size = size > 0 ? (size_t)size : 0;
  if (pread(lock, &who, sizeof who, 0) != sizeof who || who <= 1 || !runs_command(who, command)) return 0;
  return who;
}
