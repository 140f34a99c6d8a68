// Counts the system calls of another process.
#pragma once

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <thread>

namespace steno::test {

// Counts the system calls of a child of this process, of its first thread, between the constructor and stop(). It must
// call the system now and then, because counting begins and ends at a call, and nobody may wait for its end meanwhile.
class SystemCalls {
 public:
  using Counts = std::map<std::uint64_t, std::uint64_t>;  // by number of the call

  explicit SystemCalls(pid_t child) : child_(child), tracer_([this] { trace(); }) {
    while (state_ == State::kStarting) std::this_thread::yield();
  }
  ~SystemCalls() { stop(); }
  SystemCalls(const SystemCalls&) = delete;
  SystemCalls& operator=(const SystemCalls&) = delete;

  // Returns false if this process may not trace others.
  bool allowed() const { return state_ == State::kTracing; }
  const Counts& stop() {
    asked_to_stop_ = true;
    if (tracer_.joinable()) tracer_.join();
    return counts_;
  }

 private:
  enum class State { kStarting, kTracing, kRefused };

  // One thread does all of it: to the system, the tracer is a thread.
  void trace() {
    int status = 0;
    const bool traced = ::ptrace(PTRACE_SEIZE, child_, nullptr, PTRACE_O_TRACESYSGOOD) == 0 &&
                        ::ptrace(PTRACE_INTERRUPT, child_, nullptr, nullptr) == 0 && wait_for_stop(&status);
    state_ = traced ? State::kTracing : State::kRefused;
    if (!traced) return;
    while (!asked_to_stop_) {
      const bool at_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
      const bool by_signal = !at_call && status >> 16 == 0;
      if (at_call) count();
      ::ptrace(PTRACE_SYSCALL, child_, nullptr, by_signal ? WSTOPSIG(status) : 0);
      if (!wait_for_stop(&status)) return;
    }
    ::ptrace(PTRACE_DETACH, child_, nullptr, nullptr);
  }
  bool wait_for_stop(int* status) const { return ::waitpid(child_, status, __WALL) == child_ && WIFSTOPPED(*status); }
  void count() {
    struct __ptrace_syscall_info info {};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, child_, sizeof info, &info) > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY) {
      ++counts_[info.entry.nr];
    }
  }

  const pid_t child_;
  std::atomic<State> state_{State::kStarting};
  std::atomic<bool> asked_to_stop_{false};
  Counts counts_;
  std::thread tracer_;  // last: it uses the others
};

}  // namespace steno::test
