// Selects which of the ordered records are printed: the first ones, or those around matches of a filter.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "reader/slab.h"

namespace steno::cli {

// The result for a slab. A slice without a block stands for a gap between two contexts.
using Slices = std::vector<reader::Slice>;

// Called with one slab after another, in order.
class Selection {
 public:
  virtual ~Selection() = default;
  // Leaves those that are to be printed; blocks of earlier slabs that these are of are added to the slab's.
  virtual void take(reader::Slab* slab, Slices* slices) = 0;
  // Nothing more will be printed.
  virtual bool done() const = 0;
};

// The first n.
std::unique_ptr<Selection> select_head(std::uint64_t n);

// Matches with this many records before and after, as grep prints them; `head`: only the first n matches. Needs
// ReadOptions::keep_all.
struct Context {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  std::optional<std::uint64_t> head;
};
std::unique_ptr<Selection> select_context(const Context& context);

// Leaves the last n.
void keep_last(std::uint64_t n, Slices* slices);

}  // namespace steno::cli
