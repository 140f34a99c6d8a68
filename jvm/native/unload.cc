#include "unload.h"

#include <jni.h>

#include <mutex>
#include <utility>
#include <vector>

namespace steno::jvm {
namespace {

struct Releases {
  std::mutex mutex;
  std::vector<std::function<void()>> all;
};

// Never destroyed: threads may come here while the process ends.
Releases& releases() {
  static auto* const made = new Releases;
  return *made;
}

}  // namespace

void at_unload(std::function<void()> release) {
  const std::lock_guard guard(releases().mutex);
  releases().all.push_back(std::move(release));
}

}  // namespace steno::jvm

extern "C" JNIEXPORT void JNICALL JNI_OnUnload(JavaVM*, void*) {
  std::vector<std::function<void()>> all;
  {
    const std::lock_guard guard(steno::jvm::releases().mutex);
    all.swap(steno::jvm::releases().all);
  }
  for (auto release = all.rbegin(); release != all.rend(); ++release) (*release)();
  delete &steno::jvm::releases();
}
