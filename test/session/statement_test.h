// A log whose messages are compared with what they should be.
#pragma once

#include <string>
#include <vector>

#include "log_test.h"

namespace steno_test {

class StatementTest : public LogTest {
 protected:
  void expect(const std::vector<std::string>& messages) {
    const Log log = finish();
    ASSERT_EQ(log.rows.size(), messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) EXPECT_EQ(log.rows[i].message, messages[i]) << i;
    EXPECT_TRUE(log.losses.empty()) << log.losses.front();
  }
};

}  // namespace steno_test
