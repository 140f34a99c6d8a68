// Sessions of many processes, drained by the caller and, while that has too much to do, by helper threads.
//
//   DrainPool pool(threads);
//   pool.add(std::move(session));
//   while (...) {
//     const bool moved = pool.pass(false);
//     for (const std::string& directory : pool.take_again()) { attach it anew }
//     if (!moved && !pool.is_helped()) { look at pool.sessions(), wait }
//   }
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "live/attached_session.h"

namespace steno::live {

// Sessions wait in one queue. A thread takes the first one, makes one pass over it, and puts it back at the end. So a
// session is handled by one thread at a time, and the load is balanced. Sessions share only files, to which each
// appends whole blocks through its own descriptor, as separate processes do (OutputFile).
//
// A helper is started or woken when the caller finds several sessions with something to write in one round, and rests
// when it has been round the queue and found nothing. No signals reach helpers but those of their own faults.
//
// All methods are for one thread, the caller.
class DrainPool {
 public:
  // `threads` in all, the caller included.
  explicit DrainPool(unsigned threads) : most_helpers_(threads - 1) {}
  DrainPool(const DrainPool&) = delete;
  DrainPool& operator=(const DrainPool&) = delete;
  ~DrainPool() { end_helpers(); }

  void add(std::unique_ptr<AttachedSession> session);
  bool contains(const std::string& directory) const;
  // One round: a pass over as many sessions as the queue has. Returns whether any running session has moved, here or in
  // helpers since the last round: then more records are likely to come soon.
  bool pass(bool force);
  // Returns whether memory failed in a pass since the last call. That session is let go, as after a kill: what is not
  // on file stays in its rings, and it is to be found and attached anew.
  bool take_starved();
  // Each session's file is rotated before the next pass over it.
  void rotate();
  // Returns whether anybody has requested something of a session since the last call.
  bool take_asked();
  // While it lives nobody helps, and all sessions are in the queue. Waits for the passes of helpers that are under way.
  class Pause {
   public:
    explicit Pause(DrainPool& pool);
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    DrainPool& pool_;
  };
  // The directories whose sessions must be attached again.
  std::vector<std::string> take_again();
  // Returns whether helpers are at work. Else all sessions are in the queue until the next round.
  bool is_helped() const;
  // Waits until helpers are idle, or for this time at most.
  void wait_for_helpers(std::int64_t ns);
  // Requires !is_helped().
  std::vector<AttachedSession*> sessions() const;
  // Waits for the passes that are under way. Nobody helps any more.
  void end_helpers();
  // Requires !is_helped(): lets go of all sessions.
  void clear();

 private:
  struct Entry {
    std::unique_ptr<AttachedSession> session;
    unsigned rotations = 0;                     // that it has seen
    std::set<std::string>::iterator directory;  // among those of all sessions
  };
  using Lock = std::unique_lock<std::mutex>;

  enum class Did { kNothing, kWrote, kEnded };
  Did pass_over_first(Lock& lock, bool force);
  void call_helper();
  void help();
  void work(Lock& lock);

  const unsigned most_helpers_;
  mutable std::mutex mutex_;           // for all that follows but the threads
  std::list<Entry> queue_;             // entries move without an allocation
  std::set<std::string> directories_;  // of all sessions, those that a thread has included
  std::vector<std::string> again_;
  unsigned rotations_ = 0;
  bool moved_ = false;  // with a helper
  bool asked_ = false;
  bool paused_ = false;
  bool starved_ = false;
  std::condition_variable called_;
  std::condition_variable rested_;
  unsigned calls_ = 0;   // that no helper has answered yet
  unsigned active_ = 0;  // helpers that work, or are called
  bool ending_ = false;
  std::vector<std::thread> helpers_;
};

}  // namespace steno::live
