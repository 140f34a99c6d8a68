// A server's log of requests, for docs/python.md: the same in each run, but for its times.
#include <steno/log.h>
#include <steno/session.h>

#include <cstdint>

int main() {
  if (!steno::start("app.steno")) return 1;
  const char* const tenants[] = {"acme", "globex", "initech"};
  std::uint32_t state = 1;
  for (int id = 0; id < 3000; ++id) {
    state = state * 1664525 + 1013904223;
    const char* const tenant = tenants[(state >> 16) % 3];
    const std::uint32_t us = 20 + (state >> 20) % 100 * (tenant == tenants[2] ? 2 : 1);
    const int status = (state >> 9) % 200 == 0 ? 503 : 200;
    STENO_INFO("response {id} to {tenant}: {status}, {bytes} bytes in {us} us", id, tenant, status,
               (state >> 12) % 5000, us);
    if (status != 200) STENO_WARN("no backend for {tenant}, request {id}", tenant, id);
  }
}
