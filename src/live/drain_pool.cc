#include "live/drain_pool.h"

#include <pthread.h>

#include <chrono>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/signal_safe_lock.h"

namespace steno::live {
namespace {

constexpr std::int64_t kWorthAHelperNs = 200'000;  // a round that takes longer

}  // namespace

void DrainPool::add(std::unique_ptr<AttachedSession> session) {
  const Lock lock(mutex_);
  std::list<Entry> added;
  added.push_back({std::move(session), rotations_, {}});
  added.front().directory = directories_.insert(added.front().session->directory()).first;
  queue_.splice(queue_.end(), added);
}

bool DrainPool::contains(const std::string& directory) const {
  const Lock lock(mutex_);
  return directories_.contains(directory);
}

// Requires a session in the queue. An exception may leave the middle of a pass at any point.
DrainPool::Did DrainPool::pass_over_first(Lock& lock, bool force) {
  std::list<Entry> taken;
  taken.splice(taken.begin(), queue_, queue_.begin());
  Entry& entry = taken.front();
  AttachedSession& session = *entry.session;
  const bool rotate = std::exchange(entry.rotations, rotations_) != rotations_;
  lock.unlock();
  std::optional<AttachedSession::Outcome> outcome;
  bool moved = false;
  try {
    if (rotate) session.rotate_next();
    const std::uint64_t records = session.records();
    outcome = session.pass(force);
    moved = session.records() != records;
  } catch (const std::exception&) {
    outcome.reset();
  }
  if (outcome == AttachedSession::Outcome::kGoesOn) {
    const bool asked = session.requests().asked();
    lock.lock();
    asked_ = asked_ || asked;
    queue_.splice(queue_.end(), taken);
    return moved ? Did::kWrote : Did::kNothing;
  }
  entry.session.reset();  // before anybody may attach it anew
  lock.lock();
  auto node = directories_.extract(entry.directory);
  starved_ = starved_ || !outcome;
  if (outcome == AttachedSession::Outcome::kAgain) {
    try {
      again_.push_back(std::move(node.value()));
    } catch (const std::bad_alloc&) {
      starved_ = true;
    }
  }
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
  return std::exchange(moved_, false) || wrote;
}

// Requires the lock.
void DrainPool::call_helper() {
  if (ending_ || paused_) return;
  if (active_ == helpers_.size()) {
    try {
      const BlockSignals inherited;
      helpers_.emplace_back(&DrainPool::help, this);
    } catch (const std::exception&) {
      return;  // no thread, or no memory: without it
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
    work(lock);
    --active_;
    rested_.notify_one();
  }
}

// Until a round has found nothing.
void DrainPool::work(Lock& lock) {
  for (std::size_t unmoved = 0; unmoved < queue_.size() && !ending_ && !paused_;) {
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

bool DrainPool::take_starved() {
  const Lock lock(mutex_);
  return std::exchange(starved_, false);
}

bool DrainPool::take_asked() {
  const Lock lock(mutex_);
  return std::exchange(asked_, false);
}

DrainPool::Pause::Pause(DrainPool& pool) : pool_(pool) {
  Lock lock(pool.mutex_);
  pool.paused_ = true;
  pool.rested_.wait(lock, [&pool] { return pool.active_ == 0; });
}

DrainPool::Pause::~Pause() {
  const Lock lock(pool_.mutex_);
  pool_.paused_ = false;
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
