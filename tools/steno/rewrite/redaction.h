// The values and texts that `redact` takes out of a log.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "rewrite/copy.h"
#include "rewrite/text_patterns.h"
#include "steno/status.h"

namespace steno::cli {

struct RedactionOptions {
  std::vector<std::string> values;    // names of arguments and context fields
  std::vector<std::string> patterns;  // regular expressions
  bool texts = false;                 // patterns also in texts of the source, and in names
  std::string replacement = "[redacted]";
};

// Values of these names become the text [redacted], whatever type they had, and so does what the patterns match in
// strings; integers whose digits match become 0. Secrets become empty, and stay secrets.
class Redaction final : public Rewriting {
 public:
  // kInvalidArgument: a pattern is none.
  Status set(const RedactionOptions& options);

  wire::SiteInfo site(const reader::Site& site, std::vector<Change>* changes) const override;
  void name(std::string* text) const override;
  const TextPatterns* patterns() const override { return &patterns_; }

 private:
  std::vector<Change> changes_of_own(const reader::Site& site) const;
  std::string meaning(std::string_view text, ArgType type) const;

  std::set<std::string> values_;
  bool texts_ = false;
  TextPatterns patterns_;
};

}  // namespace steno::cli
