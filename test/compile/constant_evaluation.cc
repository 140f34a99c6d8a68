// Statements in constexpr functions: evaluated by the compiler they log nothing; else they are what they are elsewhere.
#include <steno/log.h>

inline steno::Logger net;

constexpr int checked(int n) {
  STENO_INFO("n is {}", n);
  STENO_INFOF("n is %d", n);
  STENO_LOG_TO(net, WARN, "n is {}", n);
  STENO_LOGF_TO(net, WARN, "n is %d", n);
  if (n < 0)
    STENO_ERROR("negative");
  else
    STENO_DEBUG("fine");
  return 2 * n;
}
static_assert(checked(21) == 42);

template <class T>
constexpr T twice(T n) {
  STENO_TRACE("twice {n}", n);
  return n + n;
}
static_assert(twice(3) == 6);

class Number {
 public:
  explicit constexpr Number(int n) : n_(n) { STENO_DEBUG("made {}", n); }
  constexpr int get() const {
    STENO_DEBUG("asked {}", n_);
    return n_;
  }

 private:
  int n_;
};
constexpr Number kNumber(7);
static_assert(kNumber.get() == 7);

inline constexpr auto kLambda = [](int n) {
  STENO_NOTICE("lambda {}", n);
  return n;
};
static_assert(kLambda(5) == 5);

int at_run_time(int n) {
  return checked(n) + twice(n) + Number(n).get() + kLambda(n);
}
