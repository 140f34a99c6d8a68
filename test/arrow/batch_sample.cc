// batch_sample FILE: a random log for check_pyarrow.py.
#include <fstream>

#include "query/random_log.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const steno::test::KnownLog log = steno::test::random_log(42, false, 30, 4000);
  std::ofstream(argv[1], std::ios::binary) << log.bytes;
  return log.records.size() > 1000 ? 0 : 1;
}
