#include "vectors.h"

#include "base/checksum.h"
#include "file_builder.h"
#include "format/block.h"

namespace steno::test {
namespace {

// Numbers below n, the same on every machine.
class Below {
 public:
  std::uint32_t operator()(std::uint32_t n) { return (random_ = random_ * 1664525 + 1013904223) / 65536 % n; }
  // Returns the random number that the last one was made of.
  std::uint32_t last() const { return random_; }

 private:
  std::uint32_t random_ = 1;
};

}  // namespace

std::string zones() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "number {}", "i").thread(0, 1, "main");
  std::vector<std::size_t> starts;
  for (int block = 0; block < 3; ++block) {
    for (int i = 0; i < 256; ++i)
      b.log(0, 16, FileBuilder::kStart + static_cast<std::uint64_t>(block * 256 + i), Args().i32(i * 7919 % 256));
    b.flush();
    starts.push_back(b.size());
  }
  std::string bytes = b.end().bytes();
  const char zone[] = {0, 0, 0, 0, static_cast<char>(255), 0, 0, 0};  // 0 and 255
  for (std::size_t block = 0; block < 2; ++block) {
    const std::size_t at = bytes.find(std::string(zone, sizeof zone), starts[block] + 60);
    auto* p = reinterpret_cast<std::uint8_t*>(bytes.data());
    store(p + at + 4, block == 0 ? 254 : 1'000'000);
    p += starts[block];
    const auto length = load<std::uint32_t>(p + 8);
    store(p + 12, static_cast<std::uint32_t>(xxh3(p + format::kBlockHeaderSize, length, load<std::uint64_t>(p + 4))));
  }
  return bytes;
}

std::string shared_strings(std::vector<std::size_t>* parts) {
  FileBuilder b(false, true);
  b.session().site(16, Level::kInfo, "GET {} {}", "SS").thread(0, 1, "main");
  static constexpr const char* kPaths[] = {"/", "/favicon.ico", "/about/the/company", "/search", "/images/logo.svg"};
  static constexpr const char* kOnce[] = {"/robots.txt", "/.well-known/security.txt", "/wp-admin/setup-config.php"};
  std::uint64_t t = FileBuilder::kStart;
  for (int block = 0; block < 3; ++block) {
    for (int i = 0; i < 40; ++i) {
      Args args;
      args.text(i == 20 ? kOnce[block] : kPaths[i * i % (3 + block)]);
      if (i % 9 == 4) {
        args.null_text();
      } else {
        args.text("Mozilla/5.0 (X11; Linux x86_64) rv:" + std::to_string(i % 3));
      }
      b.log(0, 16, t += 1000, args);
    }
    b.flush();
    if (block == 1) b.begin_stretch();
  }
  std::string bytes = b.end().bytes();
  format::BlockHeader header;
  for (std::size_t at = 0; at < bytes.size(); at += header.total_size()) {
    if (!format::parse_header(reinterpret_cast<const std::uint8_t*>(bytes.data()) + at, bytes.size() - at, &header))
      break;
    if (header.type == format::BlockType::kStrings) parts->push_back(at);
  }
  return bytes;
}

std::string symbol_strings() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "{} says: {}", "SS").thread(0, 1, "main");
  Below below;
  for (int i = 0; i < 400; ++i) {
    Args args;
    args.text("visitor " + std::to_string(below(1000)) + std::string(below(4), '!'));
    std::string text;
    for (std::uint32_t words = below(25); words > 0; --words) {
      const std::uint32_t word = below(16) * below(25);
      text += (word % 2 == 0 ? "tele" : "micro") + std::string(1, static_cast<char>('a' + word % 19)) +
              (word % 3 == 0   ? "scope"
               : word % 3 == 1 ? "phone"
                               : "graphy") +
              (words > 1 ? " " : "\xE2\x80\xA6");
    }
    if (below(50) == 0) {
      args.null_text();
    } else {
      args.text(text);
    }
    b.log(0, 16, FileBuilder::kStart + 1000 * static_cast<std::uint64_t>(i), args);
  }
  return b.end().bytes();
}

