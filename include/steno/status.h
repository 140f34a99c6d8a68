// The outcome of an operation that can fail: ok, or a code and a sentence for people.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

#include "steno/detail/library_modes.h"

#include "steno/detail/begin.h"

namespace steno {

// The kind of a failure. The numbers are those of steno_code.
enum class StatusCode {
  kOk = 0,
  kInvalidArgument,    // an argument or option is wrong
  kNotFound,           // no such file, directory or session; an empty file
  kPermissionDenied,   // exists, but this user may not use it
  kIoError,            // a system call failed; the message has its reason
  kCorrupt,            // the bytes are not valid
  kUnsupported,        // needs a newer version, or was not compiled in
  kExhausted,          // out of memory, space, descriptors
  kFailedPrecondition  // not possible in the current state
};

// Copyable, movable. Holds no memory while ok.
class [[nodiscard]] STENO_HAS_STRINGS Status {
 public:
  Status() = default;
  // A failure (or, with kOk, none) with a sentence for people.
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  // True if there is no failure.
  bool ok() const { return code_ == StatusCode::kOk; }
  explicit operator bool() const { return ok(); }
  // kOk while ok.
  StatusCode code() const { return code_; }
  // Says what failed, on what, and what to do about it. Empty while ok.
  const std::string& message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

// A Status that may be ignored, because the failure is also reported elsewhere (Options::on_warning).
class STENO_HAS_STRINGS IgnorableStatus : public Status {
 public:
  // The constructors are those of Status.
  using Status::Status;
  IgnorableStatus(Status status) : Status(std::move(status)) {}  // implicit on purpose
};

// A value, or a Status that says why there is none.
template <class T>
class [[nodiscard]] STENO_HAS_STRINGS Result {
 public:
  Result(T value) : value_(std::move(value)) {}                                  // implicit on purpose
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }  // an error, never ok

  // True if there is a value.
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

#include "steno/detail/end.h"
