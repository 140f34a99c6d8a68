#include "runtime/crash_handler.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/bytes.h"
#include "base/code_place.h"
#include "base/own_process.h"
#include "runtime/core.h"
#include "runtime/own_records.h"
#include "runtime/termination.h"
#include "runtime/thread_state.h"
#include "steno/detail/site.h"

namespace steno::runtime {
namespace {

constexpr int kCrashSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
constexpr std::size_t kCrashSignalCount = sizeof kCrashSignals / sizeof *kCrashSignals;
constexpr std::size_t kMostFrames = 64;
constexpr std::size_t kCrashStackBytes = std::size_t{1} << 16;
constexpr int kMostWaitMs = 1000;  // for another thread in the handler

struct sigaction handlers_before[kCrashSignalCount];
std::atomic<bool> crash_handler_begun{false};
std::atomic<bool> crash_handler_installed{false};

__thread sigjmp_buf* tls_way_back __attribute__((tls_model("initial-exec")));  // from a fault of our own
__thread void* tls_crash_stack __attribute__((tls_model("initial-exec")));

std::atomic<bool> crash_turn{false};   // somebody writes
std::atomic<int> crashing_threads{0};  // in the handler, and not done with writing

// The memory of the handler that writes; too large for a signal stack.
struct Writing {
  CodePlaces places;
  CodePlace frames[kMostFrames];
  std::size_t frame_count = 0;
  unsigned callbacks = 0;  // of the program's that have been called
  std::byte arguments[3 * 4096];
} writing;

// ---- The statements

constexpr Level kCrashLevel = Level::kCritical;

struct CrashSite {
  std::uint64_t word = 0;
  const char* format;
  const char* types;
  std::uint64_t enter() {
    const detail::SiteEntry entry = {.word = &word,
                                     .library = &writing,
                                     .format = format,
                                     .file = "steno",
                                     .function = "",
                                     .types = types,
                                     .line = 0,
                                     .size8 = 0,
                                     .level = kCrashLevel,
                                     .style = 0,
                                     .to_logger = false};
    return detail::register_site(entry);
  }
};
CrashSite site_of_signal = {.format = "crash: {signal}, {reason}, in {module}+{offset:#x}", .types = "SSSm"};
CrashSite site_of_fault = {.format = "crash: {signal}, {reason} at {address}, in {module}+{offset:#x}",
                           .types = "SSpSm"};
CrashSite site_of_frame = {.format = "crash frame {frame}: {module}+{offset:#x}", .types = "jSm"};

// The arguments of a record: numbers and lengths first, then texts.
class CrashArguments {
 public:
  template <class T>
  CrashArguments& put(T value) {
    store(writing.arguments + size_, value);
    size_ += sizeof value;
    return *this;
  }
  CrashArguments& put_text(std::string_view text) { return put(static_cast<std::uint32_t>(text.size())); }
  CrashArguments& payload(std::string_view text) {
    std::memcpy(writing.arguments + size_, text.data(), text.size());
    size_ += text.size();
    return *this;
  }
  void write(Core& core, Ring& ring, const CrashSite& site) const {
    // Regardless of rules: crash records were requested by an option of their own.
    const std::uint64_t word = site.word & ~(detail::kDisabledBit | detail::kOverridesLogger);
    (void)write_own(core, ring, word, writing.arguments, size_);
  }

