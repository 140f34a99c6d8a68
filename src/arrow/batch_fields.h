// Which columns a batch has: what the caller named, checked and typed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/batch_data.h"
#include "steno/batch.h"
#include "steno/status.h"

namespace steno::arrow {

// Appends text as valid UTF-8: each byte that is none becomes U+FFFD.
void append_valid_utf8(std::string_view text, ByteBuffer& out);

class FieldPlan {
 public:
  // kInvalidArgument: a column that there is not, or twice. `sites`: the statements there may be; nullptr: any.
  static Result<FieldPlan> make(const BatchOptions& options, const std::vector<const reader::Site*>& sites);

  // The fields of a site; of kLog without one.
  std::shared_ptr<const Fields> fields(const reader::Site* site) const;

 private:
  struct Wanted {
    bool is_common = false;
    Common common{};
    std::string name;  // of an argument
  };

  Status add_column(const std::string& column, const std::vector<const reader::Site*>& sites);
  bool is_taken(std::string_view name, const Fields& fields) const;
  void add_argument(const reader::Site& site, std::size_t index, Fields* fields) const;

  bool statement_ = false;
  bool all_arguments_ = false;
  bool dictionary_strings_ = false;
  bool binary_strings_ = false;
  bool view_strings_ = false;
  bool skip_missing_ = false;
  std::vector<Wanted> wanted_;
};

}  // namespace steno::arrow
