// A program as users of glog write them: levels by file, sinks, strings, containers in streams. Prints what its sinks
// and strings got; with glog 0.6 it prints the same.
#include <glog/logging.h>
#include <glog/stl_logging.h>

#include <cstdio>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

class Printing : public google::LogSink {
 public:
  void send(google::LogSeverity severity, const char*, const char* base_filename, int line,
            const google::LogMessageTime& time, const char* message, size_t message_len) override {
    const std::string text = ToString(severity, base_filename, line, time, message, message_len);
    std::printf("%s %s:%d %.*s | %c %s\n", google::GetLogSeverityName(severity), base_filename, line - first_line,
                static_cast<int>(message_len), message, text[0], text.substr(text.find(']')).c_str());
  }
  void WaitTillSent() override { ++waits; }
  int first_line = 0;
  int waits = 0;
};

// A sink with the interface of glog before 0.5.
class Old : public google::LogSink {
 public:
  void send(google::LogSeverity, const char*, const char*, int, const struct tm* time, const char* message,
            size_t message_len) override {
    std::printf("old %d %s\n", time->tm_year >= 120 ? 1 : 0, std::string(message, message_len).c_str());
  }
};

void verbose(const char* when) {
  for (int level = 0; level <= 4; ++level) VLOG(level) << when << " at " << level;
}

}  // namespace

int main(int, char** argv) {
  FLAGS_logtostderr = true;
  FLAGS_v = 1;
  FLAGS_vmodule = "other=4,glog_prog*=2";
  google::InitGoogleLogging(argv[0]);
  Printing sink;
  sink.first_line = __LINE__;
  google::AddLogSink(&sink);
  LOG(INFO) << "took " << 12.5 << " ms";
  LOG(WARNING) << "low on memory";
  LOG_IF(ERROR, argv != nullptr) << "failed";
  verbose("first");
  std::printf("was %d\n", google::SetVLOGLevel("glog_program", 3));
  verbose("not first");
  std::printf("was %d\n", google::SetVLOGLevel("glog_prog*", 0));
  verbose("second");
  std::printf("on: %d %d\n", VLOG_IS_ON(0) ? 1 : 0, VLOG_IS_ON(5) ? 1 : 0);
  google::RemoveLogSink(&sink);
  LOG(INFO) << "nobody sees this";

  Old old;
  LOG_TO_SINK(&old, WARNING) << "to one";
  LOG_TO_SINK_BUT_NOT_TO_LOGFILE(&old, INFO) << "to one alone";
  std::string text;
  LOG_TO_STRING(ERROR, &text) << "a string of " << 3;
  std::vector<std::string> texts;
  LOG_STRING(INFO, &texts) << "one";
  LOG_STRING(WARNING, &texts) << "two";
  std::printf("%s; %zu %s %s\n", text.c_str(), texts.size(), texts[0].c_str(), texts[1].c_str());

  google::AddLogSink(&old);
  LOG(INFO) << std::vector<int>{1, 2, 3} << " of " << std::set<std::string>{"a", "b"};
  LOG(INFO) << std::map<std::string, int>{{"eu", 2}, {"us", 1}} << ' ' << std::make_pair(1, "x");
  LOG(INFO) << std::vector<int>(102, 7);
  google::RemoveLogSink(&old);
  std::printf("waits: %d\n", sink.waits > 0 ? 1 : 0);
  return 0;
}
