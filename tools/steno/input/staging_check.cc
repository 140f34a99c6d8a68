#include "input/staging_check.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/bytes.h"
#include "format/clock_block.h"
#include "ring/layout.h"
#include "ring/ring_access.h"
#include "text/printer.h"
#include "wire/context.h"
#include "wire/dictionary.h"
#include "wire/record.h"

namespace steno::cli {
namespace {

constexpr std::size_t kMostProblems = 100;
constexpr std::uint32_t kLastClockKind = 5;

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return {};
  return std::string(std::istreambuf_iterator<char>(in), {});
}

class Checker final : private wire::DictionaryVisitor {
 public:
  explicit Checker(std::string directory) : directory_(std::move(directory)) {}

  Result<StagingCheck> run() {
    const auto session = read_file(directory_ + "/session");
    if (!session) return Status(StatusCode::kNotFound, directory_ + ": no readable file 'session'");
    if (session->size() != sizeof session_) {
      problem("session", "has " + std::to_string(session->size()) + " bytes, not 4096");
      return std::move(result_);
    }
    std::memcpy(&session_, session->data(), sizeof session_);
    if (!check_session()) return std::move(result_);
    if (!read_file(directory_ + "/consumer")) problem("consumer", "is missing");
    check_dictionary();
    for (std::uint32_t id = 0; id < session_.ring_count; ++id) check_ring(id);
    return std::move(result_);
  }

 private:
  using Text = std::string;

  void problem(const std::string& file, const std::string& what) {
    if (result_.problems.size() < kMostProblems) result_.problems.push_back(file + ": " + what);
  }

  // False: nothing else can be understood.
  bool check_session() {
    const auto wrong = [this](const std::string& what) { problem("session", what); };
    if (session_.magic != ring::kSessionMagic) {
      wrong("does not begin with \"STENOSES\"");
      return false;
    }
    if (session_.version != ring::kVersion) {
      wrong("has version " + std::to_string(session_.version) + "; this command checks version " +
            std::to_string(ring::kVersion));
      return false;
    }
    if (session_.session_id == 0) wrong("session_id is 0");
    if (session_.clock_kind == 0 || session_.clock_kind > kLastClockKind)
      wrong("unknown clock_kind " + std::to_string(session_.clock_kind));
    if (session_.state > ring::kRemoving) wrong("unknown state " + std::to_string(session_.state));
    if (session_.recorder_below > static_cast<std::uint32_t>(kLevelOff))
      wrong("recorder_below " + std::to_string(session_.recorder_below) + " is not a level");
    if (session_.stopped > 1 || session_.external > 1) wrong("stopped and external must be 0 or 1");
    if (session_.keeps_vacant > 1 || session_.vacant > 1) wrong("keeps_vacant and vacant must be 0 or 1");
    if (session_.vacant == 1 && session_.state != ring::kEnded) wrong("is vacant, but its state is not 2");
    check_text("log_path", session_.log_path);
    check_text("program", session_.program);
    if (session_.log_path[0] != '\0' && session_.log_path[0] != '/') wrong("log_path is not absolute");
    if (session_.state == ring::kRunning && session_.clock_points == 0)
      wrong("the session is running without a clock point");
    const std::uint64_t points = std::min(session_.clock_points, ring::kClockSlots);
    for (std::uint64_t n = session_.clock_points - points; n < session_.clock_points; ++n) {
      const ring::ClockSlot& slot = session_.clock_slots[n % ring::kClockSlots];
      const std::string name = "clock point " + std::to_string(n);
      if (!format::plausible_rate(slot.ns_per_tick)) wrong(name + ": its rate is impossible");
      if (n == session_.clock_points - points) continue;
      if (slot.ticks < session_.clock_slots[(n - 1) % ring::kClockSlots].ticks)
        wrong(name + ": earlier than its predecessor");
    }
    return true;
  }

  template <std::size_t kSize>
  void check_text(const char* name, const char (&text)[kSize]) {
    if (std::memchr(text, 0, kSize) == nullptr) problem("session", std::string(name) + " is not terminated by NUL");
  }

