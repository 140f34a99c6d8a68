// How the bytes of a file are distributed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reader/statistics.h"

namespace steno::cli {

struct ByteShare {
  const char* name;  // as in JSON
  std::uint64_t bytes;
  std::string note;  // for people
};

// Together they are the size of the files, of which `stats` are.
std::vector<ByteShare> byte_shares(reader::Files files, const reader::Statistics& stats);

// "for 3, dictionary 1": which codecs a column used, in how many blocks.
std::string codecs_of(const reader::ColumnStat& column);

}  // namespace steno::cli
