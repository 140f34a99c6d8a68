/* A server's own logging: levels, a verbosity, a macro that compares the two, and a function with a printf format, as
 * Redis has them. */
#pragma once

enum { LL_DEBUG, LL_VERBOSE, LL_NOTICE, LL_WARNING };

struct server {
  int verbosity; /* what is below it is not logged */
  const char* logfile;
};
extern struct server server;

/* The log goes to server.logfile from here on. 0, or -1 and errno. */
int openLog(void);

#define serverLog(level, ...)                                        \
  do {                                                               \
    if ((level) >= server.verbosity) logMessage(level, __VA_ARGS__); \
  } while (0)
__attribute__((format(printf, 2, 3))) void logMessage(int level, const char* format, ...);
