// many_responses COUNT FILE: a log of so many responses, for the tests of object stores and the benchmark.
#include <steno/log.h>
#include <steno/session.h>

#include <cstdint>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc != 3 || !steno::start(argv[2])) return 2;
  const char* const tenants[] = {"acme", "globex", "initech", "umbrella"};
  const long count = std::atol(argv[1]);
  std::uint64_t state = 1;
  for (long id = 0; id < count; ++id) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const std::uint64_t random = state >> 20;
    STENO_INFO("response {id} to {tenant}: {status}, {bytes} bytes in {us} us", id, tenants[random % 4],
               random % 200 == 0 ? 503 : 200, static_cast<std::uint32_t>(random >> 8 & 0xFFFFF),
               static_cast<std::uint32_t>(random >> 24 & 0xFFFF));
    if (id % 1000 == 999) STENO_WARN("no backend for {tenant}", tenants[random % 4]);
  }
}
