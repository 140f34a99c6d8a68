// A program written for glog, as it is: compiled with -I…/include/steno/compat, where <glog/logging.h> is steno's.
#include <glog/logging.h>

#include <cerrno>
#include <string>
#include <vector>

int main(int, char** argv) {
  FLAGS_log_dir = ".";
  FLAGS_stderrthreshold = google::FATAL;
  google::InitGoogleLogging(argv[0]);  // ./glog.steno

  const std::vector<int> sizes = {1, 2, 5};
  LOG(INFO) << "begins with " << sizes.size() << " sizes, " << 12.5 << " ms";
  for (const int size : sizes) {
    LOG_EVERY_N(INFO, 2) << "size " << size << ", the " << google::COUNTER << ". of them";
    LOG_IF(WARNING, size > 4) << size << " is large";
    VLOG(1) << "not said";
  }
  CHECK_EQ(sizes.size(), 3u) << "never seen";
  CHECK(!sizes.empty());
  errno = ENOENT;
  PLOG(ERROR) << "cannot open " << std::string("app.conf");
  FLAGS_v = 1;
  VLOG(1) << "in detail";
  google::ShutdownGoogleLogging();
}
