// Tests which names and addresses a server of `steno web` takes for its own.
#include <gtest/gtest.h>

#include <algorithm>

#include "web/addresses.h"
#include "web/guard.h"
#include "web/request.h"

namespace steno::cli::web {
namespace {

TEST(WebAddresses, OnlyTheMachineReachesLoopback) {
  for (const char* address : {"127.0.0.1", "127.255.1.2", "::1", "0:0:0:0:0:0:0:1", "localhost"}) {
    EXPECT_TRUE(is_loopback(address)) << address;
  }
  for (const char* address : {"127.evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0",
                              "::", "128.0.0.1", "::2", "", "127.", "example.org"}) {
    EXPECT_FALSE(is_loopback(address)) << address;
  }
}

TEST(WebAddresses, AnyAddressHasTheNamesOfTheMachine) {
  for (const char* address : {"0.0.0.0", "::"}) {
    const std::vector<std::string> hosts = hosts_of(address);
    for (const char* name : {"localhost", "127.0.0.1", "[::1]"}) {
      EXPECT_NE(std::find(hosts.begin(), hosts.end(), name), hosts.end()) << name;
    }
  }
  EXPECT_EQ(hosts_of("LOG.example.org"), std::vector<std::string>{"log.example.org"});
  EXPECT_EQ(hosts_of("2001:DB8:0:0::7"), std::vector<std::string>{"[2001:db8::7]"});
}

TEST(WebGuard, BrowsersLeaveOutThePortOfTheScheme) {
  const Guard plain({"localhost"}, 80, false);
  const Guard tls({"localhost"}, 443, true);
  const Guard other({"localhost"}, 8080, false);
  const Guard swapped({"localhost"}, 443, false);
  for (const Guard* guard : {&plain, &tls}) {
    EXPECT_TRUE(guard->is_own_host("localhost"));
    EXPECT_FALSE(guard->is_own_host("localhost:"));
    EXPECT_FALSE(guard->is_own_host("localhost:8080"));
    EXPECT_FALSE(guard->is_own_host("evil.example"));
  }
  EXPECT_TRUE(plain.is_own_host("localhost:80"));
  EXPECT_TRUE(plain.is_own_origin("http://localhost"));
  EXPECT_TRUE(tls.is_own_origin("https://localhost"));
  EXPECT_FALSE(plain.is_own_origin("https://localhost"));
  EXPECT_FALSE(other.is_own_host("localhost"));
  EXPECT_FALSE(swapped.is_own_host("localhost"));
}

// A question that takes too long is stopped, and knows why.
TEST(WebRequests, StopsWorkThatTakesTooLong) {
  Requests requests(1);
  Requests::Work work(&requests, {"192.0.2.1", 1});
  EXPECT_TRUE(work.is_in_time());
  while (!work.meter()->is_stopped()) std::this_thread::yield();
  EXPECT_TRUE(work.is_too_long());
}

}  // namespace
}  // namespace steno::cli::web
