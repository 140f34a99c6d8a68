// One face for every logger that is measured: the six messages of the NanoLog paper (Table 3) and how to start and
// stop.
//
// A peer is an adapter of static functions in a file of its own, made a Peer by PeerOf. The loops over the messages are
// instantiated in the adapter's file, so that its log statements inline into them as they would in a program. One
// thread logs; where the adapters are compiled with STENO_PEERS_OF_MANY_THREADS, any number may.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace steno::bench {

enum class Message { kStatic, kString, kInteger, kTwoIntegers, kDouble, kComplex };

inline constexpr int kMessages = 6;
inline constexpr const char* kMessageNames[kMessages] = {"static",   "39-byte string", "int",
                                                         "two ints", "double",         "4 ints + double"};

// The arguments. Variables that the compiler cannot see through, so that no call is folded into a constant.
struct Arguments {
  const char* address = "basic+udp:host=192.168.1.140,port=12246";
  int speed = 181;
  int consumed = 1'032'024;
  int allocated = 1'016'544;
  double ratio = 0.40;
  int receive_buffers = 50'000;
  int receive_mb = 97;
  int transmit_buffers = 50;
  int transmit_mb = 0;
  double took_ms = 26.2;
};
extern Arguments arguments;

class Peer {
 public:
  virtual ~Peer() = default;
  virtual const char* name() const = 0;
  // Opens the log; threads that this makes stay where the caller is pinned.
  virtual void start(const std::string& path) = 0;
  // Logs `message` so many times.
  virtual void log(Message message, std::size_t times) = 0;
  // Returns when everything logged is in the file.
  virtual void flush() = 0;
  virtual void stop() = 0;
};

// Adapter: kName, start(path), flush(), stop(), and the six messages as functions of the iteration.
template <class Adapter>
class PeerOf final : public Peer {
 public:
  const char* name() const override { return Adapter::kName; }
  void start(const std::string& path) override { Adapter::start(path); }
  void flush() override { Adapter::flush(); }
  void stop() override { Adapter::stop(); }

  void log(Message message, std::size_t times) override {
    switch (message) {
      case Message::kStatic:
        return loop<Adapter::log_static>(times);
      case Message::kString:
        return loop<Adapter::log_string>(times);
      case Message::kInteger:
        return loop<Adapter::log_integer>(times);
      case Message::kTwoIntegers:
        return loop<Adapter::log_two_integers>(times);
      case Message::kDouble:
        return loop<Adapter::log_double>(times);
      case Message::kComplex:
        return loop<Adapter::log_complex>(times);
    }
  }

 private:
  template <void (*kLog)(std::size_t)>
  static void loop(std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) kLog(i);
  }
};

// Each defined in a file of its own; CMake says by STENO_PEER_... which are there.
std::unique_ptr<Peer> make_steno();
std::unique_ptr<Peer> make_spdlog_sync();
std::unique_ptr<Peer> make_spdlog_async();
std::unique_ptr<Peer> make_glog();
std::unique_ptr<Peer> make_boost_log();

// All that were compiled in, steno first.
std::vector<std::unique_ptr<Peer>> make_peers();

}  // namespace steno::bench
