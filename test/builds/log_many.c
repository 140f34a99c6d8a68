// Does in C what log_many.cc does: four threads log 100,000 records of numbers and strings, while levels change.
#include <pthread.h>
#include <steno/c.h>

static steno_logger* net;

static void* log_some(void* argument) {
  const int thread = *(const int*)argument;
  for (int i = 0; i < 6250; ++i) {
    STENO_INFO("tick {n} of {total} in {thread}", i, 6250, thread);
    STENO_INFO("{price:.2f} for {who}", i * 0.25, i % 2 == 0 ? "an even client" : "an odd client");
    STENO_INFOF("took %.3f ms, %d retries, %.*s", i / 8.0, i & 3, 4, "done!");
    STENO_LOG_TO(net, WARN, "size {}", (unsigned long)i << 20);
  }
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[4];
  int numbers[4];
  if (argc != 2 || steno_start(argv[1], NULL) != STENO_OK) return 1;
  net = steno_get_logger("net");
  for (int t = 0; t < 4; ++t) {
    numbers[t] = t;
    if (pthread_create(&threads[t], NULL, log_some, &numbers[t]) != 0) return 1;
  }
  for (int i = 0; i < 20; ++i) {
    steno_set_level(i % 2 == 0 ? STENO_LEVEL_TRACE : STENO_LEVEL_INFO);
    if (i % 5 == 0 && steno_flush(NULL) != STENO_OK) return 1;
  }
  for (int t = 0; t < 4; ++t) pthread_join(threads[t], NULL);
  steno_stop();
  return 0;
}
