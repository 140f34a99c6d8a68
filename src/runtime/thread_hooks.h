// Events of a thread of this process that it does not cause itself: its end, and a fork around it.
#pragma once

#include <pthread.h>

namespace steno::runtime {

struct ThreadState;
class ThreadContext;

// The key whose destructor hands the rings of a thread back; made with the fork handlers.
pthread_key_t exit_key();
// Makes sure that threads hand their rings back at their end, and that a forked child keeps its hands off its parent's.
void install_thread_hooks();

// For a process that was made without fork handlers, by clone() or _Fork(), and that wants a session: lets go of all
// that is its parent's. True elsewhere too. False: the parent was at a change meanwhile, which this process has half.
bool begin_as_process();

// The calling thread's state (thread_state.h), made if need be. nullptr: memory is out, or the thread has ended.
ThreadState* own_thread_state();

// The context of the calling thread, or the one that it will begin with: in a forked child, that of the thread that
// forked. nullptr: it has none.
const ThreadContext* find_thread_context();

}  // namespace steno::runtime
