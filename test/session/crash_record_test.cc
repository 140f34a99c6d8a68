// Options::crash_record: what the log says of a process that dies of a fault, by processes that do.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <steno/context.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <thread>

#include "crash_record_test.h"

namespace steno_test {
namespace {

using steno::Level;

void (*volatile no_function)() = nullptr;

__attribute__((noinline)) void call_nothing() {
  no_function();
  zero = 0;  // so that the call is no jump
}
__attribute__((noinline)) std::size_t recurse(const char* from) {
  volatile char room[4096];
  room[0] = from[0];
  if (zero != 0) return 0;
  const char byte = room[0];
  return 1 + recurse(&byte) + static_cast<std::size_t>(room[0]);
}

// Returns whether a frame's text names code of `function`, a few bytes after its begin. The child was a copy of this
// process.
bool is_in(const std::string& frame, void (*function)()) {
  Dl_info info = {};
  const std::size_t plus = frame.rfind("+0x");
  if (plus == std::string::npos || dladdr(reinterpret_cast<void*>(function), &info) == 0) return false;
  std::uint64_t offset = 0;
  std::from_chars(frame.data() + plus + 3, frame.data() + frame.size(), offset, 16);
  const std::uint64_t begin =
      reinterpret_cast<std::uint64_t>(function) - reinterpret_cast<std::uint64_t>(info.dli_fbase);
  return offset >= begin && offset < begin + 200;
}

TEST_F(CrashRecordTest, SaysWhatHappenedAndWhere) {
  expect_death([] { write_nowhere(); }, SIGSEGV, "crash: SIGSEGV, address not mapped at 0x10");
  ASSERT_FALSE(frames().empty());
  const auto first = frames().front();
  EXPECT_TRUE(is_in(first, write_nowhere)) << first;
  EXPECT_EQ(first.substr(0, 16), "crash frame 0: /");
  EXPECT_GT(frames().size(), 3u);
  const std::string place = first.substr(first.find('/'));
  const std::string record = messages_with("crash: ")[0];
  EXPECT_EQ(record.substr(record.find('/')), place);
  for (const Row& row : log_.rows) {
    if (row.message.rfind("crash", 0) == 0) {
      EXPECT_EQ(row.level, Level::kCritical);
      EXPECT_EQ(row.tid, log_.rows.front().tid);
      EXPECT_EQ(row.thread, log_.rows.front().thread);
    }
  }
}

TEST_F(CrashRecordTest, FramesAreWhatAddr2LineTakes) {
  (void)run([] { write_nowhere(); });
  ASSERT_FALSE(frames().empty());
  const std::string first = frames().front();
  const std::string place = first.substr(first.find('/'));
  const std::size_t plus = place.rfind('+');
  const std::string command =
      "addr2line -fe '" + place.substr(0, plus) + "' " + place.substr(plus + 1) + " 2>/dev/null";
  FILE* const said = ::popen(command.c_str(), "r");
  ASSERT_NE(said, nullptr);
  char line[1024] = {};
  if (std::fgets(line, sizeof line, said) == nullptr) line[0] = '\0';
  const int status = ::pclose(said);
  if (status != 0) GTEST_SKIP() << "no addr2line";
  EXPECT_NE(std::string(line).find("write_nowhere"), std::string::npos) << line;
}

TEST_F(CrashRecordTest, AllSignals) {
#if defined(__x86_64__)
  expect_death([] { divide_by_zero(); }, SIGFPE, "crash: SIGFPE, integer division by zero");
  expect_death([] { asm volatile("ud2"); }, SIGILL, "crash: SIGILL, illegal instruction");
#elif defined(__aarch64__)
  expect_death([] { asm volatile("udf #0"); }, SIGILL, "crash: SIGILL, illegal instruction");
#endif
  expect_death([] { ::raise(SIGFPE); }, SIGFPE, "crash: SIGFPE, raised by the process");
  expect_death([] { std::abort(); }, SIGABRT, "crash: SIGABRT, raised by the process");
}

// Hardened libraries and sanitizers without a runtime end so, with SIGILL on x86 and SIGTRAP on ARM.
TEST_F(CrashRecordTest, ATrapOfTheCompilers) {
#if defined(__aarch64__)
  expect_death([] { __builtin_trap(); }, SIGTRAP, "crash: SIGTRAP, trap instruction");
#else
  expect_death([] { __builtin_trap(); }, SIGILL, "crash: SIGILL, illegal instruction");
#endif
}

// x86 has passed the instruction by then, and would go on after it.
TEST_F(CrashRecordTest, ABreakpointWithoutADebugger) {
  expect_death([] { meet_breakpoint(); }, SIGTRAP, "crash: SIGTRAP, trap instruction");
  ASSERT_FALSE(frames().empty());
  EXPECT_TRUE(is_in(frames()[0], meet_breakpoint)) << frames()[0];
  const std::string first = frames()[0];
  const std::string record = messages_with("crash: ")[0];
  EXPECT_EQ(record.substr(record.find('/')), first.substr(first.find('/')));
  expect_death([] { ::raise(SIGTRAP); }, SIGTRAP, "crash: SIGTRAP, raised by the process");
}

// A debugger takes its breakpoints before any handler, and the program does not notice them.
TEST_F(CrashRecordTest, ADebuggersBreakpointIsNoCrash) {
  ++runs_;
  const pid_t child = ::fork();
  if (child == 0) {
    if (!steno::try_start(with_crash_record()).ok()) std::_Exit(101);
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) std::_Exit(77);
    meet_breakpoint();
    steno::stop();
    std::_Exit(7);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no ptrace";
  ASSERT_TRUE(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP) << status;
#if defined(__aarch64__)
  user_regs_struct registers = {};
  iovec whole = {&registers, sizeof registers};
  ASSERT_EQ(::ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &whole), 0);
  registers.pc += 4;
  ASSERT_EQ(::ptrace(PTRACE_SETREGSET, child, NT_PRSTATUS, &whole), 0);
#endif
  ASSERT_EQ(::ptrace(PTRACE_CONT, child, nullptr, nullptr), 0);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  log_ = read_log(log_path());
  EXPECT_EQ(messages_with("crash").size(), 0u);
}

TEST_F(CrashRecordTest, AFileThatWasCutShort) {
  const int fd = ::open(path("mapped").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::ftruncate(fd, 4096), 0);
  void* const mapped = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ASSERT_EQ(::ftruncate(fd, 0), 0);
  const int status = run([mapped] { *static_cast<volatile int*>(mapped) = 1; });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS) << status;
  EXPECT_EQ(crash().substr(0, crash().find(" at ")), "crash: SIGBUS, nonexistent physical address");
  ::munmap(mapped, 4096);
  ::close(fd);
}

