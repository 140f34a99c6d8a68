// Quill's interface over steno: programs written for Quill compile with it, as C++17 and later.
//
//   #include <steno/quill.h>              // in place of "quill/Backend.h" and its kin; or leave those lines as they
//                                         // are and compile with -I…/include/steno/compat, which has them
//   quill::Backend::start();
//   quill::Logger* log = quill::Frontend::create_or_get_logger(
//       "net", quill::Frontend::create_or_get_sink<quill::FileSink>("net.log"));
//   LOG_INFO(log, "{} of {} peers after {took}", up, all, took);
//
// A macro is a statement as those of <steno/log.h> are: checked and registered when the program is compiled, its
// arguments are stored as they are. One whose format does not fit its arguments is logged as it stands, with these
// after it. Lines are made by threads of the sinks. Loggers that have the same sinks and pattern share a session, at
// most 62 in a process. Where a log is wanted that can be asked, and survives the process: a steno sink,
//
//   quill::Frontend::create_or_get_logger("net", {console, quill::Frontend::create_or_get_sink<quill::StenoSink>(
//                                                              "app.steno")});
//
// Differences (docs/moving.md)
//   - Backend::start() says what sessions are made with; messages before it are written all the same.
//   - A logger's sinks and pattern are those when it logs first. flush_log() waits for them.
//   - Patterns are translated: %(time) %(message) %(logger) %(log_level) %(thread_id) %(thread_name) %(process_id)
//     %(file_name) %(full_path) %(line_number) %(caller_function) %(source_location) %(short_source_location) and text;
//     times are steno's; alignment is ignored; %(tags) are in the message, %(named_args) shows nothing. %(mdc) is
//     [request_id: 42, user: ann] whatever mdc_format_pattern says; the fields are columns of the log, too.
//   - TRACE_L1 to L3 are TRACE. The backtrace is the flight recorder of the logger's session; TRACE goes with it.
//   - Queues are steno's rings: of BackendOptions, cpu_affinity and error_notifier count, of FrontendOptions the type.
//   - No metrics, no clocks of one's own; filters where lines are text and files do not rotate.
//   - Types with a fmtquill::formatter are text, made in the call, where <fmt/format.h> is there; codecs are not asked.
#pragma once

#include <thread>  // programs have it from Quill

#include "steno/quill/frontend.h"
#include "steno/quill/functions.h"
#include "steno/quill/logger.h"
#include "steno/quill/macros.h"
#include "steno/quill/options.h"
#include "steno/quill/sink.h"
#include "steno/quill/sinks.h"
