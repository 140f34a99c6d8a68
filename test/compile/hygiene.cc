// The macros work among names that programs have: macros called like the levels, variables called like anything.
#define TRACE 1
#define DEBUG 1
#define INFO "info"
#define NOTICE (-1)
#define WARN
#define WARNING 3
#define ERROR 0
#define CRITICAL !
#define FATAL 5
#define LOG(...) not_steno(__VA_ARGS__)
#define VERSION "1.0"
#define OK 0

#include <steno/log.h>
#include <steno/span.h>

namespace user {

// Decoys of the library's names, nearer than the library's.
namespace steno {
struct detail {};
enum class Level { kInfo };
void log(int);
}  // namespace steno
namespace std {
struct string_view {};
struct uint64_t {};
}  // namespace std
}  // namespace user

#define likely(x) likely_is_mine
#define unlikely(x) unlikely_is_mine
#define min(a, b) min_is_mine
#define max(a, b) max_is_mine
#define check(x) check_is_mine
#define assert(x) assert_is_mine
#define CONCAT(a, b) concat_is_mine
#define STRINGIFY(a) stringify_is_mine
#define UNUSED(a) unused_is_mine
#define format(...) format_is_mine
#define log(...) log_is_mine

namespace user {

struct Site {};
struct Record {};

// Every name a macro might declare or use inside, as a variable here; -Wshadow would tell.
int names() {
  int site = 1, s = 2, w = 3, p = 4, n = 5, args = 6, arg = 7, level = 8, logger = 9, record = 10, ring = 11, word = 12;
  int fmt = 13, line = 14, file = 15, function = 16, clock = 17, size = 18, cursor = 19, thread = 20, t = 21, self = 22;
  int a = 23, b = 24, i = 25, id = 26, state = 27, tag = 28, meta = 29, types = 30, value = 31, values = 32,
      session = 33;
  STENO_INFO("{} {} {} {} {} {} {} {}", site, s, w, p, n, args, arg, level);
  STENO_INFO("{} {} {} {} {} {} {} {}", logger, record, ring, word, fmt, line, file, function);
  STENO_INFO("{} {} {} {} {} {} {} {}", clock, size, cursor, thread, t, self, a, b);
  STENO_INFO("{} {} {} {} {} {} {} {}", i, id, state, tag, meta, types, value, values);
  STENO_INFOF("%d %d %d %d %d %d %d %d", site, s, w, p, n, args, arg, level);
  STENO_INFOF("%d %d %d %d %d %d %d %d", logger, record, ring, word, fmt, line, file, function);
  STENO_INFOF("%d %d %d %d %d %d %d %d", clock, size, cursor, thread, t, self, a, b);
  STENO_INFOF("%d %d %d %d %d %d %d %d", i, id, state, tag, meta, types, value, values);
  STENO_SPAN("{} {} {} {} {}", site, word, level, clock, state);
  STENO_SPAN_TO(::steno::Logger(), INFO, "{} {} {}", record, logger, session);
  return session;
}

// Levels are pasted, not expanded.
void levels() {
  STENO_LOG(TRACE, "{}", 0);
  STENO_LOG(DEBUG, "{}", 1);
  STENO_LOG(INFO, "{}", 2);
  STENO_LOG(NOTICE, "{}", 3);
  STENO_LOG(WARN, "{}", 4);
  STENO_LOG(ERROR, "{}", 5);
  STENO_LOG(CRITICAL, "{}", 6);
  STENO_TRACE("{}", 0);
  STENO_DEBUG("{}", 1);
  STENO_INFO("{}", 2);
  STENO_NOTICE("{}", 3);
  STENO_WARN("{}", 4);
  STENO_ERROR("{}", 5);
  STENO_CRITICAL("{}", 6);
  STENO_LOGF(TRACE, "%d", 0);
  STENO_LOGF(DEBUG, "%d", 1);
  STENO_LOGF(INFO, "%d", 2);
  STENO_LOGF(NOTICE, "%d", 3);
  STENO_LOGF(WARN, "%d", 4);
  STENO_LOGF(ERROR, "%d", 5);
  STENO_LOGF(CRITICAL, "%d", 6);
  STENO_TRACEF("%d", 0);
  STENO_DEBUGF("%d", 1);
  STENO_INFOF("%d", 2);
  STENO_NOTICEF("%d", 3);
  STENO_WARNF("%d", 4);
  STENO_ERRORF("%d", 5);
  STENO_CRITICALF("%d", 6);
  bool good = STENO_TRY_TRACE("{}", 0) && STENO_TRY_DEBUG("{}", 1) && STENO_TRY_INFO("{}", 2) &&
              STENO_TRY_NOTICE("{}", 3) && STENO_TRY_WARN("{}", 4) && STENO_TRY_ERROR("{}", 5) &&
              STENO_TRY_CRITICAL("{}", 6);
  good = STENO_TRY_TRACEF("%d", 0) && STENO_TRY_DEBUGF("%d", 1) && STENO_TRY_INFOF("%d", 2) &&
         STENO_TRY_NOTICEF("%d", 3) && STENO_TRY_WARNF("%d", 4) && STENO_TRY_ERRORF("%d", 5) &&
         STENO_TRY_CRITICALF("%d", 6) && good;
  if (!good) STENO_LOG(ERROR, "{}", 5);
}

// A member function of a class whose members have those names too.
class Server {
 public:
  void serve(int request) {
    STENO_INFO("request {} of {}", request, steno_);
    STENO_INFOF("request %d of %d, %d", request, Level, detail);
  }

 private:
  int steno_ = 0;
  int Level = 0;
  int detail = 0;
};

}  // namespace user

int main() {
  user::levels();
  user::Server().serve(1);
  return user::names();
}
