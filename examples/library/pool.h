// A library that logs. Who uses it need not know: nothing of steno is in its header.
#pragma once

#include <string>
#include <vector>

class Pool {
 public:
  explicit Pool(std::size_t most) : most_(most) {}
  // A connection to `host`, or -1 if all are taken.
  int acquire(const std::string& host);
  void release(int connection);

 private:
  std::size_t most_;
  std::vector<std::string> taken_;
};
