// The paper's table 5: a server that is instrumented far more than usual, with 11 statements a read and 33 a write: how
// many requests of 16 clients it serves, and how long one client waits.
//
// The server is the store of examples/moving behind sockets, with one thread on the first CPU; the clients have the
// second one, and so have loggers' threads. Both sides poll, as the paper's network did: nobody sleeps.
//
//   table5 [--requests N] [--rounds N] ...      defaults: 200,000, the best of 5 rounds
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "common/harness.h"
#include "paper/server/statements.h"
#include "query/commands.h"
#include "query/tables.h"
#include "store.h"  // of examples/moving/store

namespace steno::bench {
namespace {

constexpr std::uint32_t kKeys = 1'500;
constexpr std::uint32_t kMostBytes = 50;
constexpr unsigned kClients = 16;

struct Way {
  const char* name;
  Statements* (*make)(const char* path);
};
const Way kWays[] = {{"no log", [](const char*) { return no_statements(); }},
                     {"steno", steno_statements},
#ifdef STENO_PEER_SPDLOG
                     {"spdlog sync", spdlog_statements},
                     {"spdlog async", spdlog_async_statements}
#endif
};

// Reads or writes take this for clients.
struct Seen {
  double thousand_per_second;  // by all clients
  double p50_us;               // by one
  double p90_us;
  double p99_us;
};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

std::string key_of(std::uint32_t key) {
  return "key" + std::to_string(key);
}

Reply serve(store::Store& store, Statements& statements, const Request& request) {
  Reply reply{request.id, 1, request.bytes};
  const std::string key = key_of(request.key);
  if (request.write != 0) {
    statements.begin_write(request);
    store.Put(key, std::string(request.bytes, 'v'));
    statements.end_write(request, reply);
  } else {
    statements.begin_read(request);
    std::string value;
    reply.found = store.Get(key, &value) ? 1 : 0;
    reply.bytes = static_cast<std::uint32_t>(value.size());
    statements.end_read(request, reply);
  }
  return reply;
}

// Serves until the clients are gone.
void serve_all(const std::vector<int>& sockets, const Way& way, const std::string& path) {
  Statements& statements = *way.make(path.c_str());
  pin(0);  // after the logger's thread has started: it keeps the CPU of the clients
  store::Store store(statements);
  for (std::uint32_t key = 0; key < kKeys; ++key) store.Put(key_of(key), std::string(key % kMostBytes, 'v'));
  for (;;) {
    for (const int socket : sockets) {
      Request request;
      const ssize_t size = ::recv(socket, &request, sizeof request, MSG_DONTWAIT);
      if (size == 0) return statements.flush();
      if (size != sizeof request) continue;
      const Reply reply = serve(store, statements, request);
      if (::send(socket, &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply) return statements.flush();
    }
  }
}

// Every client has one request on its way, until `requests` are answered, which are as many as clients at least.
// Returns the us that each waited.
std::vector<double> ask(const std::vector<int>& sockets, std::size_t requests, bool write) {
  std::vector<double> us;
  us.reserve(requests);
  std::vector<std::uint64_t> sent(sockets.size());
  std::uint64_t id = 0;
  const auto send_next = [&](std::size_t client) {
    const auto key = static_cast<std::uint32_t>(id * 7'919 % kKeys);
    const Request request{++id, static_cast<std::uint32_t>(client), write ? 1u : 0u, key, key % kMostBytes};
    sent[client] = ticks_now();
    if (::send(sockets[client], &request, sizeof request, MSG_NOSIGNAL) != sizeof request) fail("send");
  };
  for (std::size_t client = 0; client < sockets.size(); ++client) send_next(client);
  while (us.size() < requests) {
    for (std::size_t client = 0; client < sockets.size(); ++client) {
      Reply reply;
      if (::recv(sockets[client], &reply, sizeof reply, MSG_DONTWAIT) != sizeof reply) continue;
      us.push_back(static_cast<double>(ticks_now() - sent[client]) * ns_per_tick() / 1e3);
      if (id < requests) send_next(client);
    }
  }
  return us;
}

// Runs one server and its clients, each side in a process of its own.
Seen measure(const Way& way, const Flags& flags, unsigned clients, std::size_t requests, bool write) {
  std::vector<int> ours;
  std::vector<int> theirs;
  for (unsigned c = 0; c < clients; ++c) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) fail("socketpair");
    ours.push_back(ends[0]);
    theirs.push_back(ends[1]);
  }
  const std::string own = flags.directory + "/table5";
  std::filesystem::create_directories(own);
  pin(1);
  std::fflush(stdout);
  const pid_t server = ::fork();
  if (server == 0) {
    for (const int socket : ours) ::close(socket);
    serve_all(theirs, way, own + "/log");
    std::exit(0);
  }
  for (const int socket : theirs) ::close(socket);
  Seen seen{};
  ask(ours, std::max<std::size_t>(requests / 10, clients), write);  // until all is warm
  const double begin = seconds_now();
  std::vector<double> us = ask(ours, requests, write);
  seen.thousand_per_second = static_cast<double>(requests) / (seconds_now() - begin) / 1e3;
  std::sort(us.begin(), us.end());
  seen.p50_us = percentile(us, 0.5);
  seen.p90_us = percentile(us, 0.9);
  seen.p99_us = percentile(us, 0.99);
  for (const int socket : ours) ::close(socket);
  int status = 1;
  ::waitpid(server, &status, 0);
  if (status != 0) fail("the server");
  std::filesystem::remove_all(own);
  return seen;
}

std::vector<Suite> run(const Flags& flags, std::size_t requests, int rounds) {
  (void)ns_per_tick();  // measured once, here
  Suite suite{"paper_table5", "A store with 11 statements a read and 33 a write", "see the columns", false, {}, {}};
  Suite ratios{"paper_table5_ratios", "The same / no log", "ratios", false, {}, {}};
  struct Best {
    Seen of[2] = {};  // reads, writes
  };
  std::vector<Best> best(std::size(kWays));
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t w = 0; w < std::size(kWays); ++w) {
      for (const bool write : {false, true}) {
        const Seen many = measure(kWays[w], flags, kClients, requests, write);
        const Seen one = measure(kWays[w], flags, 1, requests, write);
        Seen& b = best[w].of[write ? 1 : 0];
        const auto least = [&](double Seen::*p) { b.*p = round == 0 ? one.*p : std::min(b.*p, one.*p); };
        b.thousand_per_second = std::max(b.thousand_per_second, many.thousand_per_second);
        least(&Seen::p50_us);
        least(&Seen::p90_us);
        least(&Seen::p99_us);
      }
    }
  }
  const auto add = [&](std::size_t w, const std::string& column, double value, double without) {
    note(&suite, kWays[w].name, column, value);
    note(&ratios, kWays[w].name, column, value / without);
  };
  for (std::size_t w = 0; w < best.size(); ++w) {
    const char* const kinds[] = {"read", "write"};
    for (int k = 0; k < 2; ++k) {
      add(w, std::string(kinds[k]) + "s, kop/s", best[w].of[k].thousand_per_second, best[0].of[k].thousand_per_second);
    }
    for (int k = 0; k < 2; ++k) {
      const std::string kind = std::string("a ") + kinds[k];
      add(w, kind + ", p50, us", best[w].of[k].p50_us, best[0].of[k].p50_us);
      add(w, kind + ", p90, us", best[w].of[k].p90_us, best[0].of[k].p90_us);
      add(w, kind + ", p99, us", best[w].of[k].p99_us, best[0].of[k].p99_us);
    }
  }
  return {suite, ratios};
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  std::size_t requests = take_number(&argc, argv, "--requests", 200'000);
  auto rounds = static_cast<int>(take_number(&argc, argv, "--rounds", 5));
  const Flags flags = parse_flags(argc, argv);
  if (flags.smoke) {
    requests = 100;
    rounds = 1;
  }
  return finish(flags, run(flags, requests, rounds));
}
