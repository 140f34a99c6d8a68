// Options::crash_record beside handlers of the program's own, and with what it has called when it dies.
#include <steno/termination.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "crash_record_test.h"

namespace steno_test {
namespace {

std::atomic<int> handled{0};

void set_handler(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(signal, &action, nullptr);
}

sigjmp_buf way_out;

// A handler that the program has for its own traps decides as before what comes next.
TEST_F(CrashRecordTest, AHandlerOfTrapsThatWasThereGoesOn) {
  set_handler(SIGTRAP, [](int signal, siginfo_t* info, void* context) {
    handled.fetch_add(signal == SIGTRAP && info->si_code > 0 ? 1 : 100);
#if defined(__aarch64__)
    static_cast<ucontext_t*>(context)->uc_mcontext.pc += 4;
#else
    static_cast<void>(context);
#endif
  });
  const int status = run([] {
    meet_breakpoint();
    meet_breakpoint();
    std::_Exit(handled.load());
  });
  signal(SIGTRAP, SIG_DFL);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << status;
  EXPECT_EQ(messages_with("crash: SIGTRAP, trap instruction").size(), 2u);
}

TEST_F(CrashRecordTest, AnotherHandlerComesNextAndMayGoOn) {
  set_handler(SIGSEGV, [](int, siginfo_t* info, void*) {
    if (info->si_addr == reinterpret_cast<void*>(0x10)) handled.fetch_add(1);
    siglongjmp(way_out, 1);
  });
  const int status = run([] {
    while (handled.load() < 30) {  // more than the ring takes at once
      if (sigsetjmp(way_out, 1) == 0) write_nowhere();
      if (!steno::flush().ok()) std::_Exit(1);
    }
    STENO_INFO("goes on after {}", handled.load());
    steno::stop();
    std::_Exit(0);
  });
  signal(SIGSEGV, SIG_DFL);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(messages_with("crash: ").size(), 30u);
  EXPECT_EQ(log_.rows.back().message, "goes on after 30");
}

// Handlers that programs have called when they die. Those before it go on, and so do those after one that faults
// itself.
TEST_F(CrashRecordTest, TheProgramIsCalled) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  static int end_to_write = 0;
  end_to_write = ends[1];
  const auto note = [](const steno::Termination& how, void* context) {
    const char text[] = {static_cast<char>('0' + how.signal % 10), *static_cast<const char*>(context),
                         how.address == reinterpret_cast<void*>(0x10) ? 'y' : 'n'};
    (void)!::write(end_to_write, text, sizeof text);
  };
  expect_death(
      [&] {
        static char names[] = "abcdefgh";
        EXPECT_TRUE(steno::on_termination(note, names));
        EXPECT_TRUE(steno::on_termination([](const steno::Termination&, void*) { divide_by_zero(); }));
        EXPECT_TRUE(steno::on_termination(
            [](const steno::Termination& how, void*) { STENO_NOTICE("dies of {signal}", how.signal); }));
        for (int i = 0; i < 5; ++i) EXPECT_TRUE(steno::on_termination(note, names + 1 + i));
        EXPECT_FALSE(steno::on_termination(note, names));
        write_nowhere();
      },
      SIGSEGV, "crash: SIGSEGV, address not mapped at 0x10");
  ::close(ends[1]);
  char all[64] = {};
  EXPECT_EQ(::read(ends[0], all, sizeof all), 18);
  EXPECT_STREQ(all, "1ay1by1cy1dy1ey1fy");
  ::close(ends[0]);
  EXPECT_EQ(messages_with("dies of").size(), 1u);
  EXPECT_EQ(messages_with("dies of 11").size(), 1u);
}

// Each waits in the handler until both have said what happened to them.
TEST_F(CrashRecordTest, TwoThreadsAtOnce) {
  set_handler(SIGFPE, [](int, siginfo_t*, void*) {
    handled.fetch_add(1);
    while (handled.load() != 2) ::usleep(1000);
    std::_Exit(7);
  });
  const int status = run([] {
    std::atomic<int> ready{0};
    const auto crash = [&ready](const char* name) {
      steno::set_thread_name(name);
      STENO_INFO("ready");
      ready.fetch_add(1);
      while (ready.load() != 2) std::this_thread::yield();
      divide_by_zero();
    };
    std::thread one(crash, "one");
    std::thread two(crash, "two");
    one.join();
    two.join();
  });
  signal(SIGFPE, SIG_DFL);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  const auto found = messages_with("crash: ");
  EXPECT_EQ(found.size(), 2u);
  std::string threads;  // whose records, in order, of one each
  for (const Row& row : log_.rows) {
    if (row.message.rfind("crash", 0) == 0 && (threads.empty() || threads.substr(threads.size() - 3) != row.thread))
      threads += row.thread;
  }
  EXPECT_TRUE(threads == "onetwo" || threads == "twoone") << threads;
}

}  // namespace
}  // namespace steno_test
