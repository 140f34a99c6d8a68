#include "api/toml_tree.h"

#include <algorithm>
#include <utility>

#if STENO_HAVE_TOML
// Compiled in, under a name of our own: the program may have another version of the parser.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
// Some files break its own assertions: these are failures to parse, not ends of the program, nor (where NDEBUG makes
// them assumptions) undefined behaviour.
namespace {
struct BrokenAssertion {};
[[noreturn]] void break_assertion() {
  throw BrokenAssertion();
}
}  // namespace
#undef NDEBUG
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : break_assertion())
#define toml steno_toml
#include <toml++/toml.h>
#undef toml

namespace steno::api {
namespace {

TomlNode copy(const steno_toml::node& from) {
  TomlNode node;
  node.line = from.source().begin.line;
  node.column = from.source().begin.column;
  if (const auto* const table = from.as_table()) {
    for (const auto& [key, value] : *table) {
      TomlNode& child = node.children.emplace_back(copy(value));
      child.key = key.str();
      if (!value.is_array() && !value.is_table()) continue;  // these begin in what they hold
      child.line = key.source().begin.line;
      child.column = key.source().begin.column;
    }
    const auto earlier = [](const TomlNode& a, const TomlNode& b) {
      return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    };
    std::stable_sort(node.children.begin(), node.children.end(), earlier);
  } else if (const auto* const array = from.as_array()) {
    node.kind = TomlNode::Kind::kArray;
    for (const auto& value : *array) node.children.push_back(copy(value));
  } else if (const auto* const string = from.as_string()) {
    node.kind = TomlNode::Kind::kString;
    node.string = string->get();
  } else if (const auto* const integer = from.as_integer()) {
    node.kind = TomlNode::Kind::kInteger;
    node.integer = integer->get();
  } else if (const auto* const boolean = from.as_boolean()) {
    node.kind = TomlNode::Kind::kBool;
    node.boolean = boolean->get();
  } else {
    node.kind = TomlNode::Kind::kOther;
  }
  return node;
}

}  // namespace

Result<TomlNode> parse_toml(std::string_view text) {
  const auto bad = [](const steno_toml::source_position& at, std::string_view what) {
    return Status(StatusCode::kInvalidArgument,
                  std::to_string(at.line) + ':' + std::to_string(at.column) + ": " + std::string(what));
  };
  try {
    return copy(steno_toml::parse(text));
  } catch (const steno_toml::parse_error& error) {
    return bad(error.source().begin, error.description());
  } catch (const BrokenAssertion&) {
    return bad({1, 1}, "this cannot be read as TOML");
  }
}

}  // namespace steno::api

#else

namespace steno::api {

Result<TomlNode> parse_toml(std::string_view) {
  return Status(StatusCode::kUnsupported, "this steno was built without toml++ and cannot read configuration files");
}

}  // namespace steno::api

#endif
