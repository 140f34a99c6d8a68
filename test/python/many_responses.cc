// many_responses COUNT FILE [odd|blocks]: a log of so many responses, for the tests of object stores and the benchmark.
// odd: with other statements, whose arguments have the names of columns, or the text of another one. blocks: with a
// block for each 20,000 records at most, however far the scribe is behind.
#include <steno/log.h>
#include <steno/session.h>
#include <steno/struct.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace many_responses {
struct Peer {
  int id;
  int port;
};
}  // namespace many_responses
STENO_STRUCT(many_responses::Peer, id, port)

namespace {

void log_odd_statements() {
  for (int id = 0; id < 3; ++id) {
    STENO_WARN("names {host} {level} {line} {message} {time} {time_2} {thread} {pid} {_path}", "a host", 40 + id, id,
               "a message", 1.5 + id, "a second time", 7 * id, "a pid", 100 + id);
    STENO_ERROR("connected to {peer}", (many_responses::Peer{id, 80}));
    STENO_INFO("late response {id} at {time_ns}", id, 100 - id);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4 || !steno::start(argv[2])) return 2;
  const char* const tenants[] = {"acme", "globex", "initech", "umbrella"};
  const long count = std::atol(argv[1]);
  const std::string_view also = argc == 4 ? argv[3] : "";
  std::uint64_t state = 1;
  for (long id = 0; id < count; ++id) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const std::uint64_t random = state >> 20;
    STENO_INFO("response {id} to {tenant}: {status}, {bytes} bytes in {us} us", id, tenants[random % 4],
               random % 200 == 0 ? 503 : 200, static_cast<std::uint32_t>(random >> 8 & 0xFFFFF),
               static_cast<std::uint32_t>(random >> 24 & 0xFFFF));
    if (id % 1000 == 999) STENO_WARN("no backend for {tenant}", tenants[random % 4]);
    if (also == "blocks" && id % 20'000 == 19'999 && !steno::flush().ok()) return 1;
  }
  if (also == "odd") log_odd_statements();
}
