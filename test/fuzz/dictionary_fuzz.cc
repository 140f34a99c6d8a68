// Dictionary entries, argument types and what readers make of both. The input is the payload of a dictionary block.
#include "fuzz_input.h"
#include "reader/dictionary.h"

namespace steno {
namespace {

using fuzz::require;

// Writes what it is given anew.
class Copy final : public wire::DictionaryVisitor {
 public:
  void on_site(wire::SiteInfo site) override { wire::append_entry(bytes, site); }
  void on_logger(wire::LoggerInfo logger) override { wire::append_entry(bytes, logger); }
  void on_thread(wire::ThreadInfo thread) override { wire::append_entry(bytes, thread); }

  ByteBuffer bytes;
};

void check_site(const reader::Site& site) {
  wire::Layout layout;
  if (wire::Layout::parse(site.info().types, &layout)) {
    require(layout.fields.size() == site.info().types.size(), "a field for each type");
    require(layout.fixed_end <= wire::kMaxRecordSize, "the fixed part fits a record");
  }
  for (std::size_t i = 0; i < site.info().types.size() && site.layout() != nullptr; ++i) {
    const text::Meaning* const meaning = site.meaning(i);
    require(meaning == nullptr || meaning->text() == site.info().meaning_of(i), "a meaning is what the entry says");
    if (meaning == nullptr) continue;
    text::Value value;
    value.type = static_cast<ArgType>(site.info().types[i]);
    ByteBuffer out;
    for (const std::uint64_t bits :
         {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0} >> 1}) {
      value.bits = bits;
      meaning->print(value, -1, out);
      meaning->print_for_machines(value, out);
    }
  }
  require((site.printer() == nullptr) == !site.problem().empty(), "a site prints, or says why not");
  const std::size_t names = site.argument_names().size();
  require(names == (site.layout() != nullptr ? site.layout()->fields.size() : 0), "a name for each argument");
}

}  // namespace
}  // namespace steno

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steno;
  Copy first;
  (void)wire::read_dictionary(data, size, first);
  // Canonical now: reading and writing it again changes nothing.
  const fuzz::Exact canonical(first.bytes.data(), first.bytes.size());
  Copy second;
  require(wire::read_dictionary(canonical.data(), canonical.size(), second), "what is written can be read");
  require(second.bytes.size() == canonical.size() &&
              (canonical.size() == 0 || std::memcmp(second.bytes.data(), canonical.data(), canonical.size()) == 0),
          "entries come back");

  reader::Ordinals ordinals;
  reader::Dictionary dictionary(&ordinals);
  (void)dictionary.add_block({data, size}, 8);
  for (const reader::Site& site : dictionary.sites()) {
    check_site(site);
    require(dictionary.site(site.info().id, 8) != nullptr, "declared from its block on");
  }
  return 0;
}
