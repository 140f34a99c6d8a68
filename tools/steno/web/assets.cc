#include "web/assets.h"

// Each file between two symbols. STENO_WEB_ASSETS is a line STENO_ASSET(symbol, "/name", "path") for each of them.
#define STENO_ASSET(symbol, name, file)                                                \
  asm(".pushsection .rodata\n.balign 16\n" #symbol ":\n.incbin \"" file "\"\n" #symbol \
      "_end:\n.byte 0\n.popsection\n");                                                \
  extern "C" const char symbol[];                                                      \
  extern "C" const char symbol##_end[];
#include STENO_WEB_ASSETS
#undef STENO_ASSET

namespace steno::cli::web {

std::span<const Asset> assets() {
  static const Asset kAssets[] = {
#define STENO_ASSET(symbol, name, file) {name, {symbol, static_cast<std::size_t>(symbol##_end - symbol)}},
#include STENO_WEB_ASSETS
#undef STENO_ASSET
  };
  return kAssets;
}

const char* content_type_of(std::string_view path) {
  if (path.ends_with(".html")) return "text/html; charset=utf-8";
  if (path.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (path.ends_with(".css")) return "text/css; charset=utf-8";
  if (path.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

}  // namespace steno::cli::web
