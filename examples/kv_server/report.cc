#include "report.h"

#include <cstdio>

namespace kv {

namespace {

constexpr double kMega = 1e6;

double per(double amount, std::uint64_t count) {
  return count > 0 ? amount / static_cast<double>(count) : 0;
}

double ns_per_request(const Run& run) {
  return per(run.cpu_seconds * 1e9, run.counts.requests);
}

void row(const char* name, const std::string& value, const std::string& remark) {
  std::printf("  %-22s %16s   %s\n", name, value.c_str(), remark.c_str());
}

std::string text(const char* format, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

}  // namespace

std::string with_commas(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

void print(const Report& r) {
  const std::uint64_t messages = r.messages();
  const double logged = static_cast<double>(r.logged.messages());
  std::printf("\n  %s requests served by %u threads\n\n", with_commas(r.logged.counts.requests).c_str(),
              r.options.threads);
  row("messages", with_commas(messages),
      text("%.1f a request", logged / static_cast<double>(r.logged.counts.requests)));
  row("seconds", text("%.2f", r.logged.seconds),
      text("%.1f M messages/s, as fast as the server served", logged / r.logged.seconds / kMega));
  row("one log call", text("%.1f ns", r.cost.call_ns), text("the bare clock read: %.1f ns", r.cost.clock_ns));
  row("one request, CPU", text("%.0f ns", ns_per_request(r.logged)),
      text("with logging switched off: %.0f ns", ns_per_request(r.silent)));
  row("log file", text("%.1f MB", static_cast<double>(r.file_bytes) / kMega),
      text("%.2f bytes a message", per(static_cast<double>(r.file_bytes), messages)));
  if (r.text_bytes > 0) {
    row("the same as text", text("%.1f MB", static_cast<double>(r.text_bytes) / kMega),
        text("%.0f times the size", per(static_cast<double>(r.text_bytes), r.file_bytes)));
    row("lines of text", with_commas(r.text_lines),
        r.text_lines == messages ? "every message, once" : "NOT one a message");
  }
  row("scribe, CPU", text("%.2f s", r.scribe_seconds),
      text("%.1f ns a message", per(r.scribe_seconds * 1e9, r.logged.messages())));
  std::printf("\n");
}

}  // namespace kv
