#include "vectors.h"

#include <cstring>
#include <string_view>

#include "file_builder.h"
#include "format/protocol_block.h"

namespace steno::test {
namespace {

template <class Unit>
std::string units(std::basic_string_view<Unit> text) {
  return std::string(reinterpret_cast<const char*>(text.data()), text.size() * sizeof(Unit));
}

}  // namespace

std::string all_types(bool rows) {
  FileBuilder b(rows);
  b.session().thread(0, 1, "main");
  b.site(16, Level::kTrace, "bool {} char {}", "bc");
  b.site(17, Level::kDebug, "signed {} {} {} {} {}", "asiln");
  b.site(18, Level::kInfo, "unsigned {} {} {} {} {}", "htjmo");
  b.site(19, Level::kNotice, "floating {} {} {}", "fde");
  b.site(20, Level::kWarn, "pointer {} units {} {}", "puw");
  b.site(21, Level::kError, "strings {} {} {}", "SUW");
  b.site(22, Level::kCritical, "%s: %m", "SE", 0, wire::Style::kPrintf);
  std::uint64_t t = FileBuilder::kStart;
  b.log(0, 16, t += 1, Args().add<std::uint8_t>('b', 1).add('c', 'x'));
  b.log(0, 16, t += 1, Args().add<std::uint8_t>('b', 0).add('c', '~'));
  const auto low = static_cast<__int128>(static_cast<unsigned __int128>(1) << 127);
  b.log(0, 17, t += 1,
        Args()
            .add<std::int8_t>('a', -128)
            .add<std::int16_t>('s', -32768)
            .i32(INT32_MIN)
            .add('l', INT64_MIN)
            .add('n', low));
  b.log(0, 17, t += 1,
        Args()
            .add<std::int8_t>('a', 127)
            .add<std::int16_t>('s', 32767)
            .i32(INT32_MAX)
            .add('l', INT64_MAX)
            .add<__int128>('n', ~low));
  b.log(0, 18, t += 1,
        Args()
            .add<std::uint8_t>('h', 255)
            .add<std::uint16_t>('t', 65535)
            .add('j', UINT32_MAX)
            .u64(UINT64_MAX)
            .add('o', ~static_cast<unsigned __int128>(0)));
  const auto extended = [](long double v) {
    __int128 packed = 0;
    std::memcpy(&packed, &v, 10);
    return packed;
  };
  b.log(0, 19, t += 1, Args().add('f', 1.5f).f64(3.141592653589793).add('e', extended(0.1L)));
  b.log(0, 19, t += 1, Args().add('f', -0.0f).f64(1e300).add('e', extended(-12.5L)));
  b.log(0, 20, t += 1,
        Args().add<std::uint64_t>('p', 0x7ffe12345678).add<std::uint16_t>('u', 0xE9).add<std::uint32_t>('w', 0x1F642));
  b.log(0, 20, t += 1, Args().add<std::uint64_t>('p', 0).add<std::uint16_t>('u', 'A').add<std::uint32_t>('w', 'B'));
  b.log(0, 21, t += 1,
        Args()
            .text("bytes, \xC3\xA9")
            .text(units(std::u16string_view(u"sixteen \u00e9")), 'U')
            .text(units(std::u32string_view(U"thirty-two \U0001F642")), 'W'));
  b.log(0, 21, t += 1, Args().null_text().null_text('U').null_text('W'));
  b.log(0, 21, t += 1, Args().text("").text("", 'U').text("", 'W'));
  b.log(0, 22, t += 1, Args().text("/etc/missing").add<std::int32_t>('E', 2));
  return b.end().bytes();
}

std::string characters() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "{:d}", "c").thread(0, 1, "main");
  for (int i = 0; i < 3; ++i)
    b.log(0, 16, FileBuilder::kStart + i, Args().add('c', static_cast<std::uint8_t>(126 + i)));
  b.flush();
  for (int i = 0; i < 300; ++i)
    b.log(0, 16, FileBuilder::kStart + 10 + i, Args().add('c', static_cast<std::uint8_t>(i)));
  return b.end().bytes();
}

std::string protocol_records() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "number {}", "i").thread(0, 1, "main");
  b.site(9, Level::kNotice, "span of {} ns", "m");
  b.log(0, 16, FileBuilder::kStart, Args().i32(0))
      .log(0, 9, FileBuilder::kStart + 1, Args().u64(250))
      .log(0, 16, FileBuilder::kStart + 2, Args().i32(1))
      .flush();
  ByteBuffer records;
  const std::uint8_t mark[8] = {14, 0, 0, 0, 1};
  const std::uint8_t span[24] = {7, 0, 0, 0, 3, 0, 0, 0, 1};
  format::append_protocol_record(records, {1, 0, 3, 80, mark});
  format::append_protocol_record(records, {1, 0, 3, 88, span});
  b.block(format::BlockType::kProtocol, records);
  b.block(static_cast<format::BlockType>(200), records);
  return b.log(0, 16, FileBuilder::kStart + 3, Args().i32(2)).end().bytes();
}

