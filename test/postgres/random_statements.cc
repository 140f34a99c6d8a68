// Writes a log as one of the extension is: random statements, in two sessions.
//   random_statements PATH SEED RECORDS
#include <steno/context.h>
#include <steno/log.h>
#include <steno/session.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

void log_statement() {
  static const char* const kCommands[] = {"SELECT", "UPDATE", "INSERT", "CREATE TABLE"};
  const std::uint64_t query = below(below(2) == 0 ? 3 : 120);
  const std::string command = kCommands[query % 4];
  const auto query_id = static_cast<std::int64_t>(query * 0x9E3779B97F4A7C15u);
  const std::uint64_t rows = below(8) == 0 ? random_bits() >> 8 : below(3);
  const std::uint64_t planning = below(2) * random_bits() >> 40;
  const std::string sqlstate = below(20) == 0 ? "22012" : "00000";
  const auto blocks = [] { return static_cast<std::uint32_t>(below(4) == 0 ? random_bits() : below(2)); };
  const std::uint64_t wal = below(3) == 0 ? random_bits() >> 30 : 0;
  const std::uint64_t jit = 0;
  const std::int64_t plan = 0;
  const std::uint32_t xid = 0;
  const auto nesting = static_cast<std::uint16_t>(below(5) == 0);
  const std::string none;
  if (below(2) == 0) {
    STENO_INFO(STATEMENT(""), command, query_id, rows, random_duration(), planning, sqlstate, blocks(), blocks(),
               blocks(), blocks(), blocks(), blocks(), blocks(), blocks(), blocks(), blocks(), wal, jit, plan, xid,
               nesting, none, none);
  } else {
    STENO_INFO(STATEMENT("{p1}"), command, query_id, rows, random_duration(), planning, sqlstate, blocks(), blocks(),
               blocks(), blocks(), blocks(), blocks(), blocks(), blocks(), blocks(), blocks(), wal, jit, plan, xid,
               nesting, static_cast<std::int32_t>(below(100)), none, none);
  }
}

// Of a server that has few users or many; some are the same where a database has no such letters. Now and then a record
// lacks what all others have.
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
    for (std::uint64_t n = 1 + below(has_many ? 3 : 200); n > 0 && i < records; --n, ++i) log_statement();
    if (below(10) == 0) STENO_INFO("another statement {duration}", i);
    for (int field = 5; field-- > 0;) fields[field].reset();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("random_statements PATH SEED RECORDS\n", stderr);
    return 2;
  }
  random_bits.seed(std::strtoull(argv[2], nullptr, 10));
  const std::uint64_t records = std::strtoull(argv[3], nullptr, 10);
  for (int session = 0; session < 2; ++session) {
    if (!steno::start(argv[1])) return 1;
    log_session(records / 2);
    steno::stop();
  }
}
