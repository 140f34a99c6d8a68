#include "api/log_paths.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/file_part.h"
#include "logfile/log_place.h"
#include "logfile/rotation_schedule.h"

namespace steno::api {
namespace {

constexpr const char* kPathFields = "{pid}, {program}, {host}, {date}, {time} and ${VARIABLE}";

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// Not what the process was called by, which its caller chooses.
std::string program_name() {
  std::error_code error;
  return file_part(std::filesystem::read_symlink("/proc/self/exe", error).string());
}

std::string now_as_file_time(bool local) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return logfile::file_time(now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec, local);
}

// The value of a field; false: there is none of that name.
bool value_of_field(std::string_view field, bool local_time, std::string* value) {
  if (field == "pid") {
    *value = std::to_string(getpid());
  } else if (field == "program") {
    *value = program_name();
  } else if (field == "host") {
    *value = host_name();
  } else if (field == "time") {
    *value = now_as_file_time(local_time);
  } else if (field == "date") {
    *value = now_as_file_time(local_time).substr(0, 10);
  } else {
    return false;
  }
  std::replace(value->begin(), value->end(), '/', '_');
  return true;
}

bool is_identifier(std::string_view text) {
  const auto is_fit = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_fit) && !(text[0] >= '0' && text[0] <= '9');
}

Status make_directory(const std::string& path) {
  struct stat st {};
  if (path.empty() || stat(path.c_str(), &st) == 0 || errno != ENOENT) return {};  // opening says what else is wrong
  const std::size_t last = path.find_last_not_of('/');
  const std::string trimmed = path.substr(0, last + 1);
  const std::size_t slash = trimmed.rfind('/');
  if (slash != std::string::npos && slash != 0) {
    if (Status status = make_directory(trimmed.substr(0, slash)); !status.ok()) return status;
  }
  int error = 0;
  auto place = logfile::LogPlace::find(trimmed, &error);
  if (!place.ok() && error == 0) return place.status();
  if (place.ok()) error = mkdirat(place->directory_fd(), place->name().c_str(), 0755) == 0 ? 0 : errno;
  if (error == 0 || error == EEXIST) return {};
  const bool forbidden = error == EACCES || error == EPERM || error == EROFS;
  return {forbidden         ? StatusCode::kPermissionDenied
          : error == ENOENT ? StatusCode::kNotFound  // as where a file system has no directories of that kind
                            : StatusCode::kIoError,
          "cannot make the directory " + trimmed + ": " + std::generic_category().message(error)};
}

Status make_directory_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos || slash == 0 ? Status() : make_directory(file.substr(0, slash));
}

}  // namespace

Status expand_path(const std::string& name, bool local_time, std::string* path) {
  const auto bad = [&](const std::string& what) {
    return Status(StatusCode::kInvalidArgument, name + " is '" + *path + "'; " + what);
  };
  std::string out;
  for (std::size_t i = 0; i < path->size();) {
    if (path->compare(i, 2, "{{") == 0 || path->compare(i, 2, "}}") == 0) {
      out += (*path)[i];
      i += 2;
      continue;
    }
    const bool variable = path->compare(i, 2, "${") == 0 && path->compare(i + 1, 2, "{{") != 0;
    const std::size_t begin = i + (variable ? 2 : 1);
    const std::size_t end = variable || (*path)[i] == '{' ? path->find('}', begin) : std::string::npos;
    const std::string field = end == std::string::npos ? "" : path->substr(begin, end - begin);
    if (!is_identifier(field)) {
      out += (*path)[i++];
      continue;
    }
    std::string value;
    if (variable) {
      const char* const set = secure_getenv(field.c_str());
      if (set == nullptr || *set == '\0') return bad(field + " is not set in the environment");
      value = set;
    } else if (!value_of_field(field, local_time, &value)) {
      return bad("there is no {" + field + "}; a path can have " + kPathFields);
    }
    out += value;
    i = end + 1;
  }
  *path = std::move(out);
  return {};
}

std::string escaped_path(std::string_view path) {
  std::string out;
  for (const char c : path) out.append(c == '{' || c == '}' ? 2 : 1, c);
  return out;
}

void escape_paths(Options* options) {
  options->path = escaped_path(options->path);
  for (SinkOptions& sink : options->sinks) sink.path = escaped_path(sink.path);
}

Status make_directories(const Options& options) {
  if (Status status = make_directory_of(options.path); !status.ok()) return status;
  for (const SinkOptions& sink : options.sinks) {
    if (Status status = make_directory_of(sink.path); !status.ok()) return status;
  }
  return {};
}

}  // namespace steno::api
