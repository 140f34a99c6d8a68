// The values of a context that all records of a group are in are said once: the block is byte for byte that of records
// which each have them.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "drain/span_walker.h"
#include "format/data_writer.h"
#include "registry/registry.h"

namespace steno::drain {
namespace {

class PlainIds final : public IdSource {
 public:
  bool find_site(std::uint32_t id, wire::SiteInfo* info) override {
    return registry::Registry::instance().find(id, info);
  }
  bool is_missing(std::uint32_t) override { return false; }
  std::uint32_t sites_end() override { return registry::Registry::instance().end(); }
  bool find_logger(std::uint32_t, std::string*) override { return false; }
};

template <class T>
void put(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A ring's bytes in the making.
class Records {
 public:
  void add(std::uint32_t site, std::uint64_t clock, const std::string& bytes) {
    const std::size_t size = (wire::kArgsOffset + bytes.size() + 7) / 8;
    put(bytes_, wire::Header{site, static_cast<std::uint16_t>(size), 0}.pack());
    put(bytes_, clock);
    bytes_ += bytes;
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
  }
  // Returns the records as a ring has them. The memory is larger, because a walk may read beyond them.
  std::vector<std::uint64_t> memory() const {
    std::vector<std::uint64_t> out(std::bit_ceil(bytes_.size() / 8 + 64));
    std::memcpy(out.data(), bytes_.data(), bytes_.size());
    return out;
  }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

class ContextsApart : public ::testing::Test {
 protected:
  ContextsApart() {
    static std::uint64_t words[2] = {};
    static const detail::SiteEntry sites[] = {
        {&words[0], &words[0], "{} {}", "f.cc", "f", "iS", 1, 5, Level::kInfo, 0, false},
        {&words[1], &words[1], "{} {} {}", "f.cc", "f", "Sjj", 2, 8, Level::kWarn, 0, false}};
    for (int i = 0; i < 2; ++i) sites_[i] = static_cast<std::uint32_t>(detail::register_site(sites[i]));
  }

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::string text() { return std::string(below(20), static_cast<char>('a' + below(4))); }

  std::string context(std::uint64_t kind) {
    std::string out;
    if (kind == 0) {
      out = std::string("\4mSjS\2\1\1\1idtnu", 14);
      const std::string first = text();
      const std::string last = text();
      put(out, below(3));
      put(out, static_cast<std::uint32_t>(first.size()));
      put(out, static_cast<std::uint32_t>(below(2)));
      const bool is_null = below(4) == 0;
      put(out, is_null ? kNullString : static_cast<std::uint32_t>(last.size()));
      out += first + (is_null ? "" : last);
    } else if (kind == 1) {
      out = std::string("\2jj\1\1ab", 7);
      put(out, static_cast<std::uint32_t>(7));
      put(out, static_cast<std::uint32_t>(below(2)));
    } else {
      out = std::string("\0", 1);
    }
    return out;
  }

  void log(Records& records) {
    const std::string message = text();
    std::string bytes;
    if (below(3) != 0) {
      put(bytes, static_cast<std::int32_t>(below(100)));
      put(bytes, static_cast<std::uint32_t>(message.size()));
      records.add(sites_[0], ++clock_, bytes + message);
    } else {
      put(bytes, static_cast<std::uint32_t>(message.size()));
      put(bytes, static_cast<std::uint32_t>(below(2)));
      put(bytes, static_cast<std::uint32_t>(below(1000)));
      records.add(sites_[1], ++clock_, bytes + message);
    }
  }

  // The block of these records; whether a group's context is apart.
  ByteBuffer block(const std::vector<std::uint64_t>& memory, std::size_t size, bool apart, bool* found) {
    PlainIds ids;
    const ClockModel clock({0, 0, 0}, 1.0);
    SpanWalker walker(ids, clock, false);
    const auto* const data = reinterpret_cast<const std::byte*>(memory.data());
    wire::RingOwner owner;
    RingCursor cursor;
    walker.begin(data);
    EXPECT_TRUE(walker.add({0, data, {0, memory.size() * 8}, 0}, &owner, size, &cursor));
    EXPECT_EQ(cursor.head, size);
    EXPECT_EQ(walker.take_corrupt_bytes(), 0u);
    const format::BlockInput input = walker.finish(apart);
    *found = false;
    for (const format::Group& group : input.groups) *found = *found || group.own_layout != nullptr;
    ByteBuffer out;
    format::DataWriter writer({.shared_bytes = 1 << 16});
    writer.write(input, {}, out);
    return out;
  }

  void compare() {
    Records records;
    const std::uint64_t changes = below(4);  // none, few, and many
    std::string current = context(0);
    const std::uint64_t count = 1 + below(1500);
    records.add(wire::kSiteContext, ++clock_, current);
    for (std::uint64_t i = 0; i < count; ++i) {
      const bool is_due = changes == 1   ? below(200) == 0
                          : changes == 2 ? below(20) == 0
                                         : changes == 3 && below(2) == 0;
      // A context may change to the one that it was before.
      if (is_due) records.add(wire::kSiteContext, ++clock_, below(3) == 0 ? current : context(below(3)));
      log(records);
    }
    const std::vector<std::uint64_t> memory = records.memory();
    bool is_apart;
    const ByteBuffer whole = block(memory, records.size(), false, &is_apart);
    EXPECT_FALSE(is_apart);
    const ByteBuffer apart = block(memory, records.size(), true, &is_apart);
    EXPECT_TRUE(is_apart || changes != 0 || count < 400);
    ASSERT_EQ(whole.size(), apart.size());
    EXPECT_EQ(std::memcmp(whole.data(), apart.data(), whole.size()), 0);
  }

  std::mt19937_64 random_;
  std::uint32_t sites_[2] = {};
  std::uint64_t clock_ = 0;
};

TEST_F(ContextsApart, ABlockHasTheSameBytes) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    random_.seed(seed);
    compare();
  }
}

}  // namespace
}  // namespace steno::drain
