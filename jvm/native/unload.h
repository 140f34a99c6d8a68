// Releases what the library holds when the JVM unloads it.
#pragma once

#include <functional>

namespace steno::jvm {

// Has `release` called when the class loader of io.github.steno.machine.Native has been collected, as that of an
// undeployed application is: no object of Java's and no thread uses what it releases then. When the process ends it is
// not called, for threads may run until the last moment. Any thread. Throws std::bad_alloc.
void at_unload(std::function<void()> release);

}  // namespace steno::jvm
