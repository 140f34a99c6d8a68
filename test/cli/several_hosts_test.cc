// Logs of several hosts or programs, read together: lines say which one they are of, and a request is followed across
// hosts that name its number differently.
#include <gtest/gtest.h>

#include "../reader/file_builder.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Args;
using test::FileBuilder;
using test::Ran;
using test::run_steno;
using test::TempFile;

// Begins the log of a process, with one record.
void begin(FileBuilder& b, const std::string& host, const std::string& program, std::uint32_t pid, std::uint64_t at) {
  format::SessionBlock block;
  block.session_id = pid;
  block.pid = pid;
  block.start_wall = static_cast<std::int64_t>(FileBuilder::kStart);
  block.clock_kind = 3;
  block.program = program;
  block.host = host;
  b.session(block).thread(0, 1, "main").logger(1, "net");
  b.site(16, Level::kInfo, "{n} at {host}", "iS", 120);
  b.log(0, 16, FileBuilder::kStart + at, Args().i32(static_cast<std::int32_t>(at)).text("h"), 1);
}

std::string file_of(const std::string& host, const std::string& program, std::uint32_t pid, std::uint64_t at) {
  FileBuilder b;
  begin(b, host, program, pid, at);
  return b.end().bytes();
}

TEST(SeveralHosts, LinesOfTextShowTheHostOnly) {
  const TempFile web(file_of("web1", "shop", 11, 1));
  const TempFile db(file_of("db1", "shop", 12, 2));
  const Ran ran = run_steno({"cat", web.path(), db.path()});
  EXPECT_EQ(ran.out,
            "2027-01-15 08:00:00.000000001Z INFO   web1 [main] net server.cc:120 1 at h\n"
            "2027-01-15 08:00:00.000000002Z INFO   db1 [main] net server.cc:120 2 at h\n");
  EXPECT_EQ(run_steno({"tail", web.path(), db.path()}).out, ran.out);
  EXPECT_EQ(run_steno({"cat", db.path()}).out,
            "2027-01-15 08:00:00.000000002Z INFO   [main] net server.cc:120 2 at h\n");
  EXPECT_EQ(run_steno({"cat", "--pattern", "[{thread}] {n}", web.path(), db.path()}).out, "[main] 1\n[main] 2\n");
  EXPECT_EQ(run_steno({"cat", "--columns", "thread,n", web.path(), db.path()}).out, "main\t1\nmain\t2\n");
  EXPECT_EQ(run_steno({"cat", "--top", "1", "--arg", "n", web.path(), db.path()}).out,
            "2027-01-15 08:00:00.000000002Z INFO   db1 [main] net server.cc:120 2 at h\n");
}

TEST(SeveralHosts, LinesOfTextShowThePrograms) {
  const TempFile web(file_of("web1", "shop", 11, 1));
  const TempFile same(file_of("web1", "mail", 12, 2));
  const TempFile other(file_of("db\x1b", "store", 13, 3));
  EXPECT_EQ(run_steno({"cat", web.path(), same.path()}).out,
            "2027-01-15 08:00:00.000000001Z INFO   shop [main] net server.cc:120 1 at h\n"
            "2027-01-15 08:00:00.000000002Z INFO   mail [main] net server.cc:120 2 at h\n");
  EXPECT_EQ(run_steno({"cat", "--show-context", "always", web.path(), other.path()}).out,
            "2027-01-15 08:00:00.000000001Z INFO   web1 shop [main] net server.cc:120 1 at h\n"
            "2027-01-15 08:00:00.000000003Z INFO   db\\x1b store [main] net server.cc:120 3 at h\n");
}

