// Finds the columns of a group that follow from another one, and writes them as such (file.md §9.2.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "format/codecs/codec_trial.h"
#include "format/codecs/int_source.h"
#include "format/codecs/known_columns.h"
#include "format/codecs/related_ints.h"

namespace steno::format {

// One per writer; not thread-safe. Looking for relations takes some microseconds for each two columns of a group, and
// is the rarer the more often there were none.
class RelatedColumns {
 public:
  // A group's columns come, of so many values: their sources, of type integer, by argument; without values where the
  // column is none to look at. They must outlive the group.
  void begin(std::span<const IntSource> columns);
  // Comes before column k is written; `key` is what it is known by from block to block, 0: by nothing. True: it follows
  // from another as it did before, and was appended.
  [[nodiscard]] bool append_again(std::size_t k, std::uint64_t key, IntScratch& scratch, ByteBuffer& out);
  // `out` holds column k from `start` on. Replaces that by a related column, if that is smaller by an eighth.
  void replace(std::size_t k, std::size_t start, IntScratch& scratch, ByteBuffer& out);

 private:
  struct Known {
    CodecTrial trial;
    Relation relation = Relation::kOther;
    std::size_t other = 0;
    double bytes = 0;  // that a value took

    void forget() { *this = {}; }
  };
  struct Column {
    std::vector<std::uint64_t> values;
    Zone zone;  // of the values
    bool gathered = false;
    bool is_other = false;    // another column follows from it
    bool is_related = false;  // it follows from another
  };

  const std::vector<std::uint64_t>& values_of(std::size_t k);
  bool may_be_other(std::size_t k) const;
  bool find(std::size_t k, double bits, Known* known);
  void append(std::size_t k, const Known& known, IntScratch& scratch, ByteBuffer& out);
  void note(std::size_t k, std::size_t size, Known* known);

  KnownColumns<Known, 512> known_;
  std::span<const IntSource> sources_;
  std::vector<Column> columns_;  // of the group that is under way; more than it has, perhaps
  Known* current_ = nullptr;     // of the column that is under way; nullptr: none is looked for
  std::vector<std::uint64_t> rests_;
};

}  // namespace steno::format
