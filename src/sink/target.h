// Where a sink's lines end up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "steno/sink.h"
#include "steno/status.h"

namespace steno::sink {

// Lines that are missing where they belong, and why.
struct Loss {
  std::uint64_t lines = 0;
  std::string reason;
};

// Used by the sink's thread alone, which may wait in it for as long as the system, or the program's function, does.
class Target {
 public:
  virtual ~Target() = default;
  // Whether write() is to be given lines one by one, beside their text as a whole.
  virtual bool wants_lines() const { return false; }
  // People look: each line is to be there at once.
  virtual bool is_terminal() const { return false; }
  // Before each write(): files go on in new ones.
  virtual void prepare() {}
  // Closes a file and begins a new one, if there is anything in it.
  virtual void rotate() {}
  // True once where lines are the first of what they go to: a header may go before them.
  virtual bool take_fresh() { return false; }
  // Fails: nothing of it counts as written.
  virtual Status write(std::string_view text, std::span<const Line> lines) = 0;
  // Of what write() took, what did not arrive, as far as that is known since the last call.
  virtual Loss take_loss() { return {}; }
  virtual void flush() {}
  // What is amiss though lines are written; empty: nothing new.
  virtual std::string take_warning() { return {}; }
  // What messages call it.
  virtual std::string name() const = 0;
};

// What rules call it.
std::string rule_name(const SinkOptions& options);

// Opens a file; fails with a sentence.
Result<std::unique_ptr<Target>> make_target(const SinkOptions& options, unsigned file_mode);

}  // namespace steno::sink
