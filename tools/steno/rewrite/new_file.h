// The log that a command writes: whole under its name, or not there at all.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "logfile/output_file.h"
#include "steno/status.h"

namespace steno::cli {

// One at a time: a signal that ends the program removes what is written so far.
class NewFile {
 public:
  // Makes a file beside `path`, with a name that nothing has. `inputs`: what is read, "-" for standard input; the file
  // gets the permissions that all of them have. kInvalidArgument: `path` is one of them, or a file is there and
  // `replace` is false.
  static Status make(const std::string& path, const std::vector<std::string>& inputs, bool replace, NewFile* file);

  NewFile() = default;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  // Removes it unless it was published.
  ~NewFile();

  logfile::OutputFile& file() { return file_; }
  const std::string& part() const { return part_; }
  // Brings it to the disk, and gives it its name. On failure nothing is left, and what had that name before is as it
  // was.
  Status publish();

 private:
  std::string path_;
  std::string part_;  // empty: there is none
  mode_t mode_ = 0600;
  bool replace_ = false;
  logfile::OutputFile file_;
};

}  // namespace steno::cli
