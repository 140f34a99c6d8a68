#include "read/bare_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "common/harness.h"

namespace steno::bench {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 18;
constexpr std::size_t kLine = 512;  // at most

constexpr char kPairs[] =
    "000102030405060708091011121314151617181920212223242526272829303132333435363738394041424344454647484950515253545556"
    "57"
    "5859606162636465666768697071727374757677787980818283848586878889909192939495969798"
    "99";

char* put(char* p, std::string_view text) {
  std::memcpy(p, text.data(), text.size());
  return p + text.size();
}
char* put(char* p, int value) {
  return std::to_chars(p, p + 16, value).ptr;
}
char* put(char* p, double value) {
  return std::to_chars(p, p + 400, value, std::chars_format::fixed, 1).ptr;
}

// Nine digits.
void put_nanoseconds(char* p, std::uint32_t ns) {
  p[8] = static_cast<char>('0' + ns % 10);
  ns /= 10;
  for (int i = 6; i >= 0; i -= 2) {
    std::memcpy(p + i, kPairs + 2 * (ns % 100), 2);
    ns /= 100;
  }
}

// The date is that of the second before; only what follows the point changes.
char* put_prefix(char* p, std::uint32_t ns) {
  constexpr std::string_view kDate = "2026-11-20 22:24:43.";
  put(p, kDate);
  put_nanoseconds(p + kDate.size(), ns);
  return put(p + kDate.size() + 9, "Z INFO   [4243] six_messages.h:17 ");
}

char* put_message(char* p, Message message, const Arguments& a) {
  switch (message) {
    case Message::kStatic:
      return put(p, "Starting backup replica garbage collector thread\n");
    case Message::kString:
      return put(put(put(p, "Opened session with coordinator at "), std::string_view(a.address)), "\n");
    case Message::kInteger:
      return put(put(put(p, "Backup storage speeds (min): "), a.speed), " MB/s read\n");
    case Message::kTwoIntegers:
      p = put(put(p, "buffer has consumed "), a.consumed);
      return put(put(put(p, " bytes of extra storage, current allocation: "), a.allocated), " bytes\n");
    case Message::kDouble:
      return put(put(put(p, "Using tombstone ratio balancer with ratio = "), a.ratio), "\n");
    case Message::kComplex:
      p = put(put(p, "Initialized InfUdDriver buffers: "), a.receive_buffers);
      p = put(put(p, " receive buffers ("), a.receive_mb);
      p = put(put(p, " MB), "), a.transmit_buffers);
      p = put(put(p, " transmit buffers ("), a.transmit_mb);
      return put(put(put(p, " MB), took "), a.took_ms), " ms\n");
  }
  return p;
}

template <Message kMessage>
double run(std::size_t lines) {
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  std::vector<char> buffer(kBuffer + kLine);
  const double begin = seconds_now();
  char* p = buffer.data();
  std::uint32_t ns = 0;
  const auto flush = [&] {
    if (::write(null, buffer.data(), static_cast<std::size_t>(p - buffer.data())) < 0) return;
    p = buffer.data();
  };
  for (std::size_t i = 0; i < lines; ++i) {
    p = put_prefix(p, ns);
    p = put_message(p, kMessage, arguments);
    forget_registers();
    ns = ns >= 999'999'000 ? 0 : ns + 47;
    if (p >= buffer.data() + kBuffer) flush();
  }
  flush();
  const double seconds = seconds_now() - begin;
  ::close(null);
  return seconds;
}

}  // namespace

double bare_lines_seconds(Message message, std::size_t lines) {
  switch (message) {
    case Message::kStatic:
      return run<Message::kStatic>(lines);
    case Message::kString:
      return run<Message::kString>(lines);
    case Message::kInteger:
      return run<Message::kInteger>(lines);
    case Message::kTwoIntegers:
      return run<Message::kTwoIntegers>(lines);
    case Message::kDouble:
      return run<Message::kDouble>(lines);
    case Message::kComplex:
      return run<Message::kComplex>(lines);
  }
  return 0;
}

}  // namespace steno::bench