  void check_dictionary() {
    const auto bytes = read_file(directory_ + "/dictionary");
    if (!bytes) return problem("dictionary", "is missing");
    const std::uint64_t size = session_.dictionary_size;
    if (size > bytes->size()) {
      problem("dictionary",
              "has " + std::to_string(bytes->size()) + " bytes, but dictionary_size is " + std::to_string(size));
    }
    const std::size_t valid = std::min<std::uint64_t>(size, bytes->size());
    if (!wire::read_dictionary(bytes->data(), valid, *this)) problem("dictionary", "has a malformed entry");
    result_.statements = sites_.size();
  }

  void on_site(wire::SiteInfo site) override {
    const auto wrong = [&](const std::string& what) {
      problem("dictionary", "site " + std::to_string(site.id) + ": " + what);
    };
    if (site.id < wire::kFirstUserSite || site.id >= wire::kFirstContextSite)
      return wrong("its id is not within 16 to 2147483647");
    wire::Layout layout;
    if (!wire::Layout::parse(site.types, &layout)) {
      wrong("types '" + site.types + "' are not valid");
    } else if (const auto printer = text::Printer::compile(site.style, site.format, site.types); !printer.ok()) {
      wrong(printer.status().message());
    }
    if (site.stable_id != wire::stable_site_id(site))
      wrong("its stable_id is not the XXH3-64 of file, format and types");
    if (sites_.count(site.id) != 0) wrong("is defined twice");
    sites_[site.id] = std::move(layout);
  }
  void on_logger(wire::LoggerInfo logger) override { loggers_.insert(logger.id); }
  void on_thread(wire::ThreadInfo) override {
    problem("dictionary", "has a thread entry; threads belong into *thread* records of rings");
  }

  void check_ring(std::uint32_t id) {
    const std::string name = "ring-" + std::to_string(id);
    const auto wrong = [&](const std::string& what) { problem(name, what); };
    const auto bytes = read_file(directory_ + "/" + name);
    if (!bytes) return wrong("is missing, but ring_count is " + std::to_string(session_.ring_count));
    if (bytes->size() < ring::kHeaderBytes + ring::kMinCapacity) return wrong("is too short for a ring");
    std::memcpy(&header_, bytes->data(), sizeof header_);
    if (header_.magic != ring::kRingMagic) return wrong("does not begin with \"STENORNG\"");
    if (header_.version != ring::kVersion)
      return wrong("has version " + std::to_string(header_.version) + ", its session another");
    if (header_.kind > ring::kRecorderRing)
      return wrong("kind " + std::to_string(header_.kind) + " is unknown to this version");
    if (header_.ring_id != id) wrong("ring_id is " + std::to_string(header_.ring_id));
    if (!std::has_single_bit(header_.capacity) || header_.capacity < ring::kMinCapacity ||
        header_.capacity > bytes->size() - ring::kHeaderBytes) {
      return wrong("capacity is not a power of two of at least 4096, or is more than the file has after its header");
    }
    ++result_.rings;
    const ring::Release& release = header_.released[header_.releases % 2];
    if (header_.tail % 8 != 0 || header_.head % 8 != 0 || release.position % 8 != 0 || header_.base % 8 != 0)
      return wrong("tail, head, base and the release's position must be multiples of 8");
    if (header_.head > release.position || release.position > header_.tail ||
        header_.tail - header_.head > header_.capacity) {
      return wrong(
          "does not hold: head <= position of the release <= tail <= head + capacity: " + std::to_string(header_.head) +
          ", " + std::to_string(release.position) + ", " + std::to_string(header_.tail));
    }
    ring::OwnerSlots slots{};
    ring::copy_slots(header_, release, &slots);
    if (wire::Context context; slots.context.size > wire::kMostContext ||
                               !wire::Context::parse({slots.context.bytes, slots.context.size}, &context)) {
      wrong("the context of its release is malformed");
    }
    if (header_.kind == ring::kRecorderRing && header_.base != 0) wrong("the base of a flight recorder must be 0");
    if (header_.kind == ring::kRecorderRing && header_.dropped != 0) wrong("a flight recorder must not drop records");
    if (header_.taken % 8 != 0 || header_.taken > header_.tail)
      wrong("taken must be a multiple of 8, and not after tail");
    if (header_.left > header_.dropped) wrong("left is more than dropped");
    if (session_.vacant == 1 && (release.position != header_.tail || release.drops != header_.dropped))
      wrong("its staging is vacant, but it has records or drops that are not in the file");
    check_records(name, reinterpret_cast<const std::byte*>(bytes->data()) + ring::kHeaderBytes, release);
  }

