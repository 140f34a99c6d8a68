// The context of the C API: fields of records, set and taken back in C.
#include <gtest/gtest.h>
#include <steno/c.h>
#include <steno/reader.h>
#include <steno/session.h>

#include <string>
#include <thread>
#include <vector>

#include "../session/log_test.h"
#include "context.h"

namespace steno_test {
namespace {

class CContextTest : public LogTest {
 protected:
  // Each message with its fields, by name and type.
  std::vector<std::string> lines() {
    steno::stop();
    std::vector<std::string> out;
    auto reader = steno::LogReader::open({path()});
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    if (!reader.ok()) return out;
    reader->for_each([&](const steno::Record& record) {
      std::string line = record.message();
      for (std::size_t i = 0; i < record.argument_count(); ++i) {
        const steno::Argument field = record.argument(i);
        line += " " + std::string(field.name()) + "=";
        field.append_text(&line);
      }
      out.push_back(line);
    });
    return out;
  }
};

using Lines = std::vector<std::string>;

TEST_F(CContextTest, HoldsUntilTheEndOfTheBlock) {
  start();
  c_log_in_context();
  EXPECT_EQ(lines(), (Lines{"before", "within request=7 user=ada", "in a function request=7 user=ada step=1",
                            "in a function request=7 user=ada step=-2", "hidden request=7 user=bob",
                            "as before request=7 user=ada", "after"}));
}

TEST_F(CContextTest, TakesEachType) {
  start();
  c_log_in_each_type();
  EXPECT_EQ(lines(), (Lines{"each type b=true c=97 i=-1 l=-9223372036854775808 u=18446744073709551615 f=0.5 d=-2.25 "
                            "s=text n=(null)",
                            "none"}));
}

TEST_F(CContextTest, IsOfItsThread) {
  start();
  const steno_context_scope scope = steno_context_set_integer("of", 1);
  std::thread([] { STENO_INFO("other thread"); }).join();
  STENO_INFO("own thread");
  steno_context_clear(scope);
  EXPECT_EQ(lines(), (Lines{"other thread", "own thread of=1"}));
}

}  // namespace
}  // namespace steno_test
