// Logs 100,000 records from four threads, of numbers and strings, while levels change and the log is flushed.
#include <steno/log.h>
#include <steno/session.h>

#include <string>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  steno::Options options;
  options.path = argv[1];
  if (!steno::start(options)) return 1;
  const steno::Logger net = steno::logger("net");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, net] {
      for (int i = 0; i < 6250; ++i) {
        STENO_INFO("tick {n} of {total} in {thread}", i, 6250, t);
        STENO_INFO("{price:.2f} for {who}", i * 0.25, "client " + std::to_string(i % 100));
        STENO_INFOF("took %.3f ms, %d retries, %s", i / 8.0, i & 3, "done");
        STENO_LOG_TO(net, WARN, "size {}", static_cast<unsigned long>(i) << 20);
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    steno::set_level(i % 2 == 0 ? steno::Level::kTrace : steno::Level::kInfo);
    if (i % 5 == 0 && !steno::flush().ok()) return 1;
  }
  for (std::thread& thread : threads) thread.join();
  steno::stop();
}