 private:
  std::size_t size_ = 0;
};

template <class Visit>
void each_crash_ring(const Visit& visit) {
  for (std::uint32_t slot = 0; slot < kMaxSlots; ++slot) {
    Core* const core = is_own_process() ? core_at(slot) : nullptr;  // else they are the parent's
    Ring* const ring = core != nullptr ? core->crash_ring() : nullptr;
    if (ring != nullptr) visit(*core, *ring);
  }
}

// ---- What happened

struct Crash {
  int signal;
  const siginfo_t* info;
  ucontext_t* context;
};

std::string_view name_of_signal(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    case SIGTRAP:
      return "SIGTRAP";
    default:
      return "SIGABRT";
  }
}

// By an instruction of the thread's own; else somebody sent it.
bool is_of_instruction(const siginfo_t& info) {
  return info.si_code > 0;
}

// Other signals have the instruction's address. An x86 address that is not canonical comes without itself.
bool has_address(const Crash& crash) {
  return (crash.signal == SIGSEGV || crash.signal == SIGBUS) && is_of_instruction(*crash.info) &&
         crash.info->si_code != SI_KERNEL;
}

std::string_view reason_of_fault(int signal, int code) {
  if (signal == SIGSEGV) {
    if (code == SEGV_MAPERR) return "address not mapped";
    if (code == SEGV_ACCERR) return "access not permitted";
    if (code == SI_KERNEL) return "address not possible";
  } else if (signal == SIGBUS) {
    if (code == BUS_ADRALN) return "address not aligned";
    if (code == BUS_ADRERR) return "nonexistent physical address";
  } else if (signal == SIGFPE) {
    if (code == FPE_INTDIV) return "integer division by zero";
    if (code == FPE_INTOVF) return "integer overflow";
    return "floating-point exception";
  } else if (signal == SIGILL) {
    return "illegal instruction";
  } else if (signal == SIGTRAP) {
    if (code == TRAP_BRKPT || code == SI_KERNEL) return "trap instruction";
    return "trap";
  }
  return "fault";
}

// `room` for the number of a process.
std::string_view reason_of(const Crash& crash, char (&room)[48]) {
  const siginfo_t& info = *crash.info;
  if (is_of_instruction(info)) return reason_of_fault(crash.signal, info.si_code);
  if (info.si_pid == getpid()) return "raised by the process";
  constexpr std::string_view kSent = "sent by process ";
  std::memcpy(room, kSent.data(), kSent.size());
  char digits[12];
  std::size_t n = 0;
  for (auto pid = static_cast<unsigned>(info.si_pid); pid != 0 || n == 0; pid /= 10) {
    digits[n++] = static_cast<char>('0' + pid % 10);
  }
  std::reverse_copy(digits, digits + n, room + kSent.size());
  return {room, kSent.size() + n};
}

std::uint64_t interrupted_at(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
  return 0;
#endif
}

// Returns whether the thread would go on after the instruction that it was stopped by: x86 has passed a breakpoint
// (int3) when it reports it, and a step or a watched address on any machine is reported when all is done.
bool has_passed(const Crash& crash) {
#if defined(__x86_64__)
  return crash.signal == SIGTRAP;
#else
  return crash.signal == SIGTRAP && crash.info->si_code != TRAP_BRKPT;
#endif
}

// An address in the instruction that the crash is of.
std::uint64_t crashed_at(const Crash& crash) {
  const bool after = crash.signal == SIGTRAP && crash.info->si_code == SI_KERNEL;  // an int3, of one byte
  return interrupted_at(*crash.context) - (after ? 1 : 0);
}

// Whoever jumps to where no code is has called it: its caller is on top of the stack, and that is where unwinding can
// begin. Reads the stack.
void set_back_to_caller([[maybe_unused]] ucontext_t& context) {
#if defined(__x86_64__)
  auto& registers = context.uc_mcontext.gregs;
  std::memcpy(&registers[REG_RIP], reinterpret_cast<const void*>(registers[REG_RSP]), 8);
  registers[REG_RSP] += 8;
#elif defined(__aarch64__)
  context.uc_mcontext.pc = context.uc_mcontext.regs[30];
#endif
}

// ---- Faults of our own

void unblock_crash_signals() {
  sigset_t own;
  sigemptyset(&own);
  for (const int signal : kCrashSignals) sigaddset(&own, signal);
  pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
}

// Calls what may fault; false: it did. What it wrote must not be in the caller's frame.
__attribute__((noinline)) bool guarded(void (*what)(const Crash&), const Crash& crash) {
  sigjmp_buf here;
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  const bool whole = sigsetjmp(here, 0) == 0;
  if (whole) {
    tls_way_back = &here;
    unblock_crash_signals();
    what(crash);
  }
  tls_way_back = nullptr;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return whole;
}

// ---- The stack

_Unwind_Reason_Code take_frame(_Unwind_Context* frame, void* of) {
  auto* const crash = static_cast<const Crash*>(of);
  int exact = 0;
  const auto at = static_cast<std::uint64_t>(_Unwind_GetIPInfo(frame, &exact));
  const bool first = writing.frame_count == 0;
  if (first && at != interrupted_at(*crash->context)) return _URC_NO_REASON;  // our own
  if (at == 0 || writing.frame_count == kMostFrames) return _URC_END_OF_STACK;
  CodePlace& place = writing.frames[writing.frame_count++];
  place = {};
  // A frame knows the address after its call, which may belong to the next line or function.
  place.address = first ? crashed_at(*crash) : at - (exact == 0 ? 1 : 0);
  return _URC_NO_REASON;
}

void locate_frames(const Crash&) {
  writing.places.locate(writing.frames, writing.frame_count);
}

void find_frames(const Crash& crash) {
  writing.frame_count = 0;
  _Unwind_Backtrace(take_frame, const_cast<Crash*>(&crash));
}

void begin_at_caller(const Crash& crash) {
  set_back_to_caller(*crash.context);
}

// Where it happened, into the first frame.
void locate_crash(const Crash& crash) {
  writing.places.clear();
  writing.frame_count = 1;
  writing.frames[0] = {};
  writing.frames[0].address = writing.frames[0].offset = crashed_at(crash);
  if (!guarded(locate_frames, crash)) writing.places.close();
}

void write_signal(const Crash& crash) {
  char room[48];
  const std::string_view signal = name_of_signal(crash.signal);
  const std::string_view reason = reason_of(crash, room);
  const CodePlace& place = writing.frames[0];
  CrashArguments arguments;
  arguments.put_text(signal).put_text(reason);
  if (has_address(crash)) arguments.put(reinterpret_cast<std::uint64_t>(crash.info->si_addr));
  arguments.put_text(place.module).put(place.offset).payload(signal).payload(reason).payload(place.module);
  each_crash_ring([&](Core& core, Ring& ring) {
    (void)introduce_crashed_thread(core, ring);
    arguments.write(core, ring, has_address(crash) ? site_of_fault : site_of_signal);
    core.scribe_call().wake(true);
  });
}

void write_frames(const Crash& crash) {
  const CodePlace crashed = writing.frames[0];
  const mcontext_t before = crash.context->uc_mcontext;
  const bool moved = !crashed.executable && guarded(begin_at_caller, crash);
  const bool found = guarded(find_frames, crash);
  crash.context->uc_mcontext = before;
  if (!found && writing.frame_count == 0) return;
  if (moved && writing.frame_count != 0) --writing.frames[0].address;  // of a call, too
  if (!guarded(locate_frames, crash)) writing.places.close();
  std::uint32_t number = 0;
  const auto write = [&number](const CodePlace& place) {
    CrashArguments arguments;
    arguments.put(number++).put_text(place.module).put(place.offset).payload(place.module);
    each_crash_ring([&](Core& core, Ring& ring) { arguments.write(core, ring, site_of_frame); });
  };
  if (moved || writing.frame_count == 0) write(crashed);
  for (std::size_t i = 0; i < writing.frame_count; ++i) write(writing.frames[i]);
  each_crash_ring([](Core& core, Ring&) { core.scribe_call().wake(true); });
}

// ---- The handler

// Each in its own guard, so that a fault in one does not prevent the others.
void call_the_program(const Crash& crash) {
  for (writing.callbacks = 0; writing.callbacks < kMostTerminationCallbacks; ++writing.callbacks) {
    if (termination_callback(writing.callbacks).callback == nullptr) continue;
    (void)guarded(
        [](const Crash& how) {
          const WantedCall wanted = termination_callback(writing.callbacks);
          wanted.callback({how.signal, how.info->si_code, how.info->si_addr}, wanted.context);
        },
        crash);
  }
}

// Until `done`, or for as long as another thread may take.
template <class Done>
bool wait_until(const Done& done) {
  for (int ms = 0; ms < kMostWaitMs; ++ms) {
    if (done()) return true;
    const timespec a_ms = {0, 1'000'000};
    nanosleep(&a_ms, nullptr);
  }
  return done();
}

void record_crash(const Crash& crash) {
  crashing_threads.fetch_add(1);
  if (wait_until([] { return !crash_turn.exchange(true); })) {
    locate_crash(crash);
    write_signal(crash);
    write_frames(crash);
    call_the_program(crash);
    crash_turn.store(false);
  }
  crashing_threads.fetch_sub(1);
  // The process may end now, while other threads are at this too.
  wait_until([] { return crashing_threads.load() <= 0; });
}

struct sigaction& handler_before(int signal) {
  return handlers_before[std::find(kCrashSignals, kCrashSignals + kCrashSignalCount - 1, signal) - kCrashSignals];
}

// Does what would have happened without us.
void hand_on(const Crash& crash, siginfo_t* info) {
  struct sigaction& before = handler_before(crash.signal);
  const struct sigaction then = before;
  const bool has_handler =
      (then.sa_flags & SA_SIGINFO) != 0 || (then.sa_handler != SIG_DFL && then.sa_handler != SIG_IGN);
  if (has_handler) {
    if ((then.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
      before.sa_handler = SIG_DFL;
      before.sa_flags = 0;
    }
    sigset_t mask = crash.context->uc_sigmask;
    for (int signal = 1; signal < NSIG; ++signal) {
      if (sigismember(&then.sa_mask, signal) == 1) sigaddset(&mask, signal);
    }
    if ((then.sa_flags & SA_NODEFER) == 0) sigaddset(&mask, crash.signal);
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    if ((then.sa_flags & SA_SIGINFO) != 0) {
      then.sa_sigaction(crash.signal, info, crash.context);
    } else {
      then.sa_handler(crash.signal);
    }
    return;
  }
  if (then.sa_handler == SIG_IGN && !is_of_instruction(*info)) return;
  struct sigaction to_die = {};
  to_die.sa_handler = SIG_DFL;
  sigaction(crash.signal, &to_die, nullptr);
  // An instruction faults once more when we return. Anything else has to be sent again, and waits until then.
  const auto thread = static_cast<pid_t>(syscall(SYS_gettid));
  if (!is_of_instruction(*info)) {
    syscall(SYS_tgkill, getpid(), thread, crash.signal);
  } else if (has_passed(crash)) {
    siginfo_t again = *info;
    syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, crash.signal, &again);
  }
}

void on_crash(int signal, siginfo_t* info, void* context) {
  if (tls_way_back != nullptr) siglongjmp(*tls_way_back, 1);
  const int error = errno;
  const Crash crash = {signal, info, static_cast<ucontext_t*>(context)};
  const bool ignored = handler_before(signal).sa_handler == SIG_IGN && !is_of_instruction(*info);
  if (!tls_flags.crashing && !ignored) {
    tls_flags.crashing = true;
    record_crash(crash);
    tls_flags.crashing = false;
  }
  errno = error;
  hand_on(crash, info);
}

_Unwind_Reason_Code end_at_once(_Unwind_Context*, void*) {
  return _URC_END_OF_STACK;
}

}  // namespace

