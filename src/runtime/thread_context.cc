#include "runtime/thread_context.h"

#include <cstring>

#include "steno/detail/arg_type.h"
#include "steno/detail/capture.h"

namespace steno::runtime {
namespace {

constexpr std::size_t kMostName = 63;
constexpr std::size_t kLengthSlot = 4;

// Before each field of a copy; its name and a NUL follow, then its value. Nothing there is aligned.
struct CopiedField {
  std::uint32_t size;  // of the value; kNullString: a null string
  std::uint8_t name_size;
  char type;
};
constexpr std::size_t kCopiedHead = sizeof(CopiedField);

// Names of this form are reserved for flags of absent arguments (types.md).
bool looks_like_flag(const char* name) {
  return (name[0] == '?' || name[0] == '|') && name[1] >= '0' && name[1] <= '9';
}

}  // namespace

std::uint16_t ThreadContext::Field::bytes() const {
  return size == kNullString ? std::uint16_t{0} : static_cast<std::uint16_t>(size);
}

bool ThreadContext::push(const char* name, char type, const void* value, std::size_t size) {
  const std::size_t name_size = name != nullptr ? strnlen(name, kMostName + 1) : 0;
  const bool is_text = is_string(static_cast<ArgType>(type));
  const bool is_null = is_text && size == detail::kNullBytes;
  const std::size_t bytes = is_null ? 0 : size;
  if (name_size == 0 || name_size > kMostName || looks_like_flag(name)) return false;
  if (count_ == wire::kMostContextFields) return false;
  if (bytes > wire::kMostContext) return false;
  const std::size_t cost = kFieldCost + name_size + bytes + (is_text ? kLengthSlot : 0);
  if (size_ + cost > wire::kMostContext) return false;
  fields_[count_] = {name, static_cast<std::uint8_t>(name_size), type, static_cast<std::uint16_t>(used_),
                     is_null ? kNullString : static_cast<std::uint32_t>(size)};
  if (bytes != 0) std::memcpy(values_ + used_, value, bytes);
  used_ += bytes;
  size_ += cost;
  ++count_;
  return true;
}

void ThreadContext::pop_to(unsigned fields) {
  while (count_ > fields) {
    const Field& field = fields_[--count_];
    used_ = field.at;
    size_ -=
        kFieldCost + field.name_size + field.bytes() + (is_string(static_cast<ArgType>(field.type)) ? kLengthSlot : 0);
  }
}

bool ThreadContext::is_hidden(unsigned i) const {
  for (unsigned k = i + 1; k < count_; ++k) {
    if (fields_[k].name_size == fields_[i].name_size &&
        std::memcmp(fields_[k].name, fields_[i].name, fields_[i].name_size) == 0) {
      return true;
    }
  }
  return false;
}

std::size_t ThreadContext::write(std::byte* out) const {
  const Field* shown[wire::kMostContextFields];
  std::size_t n = 0;
  for (unsigned i = 0; i < count_; ++i) {
    if (!is_hidden(i)) shown[n++] = &fields_[i];
  }
  std::byte* p = out;
  const auto put = [&p](const void* data, std::size_t size) {
    std::memcpy(p, data, size);
    p += size;
  };
  *p++ = static_cast<std::byte>(n);
  for (std::size_t i = 0; i < n; ++i) *p++ = static_cast<std::byte>(shown[i]->type);
  for (std::size_t i = 0; i < n; ++i) *p++ = static_cast<std::byte>(shown[i]->name_size);
  for (std::size_t i = 0; i < n; ++i) put(shown[i]->name, shown[i]->name_size);
  for (std::size_t i = 0; i < n; ++i) {
    if (is_string(static_cast<ArgType>(shown[i]->type))) {
      put(&shown[i]->size, sizeof shown[i]->size);
    } else {
      put(values_ + shown[i]->at, shown[i]->bytes());
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (is_string(static_cast<ArgType>(shown[i]->type))) put(values_ + shown[i]->at, shown[i]->bytes());
  }
  return static_cast<std::size_t>(p - out);
}

std::size_t ThreadContext::copy(char* out, std::size_t room) const {
  std::size_t size = 0;
  for (unsigned i = 0; i < count_; ++i) {
    if (!is_hidden(i)) size += kCopiedHead + fields_[i].name_size + 1 + fields_[i].bytes();
  }
  if (size > room) return size;
  for (unsigned i = 0; i < count_; ++i) {
    if (is_hidden(i)) continue;
    const Field& field = fields_[i];
    const CopiedField head = {field.size, field.name_size, field.type};
    std::memcpy(out, &head, kCopiedHead);
    out += kCopiedHead;
    std::memcpy(out, field.name, field.name_size);
    out[field.name_size] = '\0';
    out += field.name_size + 1;
    std::memcpy(out, values_ + field.at, field.bytes());
    out += field.bytes();
  }
  return size;
}

bool ThreadContext::push_copy(const char* copy, std::size_t size) {
  const unsigned before = count_;
  for (const char* const end = copy + size; copy != end;) {
    CopiedField head;
    std::memcpy(&head, copy, kCopiedHead);
    const char* const name = copy + kCopiedHead;
    const char* const value = name + head.name_size + 1;
    const bool is_null = head.size == kNullString;
    (void)push(name, head.type, value, is_null ? detail::kNullBytes : head.size);
    copy = value + (is_null ? 0 : head.size);
  }
  return count_ != before;
}

}  // namespace steno::runtime