std::string letter_strings() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "session {} of {}", "SS").thread(0, 1, "main");
  Below below;
  const auto token = [&below](std::string_view letters, std::uint32_t most) {
    std::string text(below(most), '\0');
    for (char& c : text) c = letters[below(static_cast<std::uint32_t>(letters.size()))];
    return text;
  };
  for (int i = 0; i < 100; ++i) {
    Args args;
    args.text(token("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 40));
    if (i % 20 == 7) {
      args.null_text();
    } else {
      args.text(token("klmnopqrstuvwxyz~", 60));
    }
    b.log(0, 16, FileBuilder::kStart + 1000 * static_cast<std::uint64_t>(i), args);
  }
  return b.end().bytes();
}

std::string template_strings() {
  FileBuilder b(false, true);
  b.session().site(16, Level::kInfo, "{}", "S").thread(0, 1, "main");
  Below below;
  static constexpr const char* kNames[] = {"alice", "bob", "mallory", "trent", "carol"};
  for (std::uint32_t i = 0; i < 600; ++i) {
    const std::string name = below(9) == 0 ? "guest" + std::string(1 + below(20), 'x') : kNames[below(5)];
    std::string text = "Jan " + std::to_string(10 + i / 300) + " 08:" + std::to_string(10 + i / 12) + " host sshd[" +
                       std::to_string(1000 + i / 7) + "]: ";
    const std::uint32_t kind = below(5) * below(9);
    if (kind < 4) {
      text += "Accepted publickey for " + name + " from 10.0." + std::to_string(below(3)) + "." +
              std::to_string(below(250)) + " port " + std::to_string(40000 + below(9000)) + " ssh2";
    } else if (kind < 9) {
      text += "Disconnected from user " + name + " (" + std::to_string(below(5000)) + " bytes in " +
              std::to_string(below(90)) + " s)";
    } else if (kind < 12) {
      text += "open /home/" + name + "/.ssh/authorized_keys2: no such file";
    } else {
      // More statements than a column has shapes.
      static constexpr const char* kParts[] = {"usb ",  "link is up, ", "out of memory: ", "reset (",  "queue [",
                                               "temp=", "fan: speed ",  "disk; sector ",   "voltage ", "clock <"};
      text = "kernel: ";
      const std::uint32_t statement = below(40);
      for (std::uint32_t part = 0; part <= statement % 4; ++part) {
        text += kParts[(statement + 3 * part) % 10] + std::string(below(3), ' ') + std::to_string(below(900)) + " ";
      }
    }
    Args args;
    if (i % 150 == 77) {
      args.null_text();
    } else {
      args.text(i % 90 == 7 ? name : text);
    }
    b.log(0, 16, FileBuilder::kStart + 1000 * static_cast<std::uint64_t>(i), args);
  }
  return b.end().bytes();
}

std::string word_strings() {
  FileBuilder b(false, true);
  b.session().site(16, Level::kInfo, "user {} says: {}", "mS").thread(0, 1, "main");
  Below below;
  static constexpr const char* kBegin[] = {"re", "in", "con", "a",        "per", "dis",
                                           "to", "ex", "sub", "\xC3\xA9", "_",   "2"};
  static constexpr const char* kEnd[] = {"form", "port", "tain", "mit", "scribe", "ject", "tend", "press", "", "gress"};
  const auto word = [&] { return std::string(kBegin[below(12) * below(13) / 12]) + kEnd[below(10) * below(11) / 10]; };
  static constexpr const char* kMarks[] = {" ", " ", " ", " ", " ", " ", ", ", ": ", " - ", " (", ") ", "/", "'", "  "};
  for (int i = 0; i < 500; ++i) {
    std::string text = below(30) == 0 ? "  " : word();
    for (std::uint32_t words = below(20); words > 0; --words) {
      text += kMarks[below(14)];
      text += below(40) == 0 ? std::to_string(below.last()) : word();
    }
    Args args;
    args.u64(below(1000));
    if (i % 90 == 37) {
      args.null_text();
    } else {
      args.text(i % 70 == 5 ? "" : text + (below(3) == 0 ? "" : "."));
    }
    b.log(0, 16, FileBuilder::kStart + 1000 * static_cast<std::uint64_t>(i), args);
  }
  return b.end().bytes();
}

std::string shown_bytes() {
  FileBuilder b;
  b.session().site(16, Level::kTrace, "{}  {}|", "SS").site(17, Level::kTrace, "{}", "S").thread(0, 1, "main");
  Below below;
  for (int i = 0; i < 600; ++i) {
    std::string digits;
    std::string shown;
    const std::uint32_t size = below(10) == 0 ? 1 + below(8) : 8;
    for (std::uint32_t k = 0; k < size; ++k) {
      const std::uint32_t byte = below(3) == 0 ? below(256) : 0x20 + below(95);
      digits += "0123456789abcdef"[byte >> 4];
      digits += "0123456789abcdef"[byte & 15];
      if (k % 2 == 1) digits += ' ';
      shown += byte >= 0x20 && byte < 0x7F ? static_cast<char>(byte) : '.';
    }
    Args args;
    if (i % 2 == 0) {
      args.text(digits);
      if (i % 60 == 34) {
        args.null_text();
      } else {
        args.text(i % 40 == 8 ? "cut off" : shown);
      }
    } else {
      args.text(std::to_string(10'000 + 8 * i) + ": " + digits + " <" + shown + (i % 50 == 7 ? "" : "]"));
    }
    b.log(0, 16 + static_cast<std::uint32_t>(i) % 2, FileBuilder::kStart + 1000 * static_cast<std::uint64_t>(i), args);
  }
  return b.end().bytes();
}

std::string hex_strings() {
  FileBuilder b;
  b.session().site(16, Level::kTrace, "{:08x}  {}  |{}|", "iSS").site(17, Level::kDebug, "key {}", "S");
  b.thread(0, 1, "main");
  Below below;
  for (std::uint32_t i = 0; i < 700; ++i) {
    const bool is_key = i % 2 == 1;
    std::string digits = is_key ? "0x" : "";
    std::string shown;
    const std::uint32_t size = below(20) == 0 ? 1 + below(16) : 16;
    const std::uint32_t kind = below(3);
    for (std::uint32_t k = 0; k < size; ++k) {
      const std::uint32_t byte = kind == 0 ? 0 : kind == 1 ? 0x20 + below(95) : below(256);
      if (k != 0 && !is_key) digits += k == 8 ? "  " : " ";
      digits += (is_key ? "0123456789ABCDEF" : "0123456789abcdef")[byte >> 4];
      digits += (is_key ? "0123456789ABCDEF" : "0123456789abcdef")[byte & 15];
      shown += byte >= 0x20 && byte < 0x7F ? static_cast<char>(byte) : '.';
    }
    Args args;
    if (!is_key) args.i32(static_cast<std::int32_t>(16 * i));
    if (i % 90 == 34 || i % 90 == 35) {
      args.null_text();
    } else {
      args.text(i % 70 == 9 || i % 70 == 10 ? "no digits" : digits);
    }
    if (!is_key) args.text(shown);
    b.log(0, is_key ? 17 : 16, FileBuilder::kStart + 1000 * static_cast<std::uint64_t>(i), args);
  }
  return b.end().bytes();
}

std::string list_strings() {
  FileBuilder b(false, true);
  b.session().site(16, Level::kError, "failed: {}", "S").thread(0, 1, "main");
  Below below;
  static constexpr const char* kNames[] = {"users", "orders", "prices", "audit", "sessions", "queue"};
  const auto message = [&] {
    const std::string name = kNames[below(6)];
    switch (below(5)) {
      case 0:
        return "cannot read table " + name + " of " + std::to_string(below(90'000)) + " rows";
      case 1:
        return "connection to " + name + "." + std::to_string(below(40)) + " refused after " +
               std::to_string(below(3'000)) + " ms";
      case 2:
        return "request " + std::to_string(below(60'000)) + " was not answered";
      case 3:
        return "field " + name + "[" + std::to_string(below(700)) + "] is no number";
      default:
        return "limit of " + std::to_string(below(64)) + " tries reached";
    }
  };
  for (int i = 0; i < 1'200; ++i) {
    std::string text = message();
    while (below(3) != 0 && text.size() < 200) text += ": " + message();
    Args args;
    if (i % 150 == 77) {
      args.null_text();
    } else {
      args.text(i % 90 == 7 ? "" : i % 90 == 8 ? ": " : text);
    }
    b.log(0, 16, FileBuilder::kStart + 1000 * static_cast<std::uint64_t>(i), args);
  }
  return b.end().bytes();
}

std::string string_runs() {
  FileBuilder b(false, true);
  b.session().site(16, Level::kInfo, "{}: {}", "SS").thread(0, 1, "main");
  Below below;
  std::string host;
  std::string user;
  for (int i = 0; i < 900; ++i) {
    if (below(12) == 0) host = std::to_string(1 + below(220)) + ".17." + std::to_string(below(256)) + ".net";
    if (below(8) == 0) user = std::string(1, static_cast<char>('a' + below(26))) + std::to_string(below(100'000));
    Args args;
    if (i / 20 % 15 == 7) {
      args.null_text();
    } else {
      args.text(host);
    }
    args.text((below(3) == 0 ? "connection of user " : "no answer to request from user ") + user + " after " +
              std::to_string(below(2'000)) + " ms");
    b.log(0, 16, FileBuilder::kStart + 1000 * static_cast<std::uint64_t>(i), args);
  }
  return b.end().bytes();
}

std::string related_integers() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "read {} bytes at {}", "jm").thread(0, 1, "main");
  b.site(17, Level::kInfo, "{} of {}, {} in all", "iSl").site(18, Level::kInfo, "from {} to {}", "mj");
  Below below;
  std::uint64_t place = 0;
  std::int64_t total = -100'000;
  for (int i = 0; i < 1200; ++i) {
    const std::uint32_t size = below(5000);
    Args args;
    if (i % 3 == 0) {
      if (below(50) == 0) place = std::uint64_t{below.last()} << 8;
      args.add('j', size).u64(place);
      place += size + 5;
    } else if (i % 3 == 1) {
      const auto change = static_cast<std::int32_t>(size) - 2000;
      total += change;
      args.i32(change).text(below(2) == 0 ? "the one" : "the other").add('l', total + below(4));
    } else {
      const std::uint32_t begin = below(60'000) * 60'000;
      args.u64(std::uint64_t{begin} + 17).add('j', begin);
    }
    b.log(0, 16 + static_cast<std::uint32_t>(i) % 3, FileBuilder::kStart + 1000 * static_cast<std::uint64_t>(i), args);
  }
  return b.end().bytes();
}

std::string entropy_codes() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "answer {} in {} us", "im").site(17, Level::kDebug, "at {} of {}", "lj");
  b.thread(0, 1, "main");
  Below below;
  std::uint64_t time = FileBuilder::kStart;
  std::int64_t at = -5000;
  for (int i = 0; i < 3003; ++i) {
    time += 1000 + (below(8) == 0 ? below(4000) : below(4));
    if (i % 3 == 0 && below(20) != 0) {
      const std::int32_t answer = below(10) != 0 ? 200 : below(2) != 0 ? 404 : 500;
      b.log(0, 16, time, Args().i32(answer).u64(below(500) << below(6) * below(4)));
    } else {
      at += below(12) == 0 ? -static_cast<std::int64_t>(below(300)) : 10 * below(3);
      b.log(0, 17, time, Args().add('l', at).add('j', below(4) * below(4) * below(4)));
    }
  }
  return b.end().bytes();
}

std::string stacks() {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(46, Level::kInfo, "often {}", "i");
  for (std::uint32_t site = 16; site < 46; ++site) {
    const std::string number = std::to_string(site);
    if (site % 3 == 0) b.site(site, Level::kDebug, "nothing " + number, "");
    if (site % 3 == 1) b.site(site, Level::kInfo, "number {} " + number, "l");
    if (site % 3 == 2) b.site(site, Level::kWarn, "text {} of {} " + number, "Sd");
  }
  std::uint64_t t = FileBuilder::kStart;
  for (std::uint32_t i = 0; i < 120; ++i) {
    const std::uint32_t site = 16 + i * i % 31 % 30;
    Args args;
    if (site % 3 == 1) args.add<std::int64_t>('l', std::int64_t{i} * i - 1000);
    if (site % 3 == 2) {
      if (i % 7 == 0) {
        args.null_text();
      } else {
        args.text("client " + std::to_string(i % 5));
      }
      args.f64(i / 4.0);
    }
    b.log(0, site, t += 1000, args);
    b.log(0, 46, t += 1, Args().i32(static_cast<std::int32_t>(i)));
  }
  return b.end().bytes();
}

}  // namespace steno::test
