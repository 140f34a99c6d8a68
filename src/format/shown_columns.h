// Finds the columns of a group that show bytes which are in another one, or in themselves, in hexadecimal digits; and
// writes them as such (file.md §9.6.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/codecs/codec_trial.h"
#include "format/codecs/known_columns.h"
#include "format/codecs/string_codec.h"

namespace steno::format {

// One per writer; not thread-safe. It takes a look at some strings of a column, the rarer the more often they were
// none.
class ShownColumns {
 public:
  // A group comes, with so many columns.
  void begin(std::size_t columns);
  // Comes before column k is written, for each column of strings that is no part of a stack: `strings` are its strings,
  // which must outlive the group. `key`: what it is known by from block to block, 0: by nothing. True: it shows bytes
  // as it did before, and was appended.
  [[nodiscard]] bool append_again(std::size_t k, std::uint64_t key, const StringSource& strings,
                                  const StringContext& context, ByteBuffer& out);
  // `out` holds column k from `start` on. Replaces that by a column of shown bytes, if that is smaller by an eighth.
  void replace(std::size_t k, std::size_t start, const StringContext& context, ByteBuffer& out);

 private:
  struct Known {
    CodecTrial trial;
    std::size_t other = 0;  // as in ShownColumn
    std::string tail;

    void forget() { *this = {}; }
  };
  struct Column {
    StringSource strings;
    bool is_known = false;
    bool is_other = false;  // it has the digits of another
    bool is_shown = false;
  };

  bool may_be_other(std::size_t other, std::size_t k) const;
  bool find(std::size_t k, Known* known) const;
  bool append(std::size_t k, const Known& known, const StringContext& context, ByteBuffer& out);
  void note(std::size_t k, const Known& known);

  KnownColumns<Known, 256> known_;
  std::vector<Column> columns_;
  Known* current_ = nullptr;  // of the column that is under way; nullptr: nothing is looked for
  std::vector<StringRef> fronts_;
  std::vector<std::uint32_t> characters_;
};

}  // namespace steno::format
