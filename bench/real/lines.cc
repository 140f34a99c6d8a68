// Whole lines as one argument: what a program logs that passes on the logs of others, here those of a machine's
// daemons, with their times, names and process ids.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "real/line.h"
#include "real/stream.h"
#include "real/words.h"

namespace steno::bench {
namespace {

// A letter after a percent sign stands for: d a number, a an address, u a user, f a path, x an id in hexadecimal
// digits, s seconds with a fraction, w a word.
struct Statement {
  const char* program;
  const char* text;
};

constexpr std::array kStatements = {
    Statement{"sshd", "Accepted publickey for %u from %a port %d ssh2: RSA SHA256:%x"},
    Statement{"sshd", "Disconnected from user %u %a port %d"},
    Statement{"sshd", "pam_unix(sshd:session): session opened for user %u by (uid=0)"},
    Statement{"sshd", "pam_unix(sshd:session): session closed for user %u"},
    Statement{"sshd", "Failed password for invalid user %w from %a port %d ssh2"},
    Statement{"sshd", "Connection closed by authenticating user %u %a port %d [preauth]"},
    Statement{"nginx", "%a - %u \"GET %f HTTP/1.1\" 200 %d \"-\" %s"},
    Statement{"nginx", "%a - - \"POST %f HTTP/1.1\" 201 %d \"-\" %s"},
    Statement{"nginx", "%a - - \"GET %f HTTP/1.1\" 404 162 \"-\" %s"},
    Statement{"nginx",
              "upstream timed out (110: Connection timed out) while reading response header, client: %a, request: "
              "\"GET %f\""},
    Statement{"postgres", "LOG:  duration: %s ms  statement: SELECT * FROM %w WHERE id = %d"},
    Statement{"postgres", "LOG:  checkpoint complete: wrote %d buffers; write=%s s, sync=%s s; distance=%d kB"},
    Statement{"postgres", "ERROR:  duplicate key value violates unique constraint \"%w_pkey\""},
    Statement{"postgres", "DETAIL:  Key (id)=(%d) already exists."},
    Statement{"postgres", "LOG:  automatic vacuum of table \"app.public.%w\": pages: %d removed, %d remain"},
    Statement{"kernel", "[%s] eth0: link becomes ready"},
    Statement{"kernel", "[%s] Out of memory: Killed process %d (%w) total-vm:%dkB, anon-rss:%dkB"},
    Statement{"kernel", "[%s] TCP: request_sock_TCP: Possible SYN flooding on port %d. Sending cookies."},
    Statement{"kernel", "[%s] audit: type=1400 audit(%s:%d): apparmor=\"DENIED\" operation=\"open\" name=\"%f\""},
    Statement{"cron", "(%u) CMD (%f --quiet)"},
    Statement{"systemd", "Started Session %d of User %u."},
    Statement{"systemd", "%w.service: Main process exited, code=exited, status=%d"},
    Statement{"systemd", "%w.service: Scheduled restart job, restart counter is at %d."},
    Statement{"systemd", "Reached target Timers."},
    Statement{"worker", "job %x queued for %u, %d ahead"},
    Statement{"worker", "job %x started after %s s"},
    Statement{"worker", "job %x done in %s s, %d bytes"},
    Statement{"worker", "job %x failed: %w: no such %w; retrying in %d s"},
    Statement{"worker", "cache %w: hit=%d miss=%d evicted=%d"},
    Statement{"worker", "fetched %f (%d bytes) from %a in %s s"},
    Statement{"gateway", "INFO [http-%d] c.a.gateway.Router - routed %x to %w-%d in %d us"},
    Statement{"gateway", "WARN [http-%d] c.a.gateway.Pool - pool %w exhausted: active=%d, idle=0, waiting=%d"},
    Statement{"gateway", "INFO [main] c.a.gateway.Config - reloaded %f, %d routes"},
    Statement{"gateway", "DEBUG [http-%d] c.a.gateway.Limits - %u: %d of %d requests left"},
    Statement{"dhcpd", "DHCPREQUEST for %a from 02:42:%x via eth0"},
    Statement{"dhcpd", "DHCPACK on %a to 02:42:%x via eth0"},
};

struct Lines {
  struct Line {
    std::string_view text;
  };

  explicit Lines(Draw& pool)
      : words(make_words(pool, 600)), users(make_words(pool, 900)), files(pool, 5'000, [](Draw& draw) {
          std::string path;
          for (std::uint64_t n = 1 + draw.below(4); n != 0; --n) path += "/" + make_word(draw, 1 + int(draw.below(3)));
          return path + (draw.chance(0.5) ? ".html" : "");
        }) {}

  Line next(Draw& draw, Texts& texts) {
    const std::size_t which = draw.pick(statements);
    const Statement& statement = kStatements[which];
    now += draw.magnitude(0, gaps);
    const std::uint64_t seconds = now / 1'000'000;
    std::string out = fmt::format("Nov {:2} {:02}:{:02}:{:02} web-{} {}", 1 + seconds / 86'400, seconds / 3'600 % 24,
                                  seconds / 60 % 60, seconds % 60, draw.below(3), statement.program);
    if (std::string_view(statement.program) != "kernel")
      out += fmt::format("[{}]", 700 + which * 31 + draw.pick(workers));
    out += ": ";
    for (const char* p = statement.text; *p != '\0'; ++p) {
      if (*p == '%') {
        add(*++p, draw, &out);
      } else {
        out += *p;
      }
    }
    return {texts.keep(out)};
  }

  void add(char what, Draw& draw, std::string* out) {
    switch (what) {
      case 'd':
        *out += std::to_string(draw.magnitude(0, sizes));
        break;
      case 'a':
        *out += fmt::format("10.{}.{}.{}", draw.below(4), draw.below(256), draw.below(256));
        break;
      case 'u':
        *out += users.get(draw.pick(which_user), draw);
        break;
      case 'f':
        *out += files.get(draw.pick(which_file), draw);
        break;
      case 'x':
        // Most ids come again soon after.
        if (!draw.chance(0.6) || last_id == 0) {
          last_id = std::uint64_t{draw.below(1u << 24)} << 24 | draw.below(1u << 24);
        }
        *out += fmt::format("{:012x}", last_id);
        break;
      case 's':
        *out += fmt::format("{}.{:06}", draw.magnitude(0, few), draw.below(1'000'000));
        break;
      default:
        *out += words.get(draw.pick(which_word), draw);
    }
  }

  static void write(const Line& l, std::string* text) { BENCH_LINE(text, INFO, "{line}", l.text); }

  Pool<std::string> words;
  Pool<std::string> users;
  Pool<std::string> files;
  Choice statements = Choice::zipf(kStatements.size(), 0.8);
  Choice which_word = Choice::zipf(600, 1.0);
  Choice which_user = Choice::zipf(900, 0.8);
  Choice which_file = Choice::zipf(5'000, 0.9);
  Choice workers{{40, 20, 20, 10, 5, 5}};
  Choice sizes{{8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 6, 4, 4, 2, 2, 1, 1}};
  Choice few{{50, 20, 10, 10, 5, 5}};
  Choice gaps{{5, 5, 5, 5, 5, 10, 10, 10, 15, 10, 10, 5, 3, 2}};
  std::uint64_t now = 0;  // microseconds since the month began
  std::uint64_t last_id = 0;
};

}  // namespace

std::unique_ptr<Stream> lines_stream(unsigned thread) {
  return make_stream<Lines>(thread);
}

}  // namespace steno::bench
