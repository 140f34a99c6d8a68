#include "random_log.h"

#include <fmt/format.h>

#include <array>
#include <regex>

#include "comparison.h"

namespace steno::test {
namespace {

constexpr std::int64_t kStart = FileBuilder::kStart;

std::uint32_t below(std::mt19937& random, std::uint32_t n) {
  return static_cast<std::uint32_t>(random() % n);
}

std::string random_client(std::mt19937& random) {
  static const std::array<std::string, 7> kClients = {"acme", "acme inc", "zeta", "", "timeout", "out", "x\"y"};
  return below(random, 12) == 0 ? "client-" + std::to_string(below(random, 100'000)) : kClients[below(random, 7)];
}

struct Where {
  std::uint32_t thread = 0;
  std::uint16_t logger = 0;
  std::int64_t time = 0;
};

const char* logger_name(std::uint16_t logger) {
  static constexpr const char* kNames[] = {"", "net", "net.http", "network"};
  return kNames[logger];
}

class Maker {
 public:
  Maker(std::uint32_t seed, bool rows) : random_(seed), builder_(rows, seed % 4 != 0) {}

  KnownLog run(std::size_t blocks, std::size_t most_in_block) {
    for (std::size_t b = 0; b < blocks; ++b) {
      if (b == 0 || below(random_, 5) == 0) start_session(b);
      const std::size_t n = 1 + below(random_, below(random_, 3) == 0 ? static_cast<std::uint32_t>(most_in_block) : 40);
      const std::uint32_t sites = 1 + below(random_, 4);
      const std::uint32_t first_site = below(random_, 4);
      std::vector<std::vector<KnownRecord>> rings(3);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t ring = below(random_, 4) == 0 ? below(random_, 3) : static_cast<std::uint32_t>(b % 3);
        rings[ring].push_back(log(ring, (first_site + below(random_, sites)) % 4));
      }
      builder_.flush();
      for (auto& ring : rings) log_.records.insert(log_.records.end(), ring.begin(), ring.end());
    }
    log_.bytes = builder_.end().bytes();
    return std::move(log_);
  }

 private:
  void start_session(std::size_t number) {
    builder_.session(0x1000 + number, 3, 100 + static_cast<std::uint32_t>(number));
    builder_.site(16, Level::kInfo, "filled {qty} @ {price} for {client}", "idS", 120);
    builder_.site(17, Level::kWarn, "took %d ms, id %lu%s", "imS", 131, wire::Style::kPrintf, "src/net/http.cc");
    builder_.site(18, Level::kError, "no luck {ok} {small}", "bf", 140);
    builder_.site(19, Level::kDebug, "nothing but text, timeout", "", 150, wire::Style::kBrace, "src/net/http.cc");
    for (std::uint16_t l = 1; l < 4; ++l) builder_.logger(l, logger_name(l));
    for (std::uint32_t t = 0; t < 3; ++t)
      builder_.thread(t, t + 1, t == 2 ? "" : "worker-" + std::to_string(t), 7000 + t);
  }

  KnownRecord log(std::uint32_t ring, std::uint32_t which) {
    time_ += below(random_, 1000);
    KnownRecord r;
    r.site = 16 + which;
    r.time = kStart + static_cast<std::int64_t>(time_);
    r.thread = ring == 2 ? "7002" : "worker-" + std::to_string(ring);
    r.tid = 7000 + ring;
    const auto logger = static_cast<std::uint16_t>(below(random_, 4));
    r.logger = logger_name(logger);
    Args args;
    switch (which) {
      case 0:
        fill_order(r, args);
        break;
      case 1:
        fill_took(r, args);
        break;
      case 2: {
        const bool ok = below(random_, 2) == 0;
        const float small = static_cast<float>(below(random_, 30)) / 10;
        args.add<std::uint8_t>('b', ok ? 1 : 0).add('f', small);
        r.arguments = {{"ok", ok}, {"small", std::stod(fmt::format("{}", small))}};
        r.message = fmt::format("no luck {} {}", ok, small);
        facts(r, Level::kError, "src/server.cc", 140);
        break;
      }
      default:
        r.message = "nothing but text, timeout";
        facts(r, Level::kDebug, "src/net/http.cc", 150);
    }
    builder_.log(ring, r.site, static_cast<std::uint64_t>(r.time), args, logger);
    return r;
  }

  void fill_order(KnownRecord& r, Args& args) {
    const auto qty = static_cast<std::int32_t>(below(random_, 400)) - 100;
    const double price = below(random_, 1000) / 8.0;
    const std::string client = random_client(random_);
    const bool null = below(random_, 10) == 0;
    args.i32(qty).f64(price);
    null ? args.null_text() : args.text(client);
    r.arguments = {{"qty", std::int64_t{qty}}, {"price", price}, {"client", null ? KnownValue() : KnownValue(client)}};
    r.message = fmt::format("filled {} @ {} for {}", qty, price, null ? "(null)" : client);
    facts(r, Level::kInfo, "src/server.cc", 120);
  }

  void fill_took(KnownRecord& r, Args& args) {
    const auto took = static_cast<std::int32_t>(below(random_, 50));
    const std::uint64_t id = below(random_, 3) == 0 ? UINT64_MAX - below(random_, 5) : below(random_, 300);
    const std::string suffix = random_client(random_);
    args.i32(took).u64(id).text(suffix);
    r.arguments = {{"0", std::int64_t{took}}, {"1", id}, {"2", suffix}};
    r.message = fmt::format("took {} ms, id {}{}", took, id, suffix);
    facts(r, Level::kWarn, "src/net/http.cc", 131);
  }

  static void facts(KnownRecord& r, Level level, const char* file, std::uint32_t line) {
    r.level = level;
    r.file = file;
    r.line = line;
  }

  std::mt19937 random_;
  FileBuilder builder_;
  KnownLog log_;
  std::uint64_t time_ = 0;
};

// Returns a number of any type in one ordered form: exact for all values in the logs.
std::optional<long double> as_number(const KnownValue& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<long double>(*i);
  if (const auto* u = std::get_if<std::uint64_t>(&value)) return static_cast<long double>(*u);
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (const auto* b = std::get_if<bool>(&value)) return *b ? 1 : 0;
  return {};
}

const KnownValue* find(const KnownRecord& r, const std::string& name) {
  for (std::size_t i = 0; i < r.arguments.size(); ++i) {
    if (r.arguments[i].first == name || std::to_string(i) == name) return &r.arguments[i].second;
  }
  return nullptr;
}

const char* random_op(std::mt19937& random) {
  static constexpr const char* kOps[] = {"==", "!=", "<", "<=", ">", ">="};
  return kOps[below(random, 6)];
}

KnownCondition number_condition(std::mt19937& random, const std::string& name, const std::string& spelt,
                                const std::string& constant) {
  const std::string op = random_op(random);
  const long double number = std::stold(constant);
  return {spelt + " " + op + " " + constant, [=](const KnownRecord& r) -> std::optional<bool> {
            const KnownValue* value = find(r, name);
            const auto mine = value != nullptr ? as_number(*value) : std::nullopt;
            if (!mine) return {};
            if (std::holds_alternative<double>(*value))
              return compare(op, std::get<double>(*value), std::stod(constant));
            return compare(op, *mine, number);
          }};
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

KnownCondition text_condition(std::mt19937& random, const std::string& spelt,
                              const std::function<std::optional<std::string>(const KnownRecord&)>& get) {
  static const std::array<std::string, 10> kTexts = {"acme", "timeout",  "out",           "",        "worker-1", "net",
                                                     "id",   "ms, id 2", "text, timeout", "for acme"};
  const std::string constant = kTexts[below(random, 10)];
  switch (below(random, 3)) {
    case 0: {
      const std::string op = random_op(random);
      return {spelt + " " + op + " " + quoted(constant), [=](const KnownRecord& r) -> std::optional<bool> {
                const auto mine = get(r);
                return mine ? std::optional<bool>(compare(op, *mine, constant)) : std::nullopt;
              }};
    }
    case 1:
      return {spelt + " contains " + quoted(constant), [=](const KnownRecord& r) -> std::optional<bool> {
                const auto mine = get(r);
                return mine ? std::optional<bool>(mine->find(constant) != std::string::npos) : std::nullopt;
              }};
    default: {
      static const std::array<std::string, 6> kPatterns = {"time(out|r)",  "^filled",     "a.me$",
                                                           "id [0-9]+out", "(acme|zeta)", "e"};
      const std::string pattern = kPatterns[below(random, 6)];
      const bool negated = below(random, 2) == 0;
      const std::regex regex(pattern, std::regex::extended);
      return {spelt + (negated ? " !~ " : " =~ ") + quoted(pattern), [=](const KnownRecord& r) -> std::optional<bool> {
                const auto mine = get(r);
                if (!mine) return {};
                return std::regex_search(*mine, regex) != negated;
              }};
    }
  }
}

KnownCondition argument_text(std::mt19937& random, const std::string& name, const std::string& spelt) {
  return text_condition(random, spelt, [name](const KnownRecord& r) -> std::optional<std::string> {
    const KnownValue* value = find(r, name);
    const auto* text = value != nullptr ? std::get_if<std::string>(value) : nullptr;
    return text != nullptr ? std::optional<std::string>(*text) : std::nullopt;
  });
}

KnownCondition leaf(std::mt19937& random, const KnownLog& log) {
  const KnownRecord& some = log.records[random() % log.records.size()];
  switch (below(random, 14)) {
    case 0:
      return number_condition(random, "qty", "qty", std::to_string(static_cast<int>(below(random, 500)) - 150));
    case 1:
      return number_condition(random, "qty", "{qty}",
                              std::to_string(static_cast<int>(below(random, 500)) - 150) + ".5");
    case 2:
      return number_condition(random, "price", "price", std::to_string(below(random, 1100)) + ".125");
    case 3:
      return number_condition(random, "1", "{1}", below(random, 2) == 0 ? "18446744073709551613" : "42");
    case 4:
      return number_condition(random, "small", "small", fmt::format("0.{}", below(random, 10)));
    case 5:
      return argument_text(random, "client", "client");
    case 6:
      return argument_text(random, "2", "{2}");
    case 7:
    case 8:
      return text_condition(random, "message", [](const KnownRecord& r) { return std::optional(r.message); });
    case 9:
      return text_condition(random, "thread", [](const KnownRecord& r) { return std::optional(r.thread); });
    case 10:
      return text_condition(random, "logger", [](const KnownRecord& r) { return std::optional(r.logger); });
    case 11: {
      const std::string op = random_op(random);
      const auto level = static_cast<Level>(below(random, kLevelCount));
      return {"level " + op + " " + level_name(level),
              [=](const KnownRecord& r) -> std::optional<bool> { return compare(op, r.level, level); }};
    }
    case 12: {
      const std::string op = random_op(random);
      const std::int64_t time = some.time;
      return {fmt::format("time {} {}", op, time),
              [=](const KnownRecord& r) -> std::optional<bool> { return compare(op, r.time, time); }};
    }
    default: {
      if (below(random, 2) == 0) {
        return {"ok", [](const KnownRecord& r) -> std::optional<bool> {
                  const KnownValue* value = find(r, "ok");
                  return value != nullptr ? std::optional<bool>(std::get<bool>(*value)) : std::nullopt;
                }};
      }
      const bool negated = below(random, 2) == 0;
      return {negated ? "client is not null" : "client is null", [=](const KnownRecord& r) -> std::optional<bool> {
                const KnownValue* value = find(r, "client");
                return (value == nullptr || std::holds_alternative<std::monostate>(*value)) != negated;
              }};
    }
  }
}

}  // namespace

KnownLog random_log(std::uint32_t seed, bool rows, std::size_t blocks, std::size_t most_in_block) {
  return Maker(seed, rows).run(blocks, most_in_block);
}

KnownCondition random_condition(std::mt19937& random, const KnownLog& log, int depth) {
  const std::uint32_t kind = depth > 0 ? below(random, 4) : 3;
  if (kind == 2) {
    const KnownCondition inner = random_condition(random, log, depth - 1);
    return {"not (" + inner.text + ")", [inner](const KnownRecord& r) -> std::optional<bool> {
              const auto truth = inner.holds(r);
              return truth ? std::optional<bool>(!*truth) : std::nullopt;
            }};
  }
  if (kind == 3) return leaf(random, log);
  const KnownCondition a = random_condition(random, log, depth - 1);
  const KnownCondition b = random_condition(random, log, depth - 1);
  const bool decides = kind == 1;  // `or` is decided by true, `and` by false
  return {"(" + a.text + (decides ? ") or (" : ") and (") + b.text + ")",
          [a, b, decides](const KnownRecord& r) -> std::optional<bool> {
            const auto x = a.holds(r);
            const auto y = b.holds(r);
            if ((x && *x == decides) || (y && *y == decides)) return decides;
            return x && y ? std::optional<bool>(!decides) : std::nullopt;
          }};
}

}  // namespace steno::test
