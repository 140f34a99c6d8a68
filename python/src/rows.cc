#include "rows.h"

#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

#include "text.h"

namespace steno_python {
namespace {

bool is_set(const void* bits, std::int64_t i) {
  return (static_cast<const std::uint8_t*>(bits)[i / 8] >> i % 8 & 1) != 0;
}

template <class T>
T at(const ArrowArray& array, std::int64_t i) {
  return static_cast<const T*>(array.buffers[1])[i];
}

std::string_view bytes_at(const ArrowArray& array, std::int64_t i) {
  const auto* const offsets = static_cast<const std::int32_t*>(array.buffers[1]);
  return {static_cast<const char*>(array.buffers[2]) + offsets[i],
          static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
}

// Times and durations are numbers of their unit: steno/_table.py makes them what Python has for them.
nb::object value_at(const char* format, const ArrowArray& array, std::int64_t i) {
  if (array.buffers[0] != nullptr && !is_set(array.buffers[0], i)) return nb::none();
  switch (format[0]) {
    case 'b':
      return nb::bool_(is_set(array.buffers[1], i));
    case 'c':
      return nb::int_(at<std::int8_t>(array, i));
    case 'C':
      return nb::int_(at<std::uint8_t>(array, i));
    case 's':
      return nb::int_(at<std::int16_t>(array, i));
    case 'S':
      return nb::int_(at<std::uint16_t>(array, i));
    case 'i':
      return nb::int_(at<std::int32_t>(array, i));
    case 'I':
      return nb::int_(at<std::uint32_t>(array, i));
    case 'L':
      return nb::int_(at<std::uint64_t>(array, i));
    case 'f':
      return nb::float_(static_cast<double>(at<float>(array, i)));
    case 'g':
      return nb::float_(at<double>(array, i));
    case 'u': {
      const std::string_view bytes = bytes_at(array, i);
      return text(bytes.data(), bytes.size());
    }
    case 'z': {
      const std::string_view bytes = bytes_at(array, i);
      return nb::bytes(bytes.data(), bytes.size());
    }
    case 'w':
      return nb::bytes(static_cast<const char*>(array.buffers[1]) + 16 * i, 16);
    default:  // l, ts?, tD?
      return nb::int_(at<std::int64_t>(array, i));
  }
}

// A column of a batch; values of its dictionary are made once.
class Column {
 public:
  Column(const ArrowSchema& schema, const ArrowArray& array) : format_(schema.format), array_(&array) {
    if (schema.dictionary == nullptr) return;
    for (std::int64_t i = 0; i < array.dictionary->length; ++i) {
      texts_.push_back(value_at(schema.dictionary->format, *array.dictionary, i));
    }
  }

  nb::object operator[](std::int64_t i) const {
    if (array_->dictionary == nullptr) return value_at(format_, *array_, i);
    if (array_->buffers[0] != nullptr && !is_set(array_->buffers[0], i)) return nb::none();
    return texts_[static_cast<std::size_t>(at<std::int32_t>(*array_, i))];
  }

 private:
  const char* format_;
  const ArrowArray* array_;
  std::vector<nb::object> texts_;
};

// Returns what a schema has under a key; empty: nothing.
std::string_view text_under(const ArrowSchema& schema, const char* key) {
  const char* found = nullptr;
  const std::int64_t size = steno_schema_text(&schema, key, &found);
  return size < 0 ? std::string_view() : std::string_view(found, static_cast<std::size_t>(size));
}

}  // namespace

Rows::Rows(WatchedStream stream) : batches_(std::move(stream)) {
  if (batches_.stream().get_schema(&batches_.stream(), &schema_) != 0) throw std::bad_alloc();
}

Rows::~Rows() {
  if (schema_.release != nullptr) schema_.release(&schema_);
}

nb::list Rows::names() const {
  nb::list all;
  for (std::int64_t i = 0; i < schema_.n_children; ++i) all.append(text(schema_.children[i]->name));
  return all;
}

nb::list Rows::formats() const {
  nb::list all;
  for (std::int64_t i = 0; i < schema_.n_children; ++i) {
    const ArrowSchema& of = *schema_.children[i];
    all.append(text((of.dictionary != nullptr ? of.dictionary : &of)->format));
  }
  return all;
}

nb::list Rows::arguments() const {
  nb::list all;
  for (std::int64_t i = 0; i < schema_.n_children; ++i) {
    const ArrowSchema& of = *schema_.children[i];
    const std::string_view own = text_under(of, "steno.name");
    if (text_under(of, "steno.type").empty()) {
      all.append(nb::none());
    } else {
      all.append(own.empty() ? text(of.name) : text(own.data(), own.size()));
    }
  }
  return all;
}

nb::object Rows::statement() const {
  const std::string_view format = text_under(schema_, "steno.format");
  return text(format.data(), format.size());
}

nb::object Rows::next() {
  if (!batches_.next()) return nb::none();
  const ArrowArray& batch = batches_.array();
  std::vector<Column> columns;
  columns.reserve(static_cast<std::size_t>(schema_.n_children));
  for (std::int64_t c = 0; c < schema_.n_children; ++c) columns.emplace_back(*schema_.children[c], *batch.children[c]);
  const auto n = static_cast<Py_ssize_t>(columns.size());
  nb::list rows;
  for (std::int64_t i = 0; i < batch.length; ++i) {
    nb::object row = stolen(PyTuple_New(n));
    for (Py_ssize_t c = 0; c < n; ++c) {
      if (PyTuple_SetItem(row.ptr(), c, columns[static_cast<std::size_t>(c)][i].release().ptr()) != 0)
        throw nb::python_error();
    }
    rows.append(row);
  }
  return rows;
}

void bind_rows(nb::module_& module) {
  nb::class_<Rows>(module, "Rows", "Rows of a stream, batch by batch.")
      .def("names", &Rows::names)
      .def("formats", &Rows::formats)
      .def("arguments", &Rows::arguments)
      .def("statement", &Rows::statement)
      .def("next", &Rows::next);
}

}  // namespace steno_python
