#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "server.h"

int openLog(void) {
  FILE* file = fopen(server.logfile, "a");
  return file != NULL && fclose(file) == 0 ? 0 : -1;
}

/* The file is opened for each message, so that it may be renamed at any time. */
void logMessage(int level, const char* format, ...) {
  FILE* file = fopen(server.logfile, "a");
  if (file == NULL) return;
  struct timeval now;
  struct tm day;
  char text[64], message[1024];
  gettimeofday(&now, NULL);
  localtime_r(&now.tv_sec, &day);
  strftime(text, sizeof text, "%d %b %Y %H:%M:%S.", &day);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  fprintf(file, "%d:M %s%03d %c %s\n", (int)getpid(), text, (int)now.tv_usec / 1000, ".-*#"[level], message);
  fclose(file);
}
