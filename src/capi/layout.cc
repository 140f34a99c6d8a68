// Checks that the data which statements in C and in C++ share have one layout.
#include <cstddef>

#include "steno/detail/c_record.h"
#include "steno/detail/capture.h"
#include "steno/detail/site.h"
#include "steno/detail/write_record.h"
#include "steno/detail/writer.h"
#include "steno/logger.h"

namespace steno {
namespace {

using detail::Bytes;
using detail::LoggerState;
using detail::SiteEntry;
using detail::Wire;
using detail::Writer;

#define STENO_SAME(c, cxx, c_member, cxx_member)                     \
  static_assert(offsetof(c, c_member) == offsetof(cxx, cxx_member)); \
  static_assert(sizeof(c::c_member) == sizeof(cxx::cxx_member))

static_assert(sizeof(steno_detail_writer) == sizeof(Writer));
STENO_SAME(steno_detail_writer, Writer, limit, limit);
STENO_SAME(steno_detail_writer, Writer, tail, tail);
STENO_SAME(steno_detail_writer, Writer, window, window);
STENO_SAME(steno_detail_writer, Writer, base, base);
STENO_SAME(steno_detail_writer, Writer, clock_line, clock_line);
STENO_SAME(steno_detail_writer, Writer, granted, granted);
STENO_SAME(steno_detail_writer, Writer, notify_level, notify_level);

static_assert(sizeof(steno_logger) == sizeof(LoggerState));
STENO_SAME(steno_logger, LoggerState, threshold, threshold);
STENO_SAME(steno_logger, LoggerState, closed, closed);
STENO_SAME(steno_logger, LoggerState, id, id);
STENO_SAME(steno_logger, LoggerState, slot, slot);

static_assert(sizeof(steno_detail_site) == sizeof(SiteEntry));
STENO_SAME(steno_detail_site, SiteEntry, state, word);
STENO_SAME(steno_detail_site, SiteEntry, library, library);
STENO_SAME(steno_detail_site, SiteEntry, format, format);
STENO_SAME(steno_detail_site, SiteEntry, file, file);
STENO_SAME(steno_detail_site, SiteEntry, function, function);
STENO_SAME(steno_detail_site, SiteEntry, types, types);
STENO_SAME(steno_detail_site, SiteEntry, line, line);
STENO_SAME(steno_detail_site, SiteEntry, size8, size8);
STENO_SAME(steno_detail_site, SiteEntry, level, level);
STENO_SAME(steno_detail_site, SiteEntry, style, style);
STENO_SAME(steno_detail_site, SiteEntry, to_logger, to_logger);
STENO_SAME(steno_detail_site, SiteEntry, long_way, long_way);
STENO_SAME(steno_detail_site, SiteEntry, span, span);
STENO_SAME(steno_detail_site, SiteEntry, described, described);
STENO_SAME(steno_detail_site, SiteEntry, fields, fields);
static_assert(offsetof(steno_detail_state, word) == 0);

static_assert(sizeof(steno_detail_bytes) == sizeof(Bytes));
STENO_SAME(steno_detail_bytes, Bytes, data, data);
STENO_SAME(steno_detail_bytes, Bytes, size, size);
static_assert(sizeof(steno_detail_value) == sizeof(Wire) && alignof(steno_detail_value) == alignof(Wire));
static_assert(detail::kNullBytes == SIZE_MAX);

// The numbers that c_record.h and c_statement.h spell out.
static_assert(detail::kArgsOffset == 16 && detail::kLargeRecord == 2048);
static_assert(detail::kReadCounter == 0 && detail::kCallForTime == 1);
static_assert(static_cast<int>(Level::kWarn) == 4);
static_assert(detail::kLongWay == std::uint64_t{1} << 62 && detail::kDisabledBit == std::uint64_t{1} << 63);
static_assert(detail::kOverridesLogger == std::uint64_t{1} << 61);

}  // namespace
}  // namespace steno
