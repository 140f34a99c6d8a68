#include "lines/line_format.h"

#include <utility>

namespace steno::lines {

std::unique_ptr<LineFormat> make_line_format(LineKind kind, LineOptions options) {
  switch (kind) {
    case LineKind::kJson:
      return make_json_format(options);
    case LineKind::kCsv:
      return make_csv_format(options);
    case LineKind::kLogfmt:
      return make_logfmt_format(options);
    case LineKind::kText:
      break;
  }
  return make_text_format(std::move(options));
}

}  // namespace steno::lines
