#include "live/file_requests.h"

#include <unistd.h>

#include <utility>

#include "base/file_size_signal.h"
#include "control/message.h"
#include "ring/session_access.h"

namespace steno::live {

FileRequests::FileRequests(ring::SessionFile& session, std::string directory)
    : session_(session), directory_(std::move(directory)), last_(ring::load_control_answer(session)) {}

bool FileRequests::asked() const {
  return ring::load_control_request(session_) != last_;
}

FileRequests::Request FileRequests::take() {
  if (!asked()) return Request::kNone;
  last_ = ring::load_control_request(session_);
  const int fd = control::open_file(directory_);
  if (fd < 0) return Request::kNone;
  control::Message message;
  const bool is_read = control::read_message(fd, control::kRequestOffset, control::kMostRequest, &message);
  close(fd);
  if (!is_read || message.number != last_) return Request::kNone;
  return message.text == "flush" ? Request::kFlush : message.text == "rotate" ? Request::kRotate : Request::kNone;
}

void FileRequests::answer(const Status& outcome) {
  const HoldFileSizeSignal hold;
  const int fd = control::open_file(directory_);
  if (fd < 0) return;
  const control::Message message = {last_, outcome.ok() ? control::kDone : control::kRefused, outcome.message()};
  if (control::write_message(fd, control::kAnswerOffset, message) == 0) ring::store_control_answer(session_, last_);
  close(fd);
}

}  // namespace steno::live
