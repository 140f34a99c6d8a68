// Writes a log as one of the extension is: random statements, in two sessions.
//   random_statements PATH SEED RECORDS
//   random_statements PATH SEED groups     groups of exactly 1, 256 and 257 statements
//   random_statements PATH SEED types N    with a column of another type, the Nth of kOtherTypes
#include <steno/context.h>
#include <steno/log.h>
#include <steno/session.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>

// postgres/statement_record.c
#define STATEMENT(PARAMETERS)                                                                                   \
  "{command} {query_id}: {rows} rows in {duration} ns, planned in {planning} ns, SQLSTATE {sqlstate}, blocks: " \
  "shared {shared_hit} hit {shared_read} read {shared_dirtied} dirtied {shared_written} written, local "        \
  "{local_hit} hit {local_read} read {local_dirtied} dirtied {local_written} written, temp {temp_read} read "   \
  "{temp_written} written; WAL {wal_bytes} bytes, JIT {jit} ns, plan {plan_id}, xid {xid}, nesting {nesting}, " \
  "parameters (" PARAMETERS "{parameters}) {text}"

namespace {

std::mt19937_64 random_bits;

std::uint64_t below(std::uint64_t n) {
  return random_bits() % n;
}

// Short ones mostly; some that are equal, some beyond 2^32 ns, and some that SQL has as negative.
std::uint64_t random_duration() {
  switch (below(16)) {
    case 0:
      return below(4);
    case 1:
      return (std::uint64_t{1} << 32) - 2 + below(4);
    case 2:
      return random_bits() >> below(64);
    default:
      return below(std::uint64_t{1} << (8 + below(20)));
  }
}

void log_statement(std::uint64_t query, std::uint64_t duration) {
  static const char* const kCommands[] = {"SELECT", "UPDATE", "INSERT", "CREATE TABLE"};
  const std::string command = kCommands[query % 4];
  const auto query_id = static_cast<std::int64_t>(query * 0x9E3779B97F4A7C15u);
  const std::uint64_t rows = below(8) == 0 ? random_bits() >> 8 : below(3);
  const std::uint64_t planning = below(2) * random_bits() >> 40;
  const std::string sqlstate = below(20) == 0 ? "22012" : "00000";
  std::uint32_t blocks[10];
  for (std::uint32_t& count : blocks) count = static_cast<std::uint32_t>(below(4) == 0 ? random_bits() : below(2));
  const std::uint64_t wal = below(3) == 0 ? random_bits() >> 30 : 0;
  const std::uint64_t jit = 0;
  const std::int64_t plan = 0;
  const std::uint32_t xid = 0;
  const auto nesting = static_cast<std::uint16_t>(below(5) == 0);
  const std::string none;
  if (below(2) == 0) {
    STENO_INFO(STATEMENT(""), command, query_id, rows, duration, planning, sqlstate, blocks[0], blocks[1], blocks[2],
               blocks[3], blocks[4], blocks[5], blocks[6], blocks[7], blocks[8], blocks[9], wal, jit, plan, xid,
               nesting, none, none);
  } else {
    const auto parameter = static_cast<std::int32_t>(below(100));
    STENO_INFO(STATEMENT("{p1}"), command, query_id, rows, duration, planning, sqlstate, blocks[0], blocks[1],
               blocks[2], blocks[3], blocks[4], blocks[5], blocks[6], blocks[7], blocks[8], blocks[9], wal, jit, plan,
               xid, nesting, parameter, none, none);
  }
}

void log_random_statement() {
  const std::uint64_t query = below(below(2) == 0 ? 3 : 120);
  const std::uint64_t duration = random_duration();
  log_statement(query, duration);
}

// Logs groups of as many durations as ranks are found for in another way (postgres/ranked_values.c). They differ much,
// at 2^32, not at all, or in their lowest bits.
void log_groups() {
  std::uint64_t query = 0;
  for (const int count : {1, 256, 257}) {
    for (int kind = 0; kind < 5; ++kind, ++query) {
      for (int i = 0; i < count; ++i) {
        const std::uint64_t kinds[] = {random_bits() >> 32, (std::uint64_t{1} << 32) - 2 + below(4), 7,
                                       std::uint64_t{1} << 32, 1000 + below(300)};
        log_statement(query, kinds[kind]);
      }
    }
  }
}

template <class Command, class Query, class Duration, class State>
void log_typed(const Command& command, const Query& query_id, const Duration& duration, const State& sqlstate) {
  STENO_INFO("{command} {query_id}: {rows} rows in {duration} ns, SQLSTATE {sqlstate}, nesting {nesting}", command,
             query_id, 1, duration, sqlstate, 0);
}

// Types that these fields may have in a file that the extension has not written.
const char* const kOtherTypes[] = {"command", "query_id", "duration", "sqlstate", "user", "application"};

void log_other_types(int which) {
  const std::string text = "text";
  std::optional<steno::ScopedContext> field;
  if (which == 4 || which == 5) field.emplace(kOtherTypes[which], 1);
  for (int i = 0; i < 3; ++i) {
    switch (which) {
      case 0:
        log_typed(1, 1, 1, text);
        break;
      case 1:
        log_typed(text, text, 1, text);
        break;
      case 2:
        log_typed(text, 1, 1.5, text);
        break;
      case 3:
        log_typed(text, 1, 1, 0);
        break;
      default:
        log_typed(text, 1, 1, text);
        break;
    }
  }
}

// Logs statements of a server that has few users or many; some names are equal where a database lacks such letters. Now
// and then a record lacks what all others have.
void log_session(std::uint64_t records) {
  static const char* const kUsers[] = {"app", "web", "Łukasz", "Şukasz", ""};
  const bool has_many = below(2) == 0;
  for (std::uint64_t i = 0; i < records;) {
    const std::string user = has_many ? "user" + std::to_string(below(1000)) : kUsers[below(5)];
    const std::string application = below(2) == 0 ? "psql" : "batch " + std::to_string(below(3));
    const bool is_alone = below(20) == 0;
    std::optional<steno::ScopedContext> fields[5];
    if (!is_alone) {
      fields[0].emplace("backend_type", "client backend");
      fields[1].emplace("user", user);
      fields[2].emplace("database", below(3) == 0 ? "other" : "main");
      fields[3].emplace("client", below(2) == 0 ? "10.0.0.1" : "");
      fields[4].emplace("application", application);
    }
    for (std::uint64_t n = 1 + below(has_many ? 3 : 200); n > 0 && i < records; --n, ++i) log_random_statement();
    if (below(10) == 0) STENO_INFO("another statement {duration}", i);
    for (int field = 5; field-- > 0;) fields[field].reset();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool has_types = argc == 5 && std::strcmp(argv[3], "types") == 0;
  if (argc != 4 && !has_types) {
    std::fputs("random_statements PATH SEED RECORDS|groups|types N\n", stderr);
    return 2;
  }
  random_bits.seed(std::strtoull(argv[2], nullptr, 10));
  if (has_types || std::strcmp(argv[3], "groups") == 0) {
    if (!steno::start(argv[1])) return 1;
    if (has_types) {
      log_other_types(std::atoi(argv[4]));
    } else {
      log_groups();
    }
    steno::stop();
    return 0;
  }
  const std::uint64_t records = std::strtoull(argv[3], nullptr, 10);
  for (int session = 0; session < 2; ++session) {
    if (!steno::start(argv[1])) return 1;
    log_session(records / 2);
    steno::stop();
  }
}
