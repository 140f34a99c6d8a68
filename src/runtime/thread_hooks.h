// What happens to a thread of this process that it does not do itself: its end, and a fork around it.
#pragma once

namespace steno::runtime {

struct ThreadState;
class ThreadContext;

// Makes sure that threads hand their rings back at their end, and that a forked child keeps its hands off its parent's.
void install_thread_hooks();

// The calling thread's state (thread_state.h), made if need be. nullptr: memory is out.
ThreadState* own_thread_state();

// The context of the calling thread, or the one that it will begin with: in a forked child, that of the thread that
// forked. nullptr: it has none.
const ThreadContext* find_thread_context();

}  // namespace steno::runtime