void take_crash_stack() {
  if (!crash_handler_installed.load(std::memory_order_acquire) || tls_crash_stack != nullptr) return;
  stack_t now = {};
  if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
  const long page = sysconf(_SC_PAGESIZE);
  const std::size_t size = kCrashStackBytes + static_cast<std::size_t>(page);
  void* const room = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (room == MAP_FAILED) return;
  mprotect(room, static_cast<std::size_t>(page), PROT_NONE);
  stack_t ours = {};
  ours.ss_sp = static_cast<char*>(room) + page;
  ours.ss_size = kCrashStackBytes;
  if (sigaltstack(&ours, nullptr) != 0) {
    munmap(room, size);
    return;
  }
  tls_crash_stack = room;
}

void leave_crash_stack() {
  if (tls_crash_stack == nullptr) return;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  stack_t now = {};
  if (sigaltstack(nullptr, &now) != 0) return;
  if (now.ss_sp == static_cast<char*>(tls_crash_stack) + page) {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    if (sigaltstack(&none, nullptr) != 0) return;  // we are on it
  }
  munmap(tls_crash_stack, kCrashStackBytes + page);
  tls_crash_stack = nullptr;
}

void forget_crashes() {
  // The fork happened while another thread was installing the handlers: start again; for some signals this is the
  // second time.
  if (!crash_handler_installed.load(std::memory_order_acquire)) crash_handler_begun.store(false);
  crash_turn.store(false);
  crashing_threads.store(0);
}

// Not by a static object of this function: the child of a fork that came meanwhile would wait for it for ever.
void install_crash_handler() {
  if (!crash_handler_begun.exchange(true)) {
    for (CrashSite* site : {&site_of_signal, &site_of_fault, &site_of_frame}) (void)site->enter();
    // The first time it loads libraries and allocates.
    _Unwind_Backtrace(end_at_once, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    for (std::size_t i = 0; i < kCrashSignalCount; ++i) {
      struct sigaction now = {};
      sigaction(kCrashSignals[i], nullptr, &now);
      if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_crash) continue;
      handlers_before[i] = now;
      sigaction(kCrashSignals[i], &action, nullptr);
    }
    crash_handler_installed.store(true, std::memory_order_release);
  }
  take_crash_stack();
}

}  // namespace steno::runtime
