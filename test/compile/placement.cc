// Statements work wherever a statement of C++ may stand, and without a warning.
#include <steno/check.h>
#include <steno/log.h>
#include <steno/span.h>

#include <string>
#include <string_view>
#include <utility>

// An unbraced if must not take the else of the macro, nor give up its own.
int branches(int x) {
  if (x > 0)
    STENO_INFO("positive: {}", x);
  else
    STENO_INFO("not positive: {}", x);
  for (int i = 0; i < x; ++i) STENO_INFOF("%d", i);
  while (x-- > 10) STENO_DEBUG("x is {}", x);
  if (x < 100)
    STENO_CHECK(x < 100);
  else
    STENO_CHECKF(x > 99 && "it is", "%d", x);
  STENO_DCHECK((std::pair<int, int>(1, 2).first == 1), "{}: {}", x, "a message");
  do STENO_DEBUG("once");
  while (false);
  switch (x) {
    case 1:
      STENO_INFO("one");
      break;
    case 2:
      STENO_INFO("two");
      [[fallthrough]];
    default:
      STENO_INFO("many");
  }
  return x;
}

// clang-format off
// Two statements of one line are two sites.
void one_line() { STENO_INFO("first"); STENO_INFO("second {}", 2); STENO_INFOF("third %d", 3); }
// clang-format on

// Inline functions and templates: one site an instantiation at most, one definition in the program.
inline int inlined(int x) {
  STENO_INFO("inlined {}", x);
  return x;
}

template <class T>
T in_template(T value) {
  STENO_INFO("a value of a template: {}", value);
  STENO_INFOF("its size: %zu", sizeof(T));
  if (!STENO_TRY_INFO("{}", value)) return T();
  STENO_SPAN("in a template {}", value);
  return value;
}

template <class... Ts>
void in_pack(Ts... values) {
  ([&] { STENO_INFO("{}", values); }(), ...);
}

struct Base {
  Base() {
    STENO_SPAN("constructs {}", this->operator()(1));
    STENO_INFO("constructed");
  }
  virtual ~Base() { STENO_INFO("destroyed"); }
  int operator()(int x) const noexcept {
    STENO_INFO("called with {}", x);
    return x;
  }
};

auto lambdas() {
  auto plain = [] {
    STENO_SPAN_AT(DEBUG, "no capture");
    STENO_INFO("no capture");
  };
  auto generic = [](auto x) { STENO_INFO("generic {}", x); };
  plain();
  generic(1);
  generic(2.5);
  return [n = 3](int x) mutable { STENO_INFO("{} of {}", x, ++n); };
}

extern "C" void c_linkage(const char* text) {
  STENO_INFO("from C: {}", text);
}

static int at_initialisation = inlined(1);

// A variable that is used only in a log statement counts as used.
void used(int parameter) {
  int only_logged = parameter * 2;
  STENO_TRACE("{}", only_logged);
}

// Arguments with commas, temporaries, bit-fields, volatile, const, moved, references.
struct Packed {
  unsigned a : 3;
  unsigned b : 5;
};

int logs_too(int x) {
  STENO_DEBUG("inside an argument: {}", x);
  return x;
}

void arguments() {
  Packed packed{1, 2};
  volatile int v = 3;
  const std::string text = "text";
  std::string gone = "gone";
  const char array[] = "array";
  char buffer[8] = "buffer";
  const char* null = nullptr;
  int local = 1;
  int& reference = local;
  STENO_INFO("{} {}", std::pair<int, int>{1, 2}.first, (used(1), 2));
  STENO_INFO("{} {} {}", packed.a, packed.b, v);
  STENO_INFO("{} {} {} {}", text, std::string("temporary"), std::string_view(text), std::move(gone));
  STENO_INFO("{} {} {}", array, buffer, null);
  STENO_INFO("{} {} {}", reference, local++, [] { return 1; }());
  STENO_INFO("{}", logs_too(1));
  STENO_INFOF("%u %u %d", packed.a, packed.b, v);
  STENO_INFOF("%s %s %s", text.c_str(), array, buffer);
}

// A statement in an argument of a statement: its names shadow the outer ones, which is all that a compiler may say.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
void nested() {
  STENO_INFO("{}", [] {
    STENO_INFO("inside");
    return 2;
  }());
}
#pragma GCC diagnostic pop

int main() {
  nested();
  one_line();
  in_template(1);
  in_template('c');
  in_pack(1, 2.5, "three");
  Base()(1);
  lambdas()(1);
  c_linkage("x");
  arguments();
  used(1);
  return branches(at_initialisation);
}
