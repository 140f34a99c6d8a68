// The scribe in the process for io.github.steno.machine.Native: it drains one session, in a thread of Java's that is in
// native code all the while, so that neither waits for the other's safepoints.
#include <jni.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "api/scribe_sinks.h"
#include "java_text.h"
#include "live/external_scribe.h"
#include "staging/doorbell.h"
#include "unload.h"

namespace {

using steno::staging::Doorbell;

constexpr auto kPatience = std::chrono::seconds(2);

std::atomic<bool> process_ends{false};
std::atomic<int> running{0};

void complain(const std::string& what) {
  std::fprintf(stderr, "steno: %s\n", what.c_str());
}

class JvmScribe {
 public:
  // `console`: "stdout", "stderr" or "", `sinks`: a configuration file of them, or "".
  JvmScribe(std::string log, std::string directory, const std::string& root, const std::string& console,
            std::string sinks)
      : bell_(steno::staging::open_doorbell(root)) {
    sinks_.logs.push_back(log);
    if (!console.empty()) sinks_.sinks.push_back("console = \"" + console + '"');
    sinks_.config = std::move(sinks);
    sinks_.warn = complain;
    options_.paths.push_back(std::move(log));
    options_.only = std::move(directory);
    options_.roots.push_back(root);
    options_.find_gap_ns = 1'000'000'000;
    options_.attach.warn = [this](const std::string& what) {
      if (reported_.insert(what).second) complain(what);
    };
  }
  ~JvmScribe() { steno::staging::close_doorbell(bell_); }
  JvmScribe(const JvmScribe&) = delete;
  JvmScribe& operator=(const JvmScribe&) = delete;

  void run() {
    const auto sinks = open_sinks();
    if (sinks != nullptr) options_.attach.sinks = [&sinks] { return sinks->current(); };
    steno::live::ExternalScribe(options_).run([this] { return stopping_ || process_ends; });
  }
  void stop() {
    stopping_ = true;
    wake();
  }
  void wake() {
    if (bell_ != nullptr) steno::staging::call(bell_);
  }

 private:
  // nullptr: there are none, or what is wrong with them was told.
  std::unique_ptr<steno::api::ScribeSinks> open_sinks() const {
    if (sinks_.sinks.empty() && sinks_.config.empty()) return nullptr;
    auto opened = steno::api::ScribeSinks::open(sinks_);
    if (opened.ok()) return std::move(opened).value();
    complain(opened.status().message());
    complain("the log is written without sinks");
    return nullptr;
  }

  steno::live::ExternalScribeOptions options_;
  steno::api::ScribeSinkOptions sinks_;
  Doorbell* const bell_;
  std::set<std::string> reported_;
  std::atomic<bool> stopping_{false};
};

// Runtime.halt() and the like end by exit(): what static objects there are must not go while a scribe runs.
void wait_for_scribes() {
  process_ends = true;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (running != 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

JvmScribe* scribe_at(jlong handle) {
  return reinterpret_cast<JvmScribe*>(handle);  // what makeScribe returned
}

}  // namespace

extern "C" {

// A scribe that has to be run; 0: there is no memory for it. It is freed with the library, for whoever logs may wake it
// at any moment.
JNIEXPORT jlong JNICALL Java_io_github_steno_machine_Native_makeScribe(JNIEnv* env, jclass, jbyteArray log,
                                                                       jbyteArray directory, jbyteArray root,
                                                                       jbyteArray console, jbyteArray sinks) {
  static const int at_exit = std::atexit(wait_for_scribes);
  (void)at_exit;
  try {
    const auto text_of = [env](jbyteArray text) { return steno::jvm::text_of(env, text); };
    auto* const made = new JvmScribe(text_of(log), text_of(directory), text_of(root), text_of(console), text_of(sinks));
    steno::jvm::at_unload([made] { delete made; });
    return reinterpret_cast<jlong>(made);
  } catch (const std::exception&) {
    return 0;
  }
}

// Runs the scribe until it is stopped. Returns true if nothing went wrong.
JNIEXPORT jboolean JNICALL Java_io_github_steno_machine_Native_runScribe(JNIEnv*, jclass, jlong handle) {
  bool well = true;
  ++running;
  try {
    scribe_at(handle)->run();
  } catch (const std::exception& e) {
    complain(std::string("the scribe in the process ended: ") + e.what());
    well = false;
  }
  --running;
  return well ? JNI_TRUE : JNI_FALSE;
}

// Any thread, at any time.
JNIEXPORT void JNICALL Java_io_github_steno_machine_Native_wakeScribe(JNIEnv*, jclass, jlong handle) {
  scribe_at(handle)->wake();
}

JNIEXPORT void JNICALL Java_io_github_steno_machine_Native_stopScribe(JNIEnv*, jclass, jlong handle) {
  scribe_at(handle)->stop();
}

}  // extern "C"