std::string context() {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "read {bytes} from {name}", "jS");
  const std::uint32_t request = wire::kFirstContextSite + 5;
  const std::uint32_t both = wire::kFirstContextSite + 9;
  b.site_in_context(request, 16, "m", {"request_id"}).site_in_context(both, 16, "mS", {"request_id", "user"});
  b.site(17, Level::kWarn, "slow: %d", "i", 0, wire::Style::kPrintf).site_in_context(both + 1, 17, "S", {"user"});
  std::uint64_t t = FileBuilder::kStart;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::uint64_t id = 7 + i / 10;
    const std::string user = i % 30 < 15 ? "ann" : "bob";
    Args args;
    args.add('j', i * 100).text("disk" + std::to_string(i % 3));
    if (i % 5 == 0) {
      b.log(0, 16, t += 1000, args);
    } else if (i % 5 < 4) {
      b.log(0, request, t += 1000, Args(args).u64(id));
    } else {
      b.log(0, both, t += 1000, Args(args).u64(id).text(user));
    }
    if (i % 20 == 0) b.log(0, both + 1, t += 1000, Args().i32(static_cast<std::int32_t>(i)).text(user));
  }
  return b.end().bytes();
}

std::string secrets() {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site_with_meanings(16, "{user} has {pin:>12} {key} {took} {share} {list}", "SiSldS",
                       {{1, "!"}, {2, "!"}, {3, "!ms"}, {4, "!%"}, {5, "![h"}});
  b.site_with_meanings(17, "wide {wide}, constant {same}, none {none}", "oiS", {{0, "!"}, {1, "!"}, {2, "!"}});
  b.site_with_meanings(18, "at {at}, {side}", "lh", {{0, "!@ms"}, {1, "!=1 buy,2 sell"}});
  b.site_with_meanings(19, "at {at}, {side}", "lh", {{0, "@ms"}, {1, "!=1 buy,2 sell"}});
  std::uint64_t t = FileBuilder::kStart;
  for (int i = 0; i < 40; ++i) {
    b.log(0, 16, t += 1000,
          Args()
              .text(i % 2 == 0 ? "ada" : "bob")
              .i32(i * 37)
              .text(std::string(static_cast<std::size_t>(i % 7), 'k'))
              .add<std::int64_t>('l', i * i)
              .f64(0.5 * i)
              .text(std::string(static_cast<std::size_t>(i % 3), '\x07')));
  }
  for (int i = 0; i < 3; ++i) {
    b.log(0, 17, t += 1000, Args().add('o', static_cast<unsigned __int128>(i) << 100).i32(7).null_text());
    b.log(0, 18, t += 1000, Args().add<std::int64_t>('l', 1'800'000'000'000 + i).add<std::uint8_t>('h', i));
    b.log(0, 19, t += 1000, Args().add<std::int64_t>('l', 1'800'000'000'000 + i).add<std::uint8_t>('h', i));
  }
  b.flush();
  b.log(0, 16, t += 1000, Args().text("eve").i32(1).text("one").add<std::int64_t>('l', 2).f64(3).text("\x04"));
  return b.end().bytes();
}

