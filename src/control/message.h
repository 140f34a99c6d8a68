// Requests to a process from outside, and its answers: the file `control` (ring.md §6). Both sides trust nothing in it.
// File descriptors, not mappings: a file that shrinks meanwhile is an error, not a signal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace steno::control {

inline constexpr std::uint64_t kMagic = 0x4C54434F4E455453;  // "STENOCTL"
inline constexpr std::uint64_t kRequestOffset = 0;
inline constexpr std::uint64_t kAnswerOffset = 131072;
inline constexpr std::size_t kMostRequest = 65600;  // the longest rules, and a word before them
inline constexpr std::size_t kMostAnswer = std::size_t{16} << 20;

// Values of Message::code for answers.
inline constexpr std::uint32_t kDone = 0;
inline constexpr std::uint32_t kRefused = 1;  // in part or all; the text says why
inline constexpr std::uint32_t kUnknown = 2;  // this process does not know the request

struct Header {
  std::uint64_t magic;
  std::uint32_t number;  // of the request
  std::uint32_t code;
  std::uint64_t size;      // of the text that follows
  std::uint64_t checksum;  // XXH3-64 of the text, with the number as seed
};
static_assert(sizeof(Header) == 32);

struct Message {
  std::uint32_t number = 0;
  std::uint32_t code = 0;
  std::string text;
};

// Opens the control file of a staging directory to answer, if it belongs to this user or root and nobody else may
// access it; else -1.
int open_file(const std::string& staging);
// An error number, or 0.
int write_message(int fd, std::uint64_t offset, const Message& message);
// False: there is no message, or it is longer than `most`, half written or damaged.
bool read_message(int fd, std::uint64_t offset, std::size_t most, Message* message);

}  // namespace steno::control
