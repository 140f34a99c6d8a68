// Where a sink writes its lines: a descriptor, a file, a function of the program, a peer.
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

// How many lines did not arrive, and why.
struct Loss {
  std::uint64_t lines = 0;
  std::string reason;
};

// Used by the sink's thread only, which may block in it for as long as the system or the program's function does.
class Target {
 public:
  virtual ~Target() = default;
  // Returns whether write() needs the lines one by one, beside the text of all.
  virtual bool wants_lines() const { return false; }
  // Returns whether people watch the target, so that lines should appear at once.
  virtual bool is_terminal() const { return false; }
  // Called before each write(): starts a new file if the current one was renamed or is due for rotation.
  virtual void prepare() {}
  // Rotates a file that is not empty.
  virtual void rotate() {}
  // Returns whether nothing has been written whole to a file that was empty, so that a header belongs before the next
  // line.
  virtual bool is_fresh() const { return false; }
  // After an error no line counts as written.
  virtual Status write(std::string_view text, std::span<const Line> lines) = 0;
  // Lines that write() took and that have turned out not to have arrived, since the last call.
  virtual Loss take_loss() { return {}; }
  virtual void flush() {}
  // In a forked child, whose parent may have been within any other function: closes its descriptors and writes nothing.
  // No other function is called after that.
  virtual void abandon() {}
  // The next warning about something that does not stop lines from being written; empty: there is none.
  virtual std::string take_warning() { return {}; }
  // Its name in messages.
  virtual std::string name() const = 0;
};

// The name of a sink in rules for levels.
std::string rule_name(const SinkOptions& options);

// Makes the target that the options name; a file is opened at once.
Result<std::unique_ptr<Target>> make_target(const SinkOptions& options, unsigned file_mode);

}  // namespace steno::sink