// The caller of what is no code is found.
TEST_F(CrashRecordTest, ACallOfNothing) {
  expect_death([] { call_nothing(); }, SIGSEGV, "crash: SIGSEGV, address not mapped at 0x0");
  ASSERT_GT(frames().size(), 2u);
  EXPECT_EQ(frames()[0], "crash frame 0: ?+0x0");
  EXPECT_TRUE(is_in(frames()[1], call_nothing)) << frames()[1];
}

TEST_F(CrashRecordTest, ASignalFromElsewhere) {
  expect_death([] { ::raise(SIGSEGV); }, SIGSEGV, "crash: SIGSEGV, raised by the process");
  const int status = run([] {
    const pid_t child = ::getpid();
    steno::test::let_scribe_rest();
    if (::fork() == 0) {
      ::kill(child, SIGBUS);
      std::_Exit(0);
    }
    for (;;) ::pause();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS) << status;
  EXPECT_EQ(crash().rfind("crash: SIGBUS, sent by process ", 0), 0u) << crash();
}

TEST_F(CrashRecordTest, AStackThatOverflows) {
  const int status = run([] { (void)recurse("x"); });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
  EXPECT_EQ(crash().rfind("crash: SIGSEGV, ", 0), 0u);
  EXPECT_EQ(frames().size(), 64u);
}

TEST_F(CrashRecordTest, AStackOfAThreadThatOverflows) {
  const int status = run([] {
    std::thread([] {
      steno::set_thread_name("deep");
      STENO_INFO("a thread");
      (void)recurse("x");
    }).join();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
  EXPECT_EQ(crash().rfind("crash: SIGSEGV, ", 0), 0u);
  for (const Row& row : log_.rows) {
    if (row.message.rfind("crash", 0) == 0) {
      EXPECT_EQ(row.thread, "deep");
    }
  }
}

// Its record is open, and its ring can take no other.
TEST_F(CrashRecordTest, InTheMiddleOfALogCall) {
  const int status = run([] {
    const std::string_view bad(reinterpret_cast<const char*>(0x20), 30);
    STENO_INFO("one {} two {} three {}", 1, bad, 2);
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
  EXPECT_EQ(crash(), "crash: SIGSEGV, address not mapped at 0x20");
  EXPECT_EQ(messages_with("one").size(), 0u);
  EXPECT_EQ(log_.rows.front().message, "begun");
}

#if defined(__x86_64__)
TEST_F(CrashRecordTest, AStackThatIsNone) {
  const int status = run([] { asm volatile("mov $24, %%rsp\n\tud2" ::: "memory"); });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGILL) << status;
  EXPECT_EQ(crash(), "crash: SIGILL, illegal instruction");
  EXPECT_GE(frames().size(), 1u);
}
#endif

TEST_F(CrashRecordTest, TheContextIsTheThreads) {
  (void)run([] {
    const steno::ScopedContext request{"request_id", 4711};
    write_nowhere();
  });
  auto reader = steno::LogReader::open({log_path()});
  ASSERT_TRUE(reader.ok());
  std::string fields;
  reader->for_each({}, [&](const steno::Record& r) {
    if (r.message().rfind("crash: ", 0) != 0) return;
    for (std::size_t i = 0; i < r.argument_count(); ++i) {
      fields += std::string(r.argument(i).name()) + "=";
      r.argument(i).append_text(&fields);
      fields += " ";
    }
  });
  EXPECT_NE(fields.find(" request_id=4711 "), std::string::npos) << fields;
}

TEST_F(CrashRecordTest, TheFlightRecorderComesAlong) {
  steno::Options options = with_crash_record();
  options.level = Level::kDebug;
  options.recorder.below = Level::kInfo;
  (void)run(
      [] {
        STENO_DEBUG("a detail");
        write_nowhere();
      },
      options);
  EXPECT_EQ(messages_with("a detail").size(), 1u);
  EXPECT_EQ(crash(), "crash: SIGSEGV, address not mapped at 0x10");
}

TEST_F(CrashRecordTest, WithoutAScribe) {
  steno::Options options = with_crash_record();
  options.scribe = steno::Scribe::kExternal;
  options.stop_waits = false;
  const pid_t child = ::fork();
  if (child == 0) {
    if (!steno::try_start(options).ok()) std::_Exit(101);
    write_nowhere();
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  start({.path = log_path()});  // takes what waits
  steno::stop();
  log_ = read_log(log_path());
  EXPECT_EQ(crash(), "crash: SIGSEGV, address not mapped at 0x10");
}

// A session that does not ask for a crash record gets none.
TEST_F(CrashRecordTest, OnlyWhereItIsAskedFor) {
  steno::Options options = with_crash_record();
  options.crash_record = false;
  const int status = run([] { write_nowhere(); }, options);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
  EXPECT_EQ(messages_with("crash").size(), 0u);
}

TEST_F(CrashRecordTest, AForkedChildHasItsOwn) {
  const int status = run([] {
    steno::test::let_scribe_rest();
    const pid_t child = ::fork();
    if (child == 0) {
      STENO_INFO("a child");
      write_nowhere();
    }
    int of_child = 0;
    if (::waitpid(child, &of_child, 0) != child || !WIFSIGNALED(of_child)) std::_Exit(1);
    steno::stop();
    std::_Exit(0);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(crash(), "crash: SIGSEGV, address not mapped at 0x10");
}

}  // namespace
}  // namespace steno_test
