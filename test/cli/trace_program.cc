// trace_program FILE SEED: logs spans within spans, other records and numbers in three threads of known names, pairs of
// records, and ends within two spans of one thread, which so have no end.
#include <steno/log.h>
#include <steno/session.h>
#include <steno/span.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

void work(std::mt19937& random, int depth) {
  STENO_SPAN("step {depth} of \"{name}\"", depth, random() % 2 == 0 ? "left" : "right\n");
  const int parts = static_cast<int>(random() % 3);
  for (int i = 0; i < parts; ++i) {
    STENO_INFO("queue has {size}", static_cast<int>(random() % 1000) - 500);
    if (depth < 5) work(random, depth + 1);
  }
  if (random() % 4 == 0) STENO_WARN("load is {load}", static_cast<double>(random() % 1000) / 8);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || !steno::start(argv[1])) return 2;
  const auto seed = static_cast<unsigned>(std::atoi(argv[2]));
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t) {
    threads.emplace_back([seed, t] {
      steno::set_thread_name("worker " + std::to_string(t));
      std::mt19937 random(seed * 16 + t);
      for (int id = 0; id < 20; ++id) {
        STENO_INFO("order {id} sent by {sender}", id, t);
        work(random, 0);
        if (id % 7 != 3) STENO_INFO("order {id} acked for {sender}", id, t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  STENO_SPAN("outer");
  { STENO_SPAN("whole"); }
  STENO_SPAN_AT(DEBUG, "not logged");
  STENO_SPAN("inner {n}", 1);
  STENO_INFO("the last words");
  (void)steno::flush();
  ::_exit(0);
}
