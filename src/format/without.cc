#include "format/without.h"

#include <algorithm>

#include "format/ints/codec.h"
#include "format/strings/codec.h"

namespace steno::format {

std::vector<std::string_view> codecs_to_spare() {
  std::vector<std::string_view> names = {kRelatedName, kShownName};
#define STENO_STRING_CODEC(id, number, descriptor) names.push_back(descriptor.name);
#define STENO_STRING_WRITER(descriptor) names.push_back(descriptor.name);
#include "format/strings/codecs.inc"
  for (const IntCodec* codec : int_codecs()) names.push_back(codec->name);
  const auto must_stay = [](std::string_view name) {
    return name == kRawStringCodec.name || name == kConstantStringCodec.name || name == kRawCodec.name ||
           name == kConstantCodec.name || name == kFrameOfReferenceCodec.name;
  };
  names.erase(std::remove_if(names.begin(), names.end(), must_stay), names.end());
  return names;
}

bool leave_out_codec(std::string_view name) {
  const std::vector<std::string_view> names = codecs_to_spare();
  const auto found = std::find(names.begin(), names.end(), name);
  if (!name.empty() && found == names.end()) return false;
  detail::left_out_codec = name.empty() ? std::string_view() : *found;
  return true;
}

}  // namespace steno::format
