// A program's name as part of the name of a file.
#pragma once

#include <string>
#include <string_view>

namespace steno {

// The last part of the path of a program, which is untrusted: the result names neither a directory nor a hidden file,
// and has no control characters.
inline std::string file_part(std::string_view program) {
  std::string part(program.substr(program.rfind('/') + 1));
  for (char& c : part) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '_';
  }
  if (part.empty() || part[0] == '.') part.insert(0, "_");
  return part;
}

}  // namespace steno
