#include "live/file_requests.h"

#include <unistd.h>

#include <utility>

#include "base/file_size_signal.h"
#include "ring/session_access.h"
#include "staging/control.h"

namespace steno::live {

FileRequests::FileRequests(ring::SessionFile& session, std::string directory)
    : session_(session), directory_(std::move(directory)), last_(ring::load_control_answer(session)) {}

bool FileRequests::asked() const {
  return ring::load_control_request(session_) != last_;
}

FileRequests::Request FileRequests::take() {
  if (!asked()) return Request::kNone;
  last_ = ring::load_control_request(session_);
  const int fd = staging::open_control(directory_);
  if (fd < 0) return Request::kNone;
  staging::ControlMessage message;
  const bool is_read = staging::read_control(fd, staging::kRequestOffset, staging::kMostRequest, &message);
  close(fd);
  if (!is_read || message.number != last_) return Request::kNone;
  return message.text == "flush" ? Request::kFlush : message.text == "rotate" ? Request::kRotate : Request::kNone;
}

void FileRequests::answer(const Status& outcome) {
  const HoldFileSizeSignal hold;
  const int fd = staging::open_control(directory_);
  if (fd < 0) return;
  const staging::ControlMessage message = {last_, outcome.ok() ? staging::kControlDone : staging::kControlRefused,
                                           outcome.message()};
  if (staging::write_control(fd, staging::kAnswerOffset, message) == 0) ring::store_control_answer(session_, last_);
  close(fd);
}

}  // namespace steno::live