TEST(SeveralHosts, OtherFormatsHaveTheProcess) {
  const TempFile web(file_of("web1", "shop", 11, 1));
  const TempFile db(file_of("db1, \"a\"", "shop", 12, 2));
  const auto cat = [&](const std::string& format) {
    return run_steno({"cat", "--format", format, web.path(), db.path()}).out;
  };
  EXPECT_EQ(cat("json"),
            "{\"time\":\"2027-01-15T08:00:00.000000001Z\",\"level\":\"INFO\",\"logger\":\"net\",\"thread\":\"main\","
            "\"pid\":11,\"program\":\"shop\",\"host\":\"web1\",\"file\":\"src/server.cc\",\"line\":120,"
            "\"function\":\"serve\",\"format\":\"{n} at {host}\",\"message\":\"1 at h\","
            "\"args\":{\"n\":1,\"host\":\"h\"}}\n"
            "{\"time\":\"2027-01-15T08:00:00.000000002Z\",\"level\":\"INFO\",\"logger\":\"net\",\"thread\":\"main\","
            "\"pid\":12,\"program\":\"shop\",\"host\":\"db1, \\\"a\\\"\",\"file\":\"src/server.cc\",\"line\":120,"
            "\"function\":\"serve\",\"format\":\"{n} at {host}\",\"message\":\"2 at h\","
            "\"args\":{\"n\":2,\"host\":\"h\"}}\n");
  EXPECT_EQ(cat("csv"),
            "time,level,logger,thread,file,line,function,format,message,args,pid,program,host\r\n"
            "2027-01-15T08:00:00.000000001Z,INFO,net,main,src/server.cc,120,serve,{n} at {host},1 at h,"
            "\"{\"\"n\"\":1,\"\"host\"\":\"\"h\"\"}\",11,shop,web1\r\n"
            "2027-01-15T08:00:00.000000002Z,INFO,net,main,src/server.cc,120,serve,"
            "{n} at {host},2 at h,\"{\"\"n\"\":2,\"\"host\"\":\"\"h\"\"}\",12,shop,\"db1, \"\"a\"\"\"\r\n");
  EXPECT_EQ(cat("logfmt"),
            "time=2027-01-15T08:00:00.000000001Z level=info logger=net thread=main pid=11 program=shop host=web1 "
            "site=server.cc:120 msg=\"1 at h\" n=1 arg_host=h\n"
            "time=2027-01-15T08:00:00.000000002Z level=info logger=net thread=main pid=12 program=shop "
            "host=\"db1, \\\"a\\\"\" site=server.cc:120 msg=\"2 at h\" n=2 arg_host=h\n");
  const std::string one = run_steno({"cat", "--format", "json", web.path()}).out;
  EXPECT_EQ(one.find("\"pid\""), std::string::npos) << one;
}

// The file of a host of which a session block is damaged is still one of one host.
TEST(SeveralHosts, ADamagedSessionIsNoSecondHost) {
  FileBuilder b;
  begin(b, "web1", "shop", 11, 1);
  b.end();
  const std::size_t second = b.size();
  const std::string later = file_of("web1", "shop", 12, 2);
  std::string bytes = b.bytes() + later;
  bytes[second + 40] ^= 1;
  const TempFile file(bytes);
  const Ran ran = run_steno({"cat", file.path()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out.find("web1"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("[main] net server.cc:120 1 at h\n"), std::string::npos) << ran.out;
}

TEST(SeveralHosts, LinesOfPairsShowTheHost) {
  FileBuilder a;
  begin(a, "web1", "shop", 11, 1);
  a.site(17, Level::kInfo, "sent {id}", "i").log(0, 17, FileBuilder::kStart + 5, Args().i32(7));
  FileBuilder b;
  begin(b, "db1", "shop", 12, 2);
  b.site(18, Level::kInfo, "came {id}", "i").log(0, 18, FileBuilder::kStart + 9, Args().i32(7));
  const TempFile web(a.end().bytes());
  const TempFile db(b.end().bytes());
  const Ran ran = run_steno({"pair", web.path(), db.path(), "sent", "came", "--key", "id", "--lines"});
  EXPECT_NE(ran.out.find("INFO   web1 [main] server.cc:17 sent 7\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("INFO   db1 [main] server.cc:18 came 7\n"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace steno
