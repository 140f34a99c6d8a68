#include "drain/payload_ends.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace steno::drain {
namespace {

TEST(PayloadEnds, AreThoseOfTheLayout) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::string types(random() % 10, 'i');
    for (char& type : types) type = random() % 3 != 0 ? 'S' : 'i';
    wire::Layout layout;
    ASSERT_TRUE(wire::Layout::parse(types, &layout));
    const PayloadEnds ends(layout);
    std::vector<std::byte> record(layout.fixed_end);
    for (std::byte& byte : record) byte = static_cast<std::byte>(random());
    for (const wire::Field& field : layout.fields) {
      if (is_string(field.type) && random() % 4 == 0) store(record.data() + field.offset, kNullString);
    }
    EXPECT_EQ(ends.end(record.data()), layout.payloads_end(record.data())) << types;
  }
}

}  // namespace
}  // namespace steno::drain
