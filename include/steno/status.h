// The outcome of an operation that can fail: ok, or a code and a sentence for people.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace steno {

// What kind of failure it is. The numbers are those of steno_code.
enum class StatusCode {
  kOk = 0,
  kInvalidArgument,    // the caller asked for something impossible
  kNotFound,           // no such file, directory, session; a file without a byte
  kPermissionDenied,   // exists, but not for us
  kIoError,            // the system refused: errno is in the message
  kCorrupt,            // the bytes are not what they should be
  kUnsupported,        // written by a newer version, or not compiled in
  kExhausted,          // out of memory, space, descriptors
  kFailedPrecondition  // right call, wrong moment
};

// Copyable, movable. Holds no memory while ok.
class [[nodiscard]] Status {
 public:
  Status() = default;
  // A failure (or, with kOk, none), and the sentence for people.
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  // Whether it is none.
  bool ok() const { return code_ == StatusCode::kOk; }
  explicit operator bool() const { return ok(); }
  // kOk while ok.
  StatusCode code() const { return code_; }
  // What failed, on what, and what to do about it. Empty while ok.
  const std::string& message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

// The Status of a call whose failure is said elsewhere too (Options::on_warning): to be looked at, or not.
class IgnorableStatus : public Status {
 public:
  // As Status.
  using Status::Status;
  IgnorableStatus(Status status) : Status(std::move(status)) {}  // NOLINT: implicit on purpose
};

// A value, or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                                  // NOLINT: implicit on purpose
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }  // NOLINT

  // Whether there is a value.
  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  // Ok where there is a value.
  const Status& status() const { return status_; }
  // Requires ok().
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace steno
