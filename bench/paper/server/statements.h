// The statements of an instrumented server, as the paper's table 5 has them: 11 for a read and 33 for a write, each
// with one to three integers. The logger is a macro, LOG("format", arguments...), so that one list serves all.
#pragma once

#include <cstdint>

#include "logger.h"  // of examples/moving/store

namespace steno::bench {

struct Request {
  std::uint64_t id = 0;
  std::uint32_t client = 0;
  std::uint32_t write = 0;
  std::uint32_t key = 0;
  std::uint32_t bytes = 0;  // of the value to be written
};

struct Reply {
  std::uint64_t id = 0;
  std::uint32_t found = 0;
  std::uint32_t bytes = 0;
};

// A server calls it while it serves, and its store logs here.
class Statements : public store::Logger {
 public:
  virtual void begin_read(const Request& r) = 0;
  virtual void end_read(const Request& r, const Reply& reply) = 0;
  virtual void begin_write(const Request& r) = 0;
  virtual void end_write(const Request& r, const Reply& reply) = 0;
  virtual void flush() = 0;
};

// Each makes one: it logs nothing, or by steno, or by spdlog in either way. Session and logger end with the process.
Statements* no_statements();
Statements* steno_statements(const char* path);
Statements* spdlog_statements(const char* path);
Statements* spdlog_async_statements(const char* path);

}  // namespace steno::bench

// NOLINTBEGIN: lists of statements
#define BENCH_SERVER_BEGIN(LOG)                                 \
  LOG("request {} of client {} arrived", r.id, r.client);       \
  LOG("request {}: opcode {}, key {}", r.id, r.write, r.key);   \
  LOG("request {}: header of {} bytes", r.id, sizeof(Request)); \
  LOG("dispatch: {} to worker {}", r.id, r.client & 3);         \
  LOG("key {}: hash {}", r.key, r.key * 2'654'435'761u)

#define BENCH_SERVER_END(LOG)                                          \
  LOG("key {}: found {}", r.key, reply.found);                         \
  LOG("key {}: {} bytes", r.key, reply.bytes);                         \
  LOG("request {}: worker {} is done", r.id, r.client & 3);            \
  LOG("reply {}: {} bytes of header", r.id, sizeof(Reply));            \
  LOG("reply {}: {} bytes to client {}", r.id, reply.bytes, r.client); \
  LOG("request {}: served", r.id)

#define BENCH_SERVER_WRITE(LOG)                                            \
  LOG("write {}: {} bytes", r.id, r.bytes);                                \
  LOG("write {}: tablet {} is normal", r.id, r.key >> 8);                  \
  LOG("write {}: lock {}", r.id, r.key & 63);                              \
  LOG("write {}: object of {} bytes", r.id, r.bytes + 24);                 \
  LOG("write {}: segment {}, offset {}", r.id, r.id >> 16, r.id & 65'535); \
  LOG("segment {}: {} entries", r.id >> 16, r.id & 255);                   \
  LOG("write {}: checksum {}", r.id, r.key ^ r.bytes);                     \
  LOG("replica {}: queued, {} bytes", 1, r.bytes);                         \
  LOG("replica {}: queued, {} bytes", 2, r.bytes);                         \
  LOG("replica {}: queued, {} bytes", 3, r.bytes);                         \
  LOG("write {}: head of the log at {}", r.id, r.id * 64)

#define BENCH_SERVER_WRITTEN(LOG)                                   \
  LOG("replica {}: {} bytes sent", 1, r.bytes);                     \
  LOG("replica {}: {} bytes sent", 2, r.bytes);                     \
  LOG("replica {}: {} bytes sent", 3, r.bytes);                     \
  LOG("replica {}: acknowledged {}", 1, r.id);                      \
  LOG("replica {}: acknowledged {}", 2, r.id);                      \
  LOG("replica {}: acknowledged {}", 3, r.id);                      \
  LOG("write {}: version {} of key {}", r.id, r.id + 1, r.key);     \
  LOG("index: {} entries of bucket {}", r.key & 7, r.key >> 3);     \
  LOG("write {}: lock {} released", r.id, r.key & 63);              \
  LOG("cleaner: {} bytes dead in segment {}", r.bytes, r.id >> 17); \
  LOG("write {}: durable", r.id)
// NOLINTEND

// Defines the four functions of Statements.
#define BENCH_SERVER_STATEMENTS(LOG)                              \
  void begin_read(const Request& r) override {                    \
    BENCH_SERVER_BEGIN(LOG);                                      \
  }                                                               \
  void end_read(const Request& r, const Reply& reply) override {  \
    BENCH_SERVER_END(LOG);                                        \
  }                                                               \
  void begin_write(const Request& r) override {                   \
    BENCH_SERVER_BEGIN(LOG);                                      \
    BENCH_SERVER_WRITE(LOG);                                      \
  }                                                               \
  void end_write(const Request& r, const Reply& reply) override { \
    BENCH_SERVER_WRITTEN(LOG);                                    \
    BENCH_SERVER_END(LOG);                                        \
  }
