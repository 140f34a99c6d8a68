/* Serves made-up clients for a while, and logs what it does.
 *   server LOG */
#include "server.h"

#include <stdio.h>

struct server server = {LL_VERBOSE, NULL};

enum { kKeys = 16 };
static unsigned long hits[kKeys];

static void serve(int client, int key) {
  serverLog(LL_VERBOSE, "Accepted 127.0.0.1:%d", 40000 + client);
  hits[key % kKeys] += 1;
  serverLog(LL_DEBUG, "GET key:%02d for client %d", key, client);
  if (key >= kKeys) serverLog(LL_WARNING, "Client id=%d asked for key:%d, of %d", client, key, (int)kKeys);
  serverLog(LL_VERBOSE, "Client closed connection id=%d age=%.2f", client, client % 5 * 0.25);
}

static void everySecond(int second) {
  unsigned long all = 0;
  for (int key = 0; key < kKeys; ++key) all += hits[key];
  const int level = second % 4 == 0 ? LL_NOTICE : LL_VERBOSE;
  serverLog(level, "DB %d: %lu keys served (%d slots)", 0, all, (int)kKeys);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: server LOG\n");
    return 2;
  }
  server.logfile = argv[1];
  if (openLog() != 0) {
    perror(argv[1]);
    return 1;
  }
  serverLog(LL_NOTICE, "Server initialized");
  for (int second = 0; second < 8; ++second) {
    for (int client = 0; client < 20; ++client) serve(second * 20 + client, (client * 5 + second) % (kKeys + 1));
    everySecond(second);
  }
  serverLog(LL_WARNING, "User requested shutdown...");
  return 0;
}
