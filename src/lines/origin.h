// Which process a line is of, where logs of several are read together.
#pragma once

namespace steno::reader {
class LogSet;
}  // namespace steno::reader

namespace steno::lines {

// The names of the process that lines show beside the thread.
struct Origin {
  bool host = false;
  bool program = false;

  bool any() const { return host || program; }
};

// Returns that in which the sessions of the logs differ. A session whose block is damaged has no names, and does not
// count.
Origin origin_of(const reader::LogSet& logs);

}  // namespace steno::lines
