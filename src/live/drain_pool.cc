#include "live/drain_pool.h"

#include <pthread.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/signal_safe_lock.h"

namespace steno::live {
namespace {

constexpr std::int64_t kWorthAHelperNs = 200'000;  // a round that takes longer

}  // namespace

void DrainPool::add(std::unique_ptr<AttachedSession> session) {
  const Lock lock(mutex_);
  directories_.insert(session->directory());
  queue_.push_back({std::move(session), rotations_});
}

bool DrainPool::contains(const std::string& directory) const {
  const Lock lock(mutex_);
  return directories_.contains(directory);
}

// Requires a session in the queue.
DrainPool::Did DrainPool::pass_over_first(Lock& lock, bool force) {
  Entry entry = std::move(queue_.front());
  queue_.pop_front();
  const bool rotate = std::exchange(entry.rotations, rotations_) != rotations_;
  lock.unlock();
  AttachedSession& session = *entry.session;
  if (rotate) session.rotate();
  const std::uint64_t records = session.records();
  const AttachedSession::Outcome outcome = session.pass(force);
  if (outcome == AttachedSession::Outcome::kGoesOn) {
    const bool moved = session.records() != records;
    lock.lock();
    queue_.push_back(std::move(entry));
    return moved ? Did::kWrote : Did::kNothing;
  }
  const std::string directory = session.directory();
  entry.session.reset();  // before anybody may attach it anew
  lock.lock();
  directories_.erase(directory);
  if (outcome == AttachedSession::Outcome::kAgain) again_.push_back(directory);
  return Did::kEnded;
}

bool DrainPool::pass(bool force) {
  const std::int64_t begin = monotonic_now();
  unsigned busy = 0;
  bool wrote = false;
  Lock lock(mutex_);
  for (std::size_t left = queue_.size(); left != 0 && !queue_.empty(); --left) {
    const Did did = pass_over_first(lock, force);
    if (did == Did::kNothing) continue;
    wrote = wrote || did == Did::kWrote;
    ++busy;
    if (active_ < most_helpers_ && active_ + 1 < busy && !queue_.empty() && monotonic_now() - begin > kWorthAHelperNs)
      call_helper();
  }
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
  return std::exchange(moved_, false) || wrote;
}

// Requires the lock.
void DrainPool::call_helper() {
  if (ending_) return;
  if (active_ == helpers_.size()) {
    try {
      const BlockSignals inherited;
      helpers_.emplace_back(&DrainPool::help, this);
    } catch (const std::system_error&) {
      return;  // without
    }
  }
  ++active_;
  ++calls_;
  called_.notify_one();
}

void DrainPool::help() {
  pthread_setname_np(pthread_self(), "steno-helper");
  Lock lock(mutex_);
  while (true) {
    called_.wait(lock, [this] { return ending_ || calls_ != 0; });
    if (ending_) return;
    --calls_;
    try {
      work(lock);
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      error_ = std::current_exception();
    }
    --active_;
    rested_.notify_one();
  }
}

// Until a round has found nothing.
void DrainPool::work(Lock& lock) {
  for (std::size_t unmoved = 0; unmoved < queue_.size() && !ending_;) {
    const Did did = pass_over_first(lock, false);
    if (did == Did::kNothing) {
      ++unmoved;
    } else {
      moved_ = moved_ || did == Did::kWrote;
      unmoved = 0;
    }
  }
}

void DrainPool::rotate() {
  const Lock lock(mutex_);
  ++rotations_;
}

std::vector<std::string> DrainPool::take_again() {
  const Lock lock(mutex_);
  return std::exchange(again_, {});
}

bool DrainPool::is_helped() const {
  const Lock lock(mutex_);
  return active_ != 0;
}

void DrainPool::wait_for_helpers(std::int64_t ns) {
  Lock lock(mutex_);
  rested_.wait_for(lock, std::chrono::nanoseconds(ns), [this] { return active_ == 0; });
}

std::vector<AttachedSession*> DrainPool::sessions() const {
  const Lock lock(mutex_);
  std::vector<AttachedSession*> all;
  for (const Entry& entry : queue_) all.push_back(entry.session.get());
  return all;
}

void DrainPool::end_helpers() {
  {
    const Lock lock(mutex_);
    ending_ = true;
  }
  called_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
  helpers_.clear();
  calls_ = active_ = 0;
}

void DrainPool::clear() {
  const Lock lock(mutex_);
  queue_.clear();
  directories_.clear();
}

}  // namespace steno::live
