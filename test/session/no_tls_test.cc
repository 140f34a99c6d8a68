// Tests tls:// in a steno that was built without OpenSSL's headers: src/sink/tls_peer.cc is compiled so here.
#include <gtest/gtest.h>

#include "sink/peer.h"

namespace steno::sink {
namespace {

TEST(NoTls, SaysSo) {
  const auto peer = make_tls_peer({}, {}, {});
  ASSERT_FALSE(peer.ok());
  EXPECT_EQ(peer.status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(peer.status().message(), "tls:// needs OpenSSL, and this steno was built without its headers");
}

}  // namespace
}  // namespace steno::sink
