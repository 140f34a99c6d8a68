#include "log_time.h"

#include "common/int.h"
#include "utils/timestamp.h"

TimestampTz steno_timestamp(int64 nanoseconds) {
  return nanoseconds / 1000 - (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
}

int64 steno_nanoseconds(TimestampTz time) {
  int64 ns;
  if (pg_add_s64_overflow(time, (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY, &ns) ||
      pg_mul_s64_overflow(ns, 1000, &ns)) {
    return time < 0 ? PG_INT64_MIN : PG_INT64_MAX;
  }
  return ns;
}
