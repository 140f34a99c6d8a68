// Which records are the two edges of a span (spec/file.md §5).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "reader/dictionary.h"

namespace steno::cli {

enum class SpanEdge { kNone, kBegin, kEnd };

inline constexpr std::string_view kSpanBegins = ": begin";
inline constexpr std::string_view kSpanEnds = ": end, {duration} ns";

// A record with an edge has two values directly after its arguments: the span's number and its parent's.
inline SpanEdge edge_of(const reader::Site& site) {
  const wire::SiteInfo& info = site.info();
  if (info.context.size() < 2 || info.context[0] != "span" || info.context[1] != "parent") return SpanEdge::kNone;
  if (info.format.ends_with(kSpanBegins)) return SpanEdge::kBegin;
  return info.format.ends_with(kSpanEnds) ? SpanEdge::kEnd : SpanEdge::kNone;
}

// The name of a span, by the message of one of its edges.
inline std::string span_name(SpanEdge edge, std::string message) {
  const std::size_t end = edge == SpanEdge::kBegin ? message.size() - std::min(message.size(), kSpanBegins.size())
                                                   : message.rfind(": end, ");
  if (end < message.size()) message.resize(end);
  return message;
}

}  // namespace steno::cli
