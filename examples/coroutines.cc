// Context in coroutines: what is logged for a request has its number, in whichever thread the coroutine goes on.
#include <steno/context.h>
#include <steno/log.h>
#include <steno/session.h>

#include <coroutine>
#include <deque>
#include <exception>
#include <thread>

struct Task {  // runs at once, and by itself
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

struct Queue {  // of coroutines that wait for a thread
  std::deque<std::coroutine_handle<>> waiting;

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> coroutine) { waiting.push_back(coroutine); }
  void await_resume() const {}

  void run() {
    while (!waiting.empty()) {
      const auto next = waiting.front();
      waiting.pop_front();
      next.resume();
    }
  }
};

Task serve(Queue& queue, int id) {
  steno::Context here;  // in the coroutine's frame, for as long as it lives
  {
    steno::ScopedContext request{"request_id", id};
    here = steno::Context::capture();
    STENO_INFO("received");
  }  // scopes end before a suspension: after it another thread may run
  co_await queue;
  {
    steno::ScopedContext carried{here};
    STENO_INFO("read {bytes} bytes", 100 * id);
  }
  co_await queue;
  {
    steno::ScopedContext carried{here};
    STENO_INFO("answered");
  }
}

int main() {
  steno::start("app.steno");
  Queue queue;
  for (int id = 1; id <= 2; ++id) serve(queue, id);
  std::thread([&] {
    steno::set_thread_name("worker");
    queue.run();
  }).join();
}
