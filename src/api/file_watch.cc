#include "api/file_watch.h"

#include <pthread.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/signal_safe_lock.h"

namespace steno::api {
namespace {

constexpr std::chrono::milliseconds kGap{1000};
constexpr std::int64_t kLeastGapNs = 900'000'000;

}  // namespace

FileWatch::FileWatch(std::string path, const FileStamp& stamp, std::function<void()> read)
    : path_(std::move(path)), read_file_(std::move(read)), last_look_(monotonic_now()), read_(stamp), seen_(stamp) {}

Status FileWatch::start() {
  const BlockSignals inherited;
  try {
    changes_ = std::make_unique<FileChanges>(path_);
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    return {StatusCode::kExhausted, path_ + " is not read again when it changes: " + error.what()};
  }
  return {};
}

FileWatch::~FileWatch() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_one();
  }
  if (changes_ != nullptr) changes_->end();
  if (thread_.joinable()) thread_.join();
}

void FileWatch::run() {
  const sigset_t blocked = signals_of_others();
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  pthread_setname_np(pthread_self(), "steno-config");
  std::unique_lock lock(mutex_);
  while (!ending_) {
    FileChanges::Heard heard = FileChanges::Heard::kNothing;
    if (changes_->listening()) {
      lock.unlock();
      heard = changes_->wait(kGap);
      lock.lock();
    } else {
      changed_.wait_for(lock, kGap, [this] { return ending_; });
    }
    if (ending_) return;
    lock.unlock();
    try {
      hear(heard);
      look();
    } catch (...) {  // no memory: it is read at a later look
      const std::lock_guard look_lock(look_mutex_);
      read_ = {};
    }
    lock.lock();
  }
}

// A program that wrote the file has closed it: it is read at once, and though its stamp be the same as before (the
// kernel's clock of files moves in milliseconds).
void FileWatch::hear(FileChanges::Heard heard) {
  FileStamp stamp;
  if (heard == FileChanges::Heard::kNothing || !find_stamp(path_, &stamp)) return;
  if (heard == FileChanges::Heard::kDirectory && stamp == read_) return;
  seen_ = read_ = stamp;
  read_file_();
}

void FileWatch::look() {
  const std::unique_lock lock(look_mutex_, std::try_to_lock);
  const std::int64_t now = monotonic_now();
  if (!lock.owns_lock() || now - last_look_ < kLeastGapNs) return;
  last_look_ = now;
  FileStamp stamp;
  if (!find_stamp(path_, &stamp)) return;
  // Whoever writes it may not be done: it is read when it has been the same twice.
  if (std::exchange(seen_, stamp) != stamp || stamp == read_) return;
  read_ = stamp;
  read_file_();
}

}  // namespace steno::api
