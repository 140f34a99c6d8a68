#include "base/code_place.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace steno {
namespace {

// The number to subtract from addresses of a module to have those of its file. `begin`: where its first page lies, of
// memory that may be read up to `end`.
std::uint64_t load_bias(std::uint64_t begin, std::uint64_t end) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(begin);
  if (end - begin < sizeof(ElfW(Ehdr)) || std::memcmp(bytes, ELFMAG, SELFMAG) != 0) return begin;
  ElfW(Ehdr) header;
  std::memcpy(&header, bytes, sizeof header);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const std::uint64_t at = header.e_phoff + i * sizeof(ElfW(Phdr));
    if (at > end - begin || end - begin - at < sizeof(ElfW(Phdr))) break;
    ElfW(Phdr) segment;
    std::memcpy(&segment, bytes + at, sizeof segment);
    if (segment.p_type == PT_LOAD) return begin - (segment.p_vaddr - segment.p_offset);
  }
  return begin;
}

std::uint64_t take_hex(std::string_view* text) {
  std::uint64_t value = 0;
  while (!text->empty()) {
    const char c = text->front();
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) break;
    value = value << 4 | static_cast<std::uint64_t>(digit);
    text->remove_prefix(1);
  }
  return value;
}

void skip_word(std::string_view* text) {
  text->remove_prefix(std::min(text->find(' '), text->size()));
  text->remove_prefix(std::min(text->find_first_not_of(' '), text->size()));
}

}  // namespace

// begin-end rwxp offset device inode   path
bool CodePlaces::parse(std::string_view line, Mapping* mapping) {
  mapping->begin = take_hex(&line);
  if (line.empty() || line.front() != '-') return false;
  line.remove_prefix(1);
  mapping->end = take_hex(&line);
  if (line.size() < 6) return false;
  mapping->readable = line[1] == 'r';
  mapping->executable = line[3] == 'x';
  line.remove_prefix(6);
  mapping->offset = take_hex(&line);
  for (int i = 0; i < 3; ++i) skip_word(&line);
  mapping->path = line;
  return true;
}

std::string_view CodePlaces::keep(std::string_view path) {
  if (path.size() > sizeof names_ - names_size_) return "?";
  char* const name = names_ + names_size_;
  std::memcpy(name, path.data(), path.size());
  names_size_ += path.size();
  return {name, path.size()};
}

void CodePlaces::take(const Mapping& mapping, CodePlace* places, std::size_t count) {
  const auto is_of_module = [&] {
    return !mapping.path.empty() && mapping.path == std::string_view(path_, path_size_);
  };
  if (mapping.offset == 0 && !mapping.path.empty() && mapping.path.size() <= sizeof path_) {
    first_ = mapping;
    std::memcpy(path_, mapping.path.data(), mapping.path.size());
    path_size_ = mapping.path.size();
  }
  std::string_view name;
  for (std::size_t i = 0; i < count; ++i) {
    CodePlace& place = places[i];
    if (place.address < mapping.begin || place.address >= mapping.end) continue;
    place.executable = mapping.executable;
    if (mapping.path.empty()) continue;
    if (name.empty()) name = keep(mapping.path);
    place.module = name;
    place.offset = is_of_module() && first_.readable ? place.address - load_bias(first_.begin, first_.end)
                                                     : place.address - mapping.begin + mapping.offset;
  }
}

bool CodePlaces::locate(CodePlace* places, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) places[i].offset = places[i].address;
  path_size_ = 0;
  fd_ = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) return false;
  std::size_t size = 0;
  for (;;) {
    const ssize_t n = ::read(fd_, line_ + size, sizeof line_ - size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    size += static_cast<std::size_t>(n);
    std::string_view left(line_, size);
    for (std::size_t end = 0; (end = left.find('\n')) != std::string_view::npos; left.remove_prefix(end + 1)) {
      Mapping mapping;
      if (parse(left.substr(0, end), &mapping)) take(mapping, places, count);
    }
    if (left.size() == sizeof line_) left = {};  // no line is so long
    std::memmove(line_, left.data(), left.size());
    size = left.size();
  }
  close();
  return true;
}

void CodePlaces::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace steno
