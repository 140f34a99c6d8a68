// The same log from C: statements in both syntaxes, a logger, options, errors.
#include <stdio.h>
#include <steno/c.h>

struct request {
  const char* path;
  size_t path_size;
  unsigned status;
  double ms;
};

static void serve(steno_logger* network, const struct request* request) {
  STENO_LOG_TO(network, INFO, "GET {path} {status} in {ms:.1f} ms", steno_text(request->path, request->path_size),
               request->status, request->ms);
  if (request->status >= 500)
    STENO_WARNF("%u is no good: %.*s", request->status, (int)request->path_size, request->path);
}

int main(void) {
  steno_options options;
  steno_error error;
  STENO_OPTIONS(&options);
  options.level = STENO_LEVEL_DEBUG;
  if (steno_try_start("app.steno", &options, &error) != STENO_OK) {
    fprintf(stderr, "not logging: %s\n", error.text);
    return 1;
  }
  steno_logger* const network = steno_get_logger("network");
  const char text[] = "/index.html/data";
  const struct request requests[] = {{text, 11, 200, 1.25}, {text + 11, 5, 503, 30.0}};
  STENO_DEBUG("{count} requests", sizeof requests / sizeof requests[0]);
  for (size_t i = 0; i < sizeof requests / sizeof requests[0]; ++i) serve(network, &requests[i]);
  STENO_INFO("never stopped: the end of the process does that");
  return 0;
}
