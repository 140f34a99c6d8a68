#include "file_builder.h"
#include "format/packed_session.h"
#include "vectors.h"

namespace steno::test {
namespace {

std::string connection(std::uint64_t n, bool rows) {
  FileBuilder b(rows);
  const std::uint64_t ticks = 1'000'000 * n;
  b.session(0x9876'5432'1000'0000 + n * 0x10'0001, 1, static_cast<std::uint32_t>(4000 + n))
      .site(16, Level::kInfo, "connection from {client}:{port}", "Si")
      .site(17, Level::kInfo, "SELECT {query_id}: {rows} rows in {duration} ns, for {user} of {database}", "lmmSS")
      .thread(0, 1, "postgres", 4000 + n)
      .clock({{ticks, static_cast<std::int64_t>(FileBuilder::kStart + 300'000 * n), 0.25, 40, 0}});
  b.log(0, 16, ticks + 100, Args().text("127.0.0.1").i32(static_cast<std::int32_t>(50'000 + n)))
      .log(0, 17, ticks + 5000 + n * n,
           Args()
               .add('l', std::int64_t{-6113423942377217313})
               .u64(n % 2)
               .u64(1234 * n)
               .text(n % 3 == 0 ? "app" : "reporting")
               .text("shop"));
  return b.end().bytes();
}

}  // namespace

std::string packed_sessions(bool with_model) {
  ByteBuffer file;
  ByteBuffer model;
  for (std::uint64_t n = 0; n < 10; ++n) {
    const std::string bytes = connection(n, n % 2 == 0);
    const std::uint64_t id = 0x9876'5432'1000'0000 + n * 0x10'0001;
    ByteBuffer blocks;
    blocks.put_bytes(bytes.data(), bytes.size());
    if (n != 0) (void)format::raise_version(&blocks);
    if (n < 2) file.put_bytes(blocks.data(), blocks.size());
    ByteBuffer bare;
    (void)format::append_bare({blocks.data(), blocks.size()}, bare);
    if (n == 1) {
      if (with_model) format::append_model(file, id, {bare.data(), bare.size()});
      model = std::move(bare);
    } else if (n > 1) {
      (void)format::append_packed_session(file, id, {bare.data(), bare.size()}, {model.data(), model.size()});
    }
  }
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

}  // namespace steno::test
