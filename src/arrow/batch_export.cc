#include "arrow/batch_export.h"

#include <string>
#include <utility>
#include <vector>

namespace steno::arrow {
namespace {

// Behind ArrowSchema::private_data; each node of the tree has its own, so that children can be moved out.
struct SchemaNode {
  std::string format;
  std::string name;
  std::string metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> child_pointers;
  ArrowSchema dictionary{};
};

struct ArrayNode {
  std::shared_ptr<const void> keep;  // what the buffers are in
  const void* buffers[3] = {};
  std::vector<const void*> view_buffers;  // of a column of views, instead
  std::vector<std::int64_t> heap_sizes;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> child_pointers;
  ArrowArray dictionary{};
};

// Releases what was not moved out (and marked so, by release == nullptr).
template <class Node, class Struct>
void release(Struct* one) {
  auto* node = static_cast<Node*>(one->private_data);
  for (Struct& child : node->children) {
    if (child.release != nullptr) child.release(&child);
  }
  if (node->dictionary.release != nullptr) node->dictionary.release(&node->dictionary);
  delete node;
  one->release = nullptr;
}

// Gives the struct its node; from here on release() takes both away, whatever of the children has been made.
template <class Node, class Struct>
void adopt(std::unique_ptr<Node> node, Struct* out) {
  for (Struct& child : node->children) node->child_pointers.push_back(&child);
  out->n_children = static_cast<std::int64_t>(node->children.size());
  out->children = node->child_pointers.empty() ? nullptr : node->child_pointers.data();
  out->private_data = node.release();
  out->release = &release<Node, Struct>;
}

// Fills `out`, or leaves it released if `fill` throws.
template <class Struct, class Fill>
void guarded(Struct* out, Fill fill) {
  *out = {};
  try {
    fill();
  } catch (...) {
    if (out->release != nullptr) out->release(out);
    throw;
  }
}

// The specification's form: int32 counts and sizes in the machine's order.
std::string encode_metadata(const std::vector<std::pair<std::string, std::string>>& pairs) {
  if (pairs.empty()) return {};
  ByteBuffer out;
  const auto put = [&out](const std::string& text) {
    out.put(static_cast<std::int32_t>(text.size()));
    out.put_bytes(text.data(), text.size());
  };
  out.put(static_cast<std::int32_t>(pairs.size()));
  for (const auto& [key, value] : pairs) {
    put(key);
    put(value);
  }
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

ArrowSchema* start_schema(const char* format, std::string name,
                          const std::vector<std::pair<std::string, std::string>>& metadata, std::size_t children,
                          ArrowSchema* out) {
  auto node = std::make_unique<SchemaNode>();
  node->format = format;
  node->name = std::move(name);
  node->metadata = encode_metadata(metadata);
  node->children.resize(children);
  node->child_pointers.reserve(children);
  out->format = node->format.c_str();
  out->name = node->name.c_str();
  out->metadata = node->metadata.empty() ? nullptr : node->metadata.data();
  ArrowSchema* dictionary = &node->dictionary;
  adopt(std::move(node), out);
  return dictionary;
}

void export_field(const Field& field, ArrowSchema* out) {
  std::vector<std::pair<std::string, std::string>> metadata;
  if (field.is_argument) metadata = {{"steno.type", std::string(1, static_cast<char>(field.type))}};
  if (!field.meaning_text.empty()) metadata.emplace_back("steno.meaning", field.meaning_text);
  if (!field.own_name.empty()) metadata.emplace_back("steno.name", field.own_name);
  ArrowSchema* dictionary = start_schema(field.dictionary ? "i" : field.format, field.name, metadata, 0, out);
  out->flags = (field.nullable ? ARROW_FLAG_NULLABLE : 0) | (field.ordered ? ARROW_FLAG_DICTIONARY_ORDERED : 0);
  if (!field.dictionary) return;
  start_schema(field.format, "", {}, 0, dictionary);
  out->dictionary = dictionary;
}

// Points at nothing that is empty: consumers may look at the pointer of a column without bytes.
const void* data_of(const ByteBuffer& buffer) {
  static constexpr std::uint64_t kNothing[1] = {};
  return buffer.empty() ? static_cast<const void*>(kNothing) : buffer.data();
}

// Validity, views, each heap, and the sizes of the heaps.
void point_at_views(const ColumnData& column, ArrayNode* node, ArrowArray* out) {
  std::vector<const void*>& all = node->view_buffers;
  all.reserve(column.heaps.size() + 3);
  node->heap_sizes.reserve(column.heaps.size() + 1);
  all.push_back(node->buffers[0]);
  all.push_back(data_of(column.values));
  for (const auto& heap : column.heaps) {
    all.push_back(data_of(heap->values));
    node->heap_sizes.push_back(static_cast<std::int64_t>(heap->values.size()));
  }
  all.push_back(node->heap_sizes.data());
  out->n_buffers = static_cast<std::int64_t>(all.size());
  out->buffers = all.data();
}

void export_column(const std::shared_ptr<const ColumnData>& column, const Field& field, bool indices, ArrowArray* out) {
  auto node = std::make_unique<ArrayNode>();
  ArrayNode& of = *node;
  const bool variable = !indices && is_variable(field.format);
  out->length = static_cast<std::int64_t>(column->length);
  out->null_count = static_cast<std::int64_t>(column->nulls);
  of.buffers[0] = column->validity.empty() ? nullptr : column->validity.data();
  of.buffers[1] = data_of(variable ? column->offsets : column->values);
  of.buffers[2] = variable ? data_of(column->values) : nullptr;
  out->n_buffers = variable ? 3 : 2;
  out->buffers = of.buffers;
  if (!indices && is_view(field.format)) point_at_views(*column, &of, out);
  of.keep = column;
  adopt(std::move(node), out);
  if (!indices) return;
  export_column(column->dictionary, field, false, &of.dictionary);
  out->dictionary = &of.dictionary;
}

}  // namespace

void export_schema(const Fields& fields, ArrowSchema* out) {
  guarded(out, [&] {
    start_schema("+s", "", fields.metadata, fields.fields.size(), out);
    for (std::size_t i = 0; i < fields.fields.size(); ++i) export_field(fields.fields[i], out->children[i]);
  });
}

void export_array(std::shared_ptr<const BatchData> data, ArrowArray* out) {
  guarded(out, [&] {
    auto node = std::make_unique<ArrayNode>();
    node->children.resize(data->columns.size());
    node->child_pointers.reserve(data->columns.size());
    out->length = static_cast<std::int64_t>(data->rows);
    out->n_buffers = 1;
    out->buffers = node->buffers;  // no validity
    node->keep = data;
    adopt(std::move(node), out);
    for (std::size_t i = 0; i < data->columns.size(); ++i) {
      const Field& field = data->fields->fields[i];
      export_column({data, &data->columns[i]}, field, field.dictionary, out->children[i]);
    }
  });
}

}  // namespace steno::arrow
