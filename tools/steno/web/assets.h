// The files of the page, which the build packs into the program (web/dist).
#pragma once

#include <span>
#include <string_view>

namespace steno::cli::web {

struct Asset {
  std::string_view path;  // "/app.js"
  std::string_view bytes;
};
std::span<const Asset> assets();
// By the end of its path.
const char* content_type_of(std::string_view path);

}  // namespace steno::cli::web
