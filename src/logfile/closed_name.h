// Names of files that were closed by a rotation: Rotation::name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steno/status.h"

namespace steno::logfile {

// Immutable.
class ClosedName {
 public:
  // Fails with a sentence. `live`: the name of the file that is written, without directories.
  static Result<ClosedName> parse(std::string_view pattern, std::string_view live);

  bool has_number() const;
  // `number`: for {n}. `time`: as file_time() writes it. `again`: 2 and more, where the name is taken.
  std::string make(const std::string& time, std::uint64_t number, std::uint32_t again) const;
  // Returns whether make() could have made the name; `*number`: the number for {n}, 0 if there is none.
  bool matches(std::string_view name, std::uint64_t* number) const;

 private:
  enum class Field : std::uint8_t { kText, kTime, kDate, kNumber, kPid, kAgain };
  struct Piece {
    Field field;
    std::string text;
  };
  bool matches(std::size_t piece, std::string_view rest, std::uint64_t* number) const;

  std::vector<Piece> pieces_;
};

}  // namespace steno::logfile
