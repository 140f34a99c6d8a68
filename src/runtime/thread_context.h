// The context of one thread (steno/context.h), and its record (ring.md §4.1).
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/context.h"

namespace steno::runtime {

// A stack of fields. Not on the heap, and nothing is allocated: signal handlers use it.
class ThreadContext {
 public:
  unsigned fields() const { return count_; }
  // The most bytes that write() gives.
  std::size_t size() const { return size_; }
  // False: it does not fit, or the name is none. `name` must stay; the value is copied. `size`: kNullBytes of a string
  // is null.
  bool push(const char* name, char type, const void* value, std::size_t size);
  // Back to so many fields.
  void pop_to(unsigned fields);
  // Writes the part of the record after its clock: of several fields of one name the one that was pushed last. At most
  // kMostContext bytes; returns how many.
  std::size_t write(std::byte* out) const;
  // Copies these fields for push_copy(): they are written to `out` if `room` bytes are enough. Returns the size; 0: no
  // fields.
  std::size_t copy(char* out, std::size_t room) const;
  // Pushes the fields of copy(), whose names stay where they are in `copy`. Those that do not fit are left out. False:
  // none was pushed.
  bool push_copy(const char* copy, std::size_t size);

 private:
  struct Field {
    const char* name;
    std::uint8_t name_size;
    char type;
    std::uint16_t at;    // in values_
    std::uint32_t size;  // kNullString: a null string
    std::uint16_t bytes() const;
  };
  static constexpr std::size_t kFieldCost = 2;  // type and size of the name

  bool is_hidden(unsigned i) const;

  Field fields_[wire::kMostContextFields];
  unsigned count_ = 0;
  std::size_t size_ = 1;  // of the record if nothing is hidden
  std::size_t used_ = 0;
  std::byte values_[wire::kMostContext];
};

}  // namespace steno::runtime