std::string meanings() {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site_with_meanings(16, "took {took} at {at}, {side}, {size}", "llhm",
                       {{0, "ms"}, {1, "@ns"}, {2, "=0 buy,1 sell,255 neither"}, {3, "B"}});
  b.site_with_meanings(17, "[{0:>9}] [{0:*^9}] [{0:d}] [{0:05}] [{0:+}] [{0:x}]", "i", {{0, "us"}});
  b.site_with_meanings(18, "{} {:.2} {:.3f} {:8}|", "ddfd", {{0, "s"}, {1, "[60/1]s"}, {2, "ms"}, {3, "%"}});
  b.site_with_meanings(19, "{} {} {} {} {}", "lltla",
                       {{0, "@us"}, {1, "@s"}, {2, "@d"}, {3, "@ms"}, {4, "=-1 minus,1 plus"}});
  b.site_with_meanings(20, "no meanings: {} {} {} {}", "Sllb",
                       {{0, "ms"}, {1, "@fortnight"}, {2, "=x y"}, {3, "=1 yes"}});
  b.site_with_meanings(21, "{} {}", "SS", {{0, "[i"}, {1, "[hms"}});
  std::uint64_t t = FileBuilder::kStart;
  for (std::int64_t i = -2; i < 40; ++i) {
    b.log(0, 16, t += 1000,
          Args()
              .add('l', i * i * i)
              .add('l', 1'800'000'000'000'000'000 + i * 123'456'789)
              .add('h', static_cast<std::uint8_t>(i < 0 ? 255 : i % 3))
              .u64(512));
  }
  for (const std::int32_t i : {0, 7, -250, 1'000'000}) b.log(0, 17, t += 1000, Args().i32(i));
  b.log(0, 18, t += 1000, Args().f64(1.5).f64(0.125).add('f', 2.5F).f64(99.5));
  b.log(0, 18, t += 1000, Args().f64(1e20).f64(-1).add('f', 0.F).f64(0.1));
  b.log(0, 19, t += 1000,
        Args()
            .add<std::int64_t>('l', -1)
            .add<std::int64_t>('l', 951'782'400)
            .add<std::uint16_t>('t', 20'000)
            .add<std::int64_t>('l', 1)
            .add<std::int8_t>('a', -1));
  b.log(0, 20, t += 1000, Args().text("five").add<std::int64_t>('l', 5).add<std::int64_t>('l', 6).add('b', true));
  using namespace std::string_literals;
  b.log(0, 21, t += 1000, Args().text("\x01\0\0\0\xFE\xFF\xFF\xFF"s).text("\x0F\xFF"));
  b.log(0, 21, t += 1000, Args().text("").null_text());
  return b.end().bytes();
}

std::string absent_values() {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site_with_meanings(17, "{qty} of {name} in {took} at {price:.2f} {side}{list}", "iSldhSbbbbbb",
                       {{2, "ms"}, {4, "=1 buy,2 sell"}, {5, "[h"}}, {"?0", "?1", "?2", "?3", "?4", "?5"});
  b.site_in_context((1u << 31) + 1, 17, "S", {"request"});
  b.site_with_meanings(19, "got variant({v.int}{v.string}{v.char}) {n}", "iScjh", {}, {"|0,3"});
  b.site_with_meanings(21, "no flags: {} {} {}", "iiiibbhhb", {}, {"?0", "?3", "?1x", "|2,2", "|1,0", "?"});
  b.site_with_meanings(23, "{pin} {wide}", "iobb", {{0, "!"}}, {"?0", "?1"});
  std::uint64_t t = FileBuilder::kStart;
  const auto order = [&](int i, std::uint32_t site) {
    const auto there = [i](int k) { return (i + k) % (k + 2) != 0; };
    Args args;
    args.i32(there(0) ? i : 0);
    there(1) ? args.text("a\"" + std::to_string(i % 3)) : args.null_text();
    args.add<std::int64_t>('l', there(2) ? i * 15 : 0).f64(there(3) ? 0.25 * i : 0);
    args.add<std::uint8_t>('h', there(4) ? 1 + i % 3 : 0);
    there(5) ? args.text(std::string(static_cast<std::size_t>(i % 3), '\x07')) : args.null_text();
    for (int k = 0; k < 6; ++k) args.add('b', there(k));
    if (site != 17) args.text("r7");
    b.log(0, site, t += 1000, args);
  };
  for (int i = 0; i < 60; ++i) order(i, i % 5 == 4 ? (1u << 31) + 1 : 17);
  for (int i = 0; i < 40; ++i) {
    Args args;
    args.i32(i % 4 == 0 ? i : 0);
    i % 4 == 1 ? args.text("text") : args.null_text();
    args.add('c', static_cast<std::uint8_t>(i % 4 == 2 ? 'q' : 0)).add<std::uint32_t>('j', i);
    b.log(0, 19, t += 1000, args.add<std::uint8_t>('h', i % 4 == 3 ? 255 : i % 4));
  }
  b.log(0, 21, t += 1000,
        Args()
            .i32(1)
            .i32(2)
            .i32(3)
            .i32(0)
            .add('b', false)
            .add('b', false)
            .add<std::uint8_t>('h', 9)
            .add<std::uint8_t>('h', 9)
            .add('b', false));
  for (int i = 0; i < 3; ++i) {
    b.log(0, 23, t += 1000,
          Args().i32(7).add('o', static_cast<unsigned __int128>(i) << 70).add('b', i == 1).add('b', i != 0));
  }
  b.flush();
  order(1, 17);
  b.log(0, 19, t += 1000,
        Args().i32(-1).null_text().add<std::uint8_t>('c', 0).add<std::uint32_t>('j', 9).add<std::uint8_t>('h', 0));
  return b.end().bytes();
}

}  // namespace steno::test