  void check_records(const std::string& name, const std::byte* data, const ring::Release& release) {
    std::uint64_t drops = release.drops;
    const ring::Extent extent = {header_.base, header_.capacity};
    for (std::uint64_t position = release.position; position < header_.tail;) {
      const std::uint64_t offset = extent.address(position);
      const auto wrong = [&](const std::string& what) {
        problem(name, "position " + std::to_string(position) + " (byte " + std::to_string(ring::kHeaderBytes + offset) +
                          "): " + what);
      };
      const wire::Header header = wire::Header::unpack(load<std::uint64_t>(data + offset));
      const std::uint64_t room = std::min(header_.capacity - offset, header_.tail - position);
      if (header.size() == 0 || header.size() > room) {
        return wrong("a record of site " + std::to_string(header.site) + " and " + std::to_string(header.size()) +
                     " bytes, where at most " + std::to_string(room) + " fit; what follows was not checked");
      }
      if (const Text what = check_record(header, data + offset, &drops); !what.empty()) wrong(what);
      position += header.size();
    }
    if (drops > header_.dropped && header_.kind != ring::kRecorderRing) {
      problem(name,
              "records report " + std::to_string(drops) + " drops, but dropped is " + std::to_string(header_.dropped));
    }
  }

  // Its fault; empty: it has none.
  Text check_record(const wire::Header& header, const std::byte* record, std::uint64_t* drops) {
    const Text kind = "a record of site " + std::to_string(header.site);
    if (header.site == wire::kSitePad) return "";
    const bool of_recorder = header_.kind == ring::kRecorderRing;
    if ((header.site == wire::kSiteTaken || header.site == wire::kSiteRecorder) && !of_recorder)
      return kind + ", in a ring that is not a flight recorder";
    if (header.site == wire::kSiteContext) {
      wire::Context context;
      const bool sound =
          header.size() > wire::kArgsOffset &&
          wire::Context::parse(
              {reinterpret_cast<const char*>(record) + wire::kArgsOffset, header.size() - wire::kArgsOffset}, &context);
      const std::set<std::string_view> names(context.names.begin(), context.names.end());
      return !sound                                 ? "a malformed context record"
             : names.size() != context.names.size() ? "a context record with a duplicate name"
                                                    : "";
    }
    wire::Layout layout;
    if (header.site == wire::kSiteThread) {
      (void)wire::Layout::parse("jmS", &layout);
    } else if (header.site == wire::kSiteTaken) {
      (void)wire::Layout::parse("mm", &layout);
    } else if (const wire::SiteInfo* own = wire::protocol_site(header.site); own != nullptr) {
      (void)wire::Layout::parse(own->types, &layout);
    } else if (header.site < wire::kFirstUserSite) {
      ++result_.unknown;
      return "";
    } else if (const auto found = sites_.find(header.site); found != sites_.end()) {
      layout = found->second;
    } else {
      return kind + ", which is not in the dictionary";
    }
    if (header.site != wire::kSiteThread && header.site != wire::kSiteTaken) ++result_.records;
    const std::uint64_t end = header.size() >= layout.fixed_end ? layout.payloads_end(record) : layout.fixed_end;
    if (header.size() != round_up(end, 8)) {
      return kind + " has " + std::to_string(header.size()) + " bytes; its arguments need " +
             std::to_string(round_up(end, 8));
    }
    if (header.logger >= 1u << 15) return kind + ": the top bit of logger is set";
    if (header.logger != 0 && loggers_.count(header.logger) == 0)
      return kind + ": logger " + std::to_string(header.logger) + " is not in the dictionary";
    if (header.site == wire::kSiteDropped) *drops += load<std::uint64_t>(record + wire::kArgsOffset);
    return "";
  }

  const std::string directory_;
  StagingCheck result_;
  ring::SessionFile session_{};
  ring::RingHeader header_{};
  std::map<std::uint32_t, wire::Layout> sites_;
  std::set<std::uint32_t> loggers_;
};

}  // namespace

Result<StagingCheck> check_staging(const std::string& directory) {
  return Checker(directory).run();
}

}  // namespace steno::cli
