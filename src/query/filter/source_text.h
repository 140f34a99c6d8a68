// The text of a statement as it is in the source.
#pragma once

#include <string>
#include <string_view>

namespace steno::query {

// A format in a log, with each structure, tuple and variant again as the field that the source has: "filled
// {{id={order.id}, qty={order.qty}}}" is "filled {order}". `nameless`: that field has no name, "filled {}": the log
// then has the name of the type in its place.
std::string source_text(std::string_view format, bool nameless = false);

}  // namespace steno::query
