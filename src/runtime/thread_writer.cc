// The writers of threads, in a file of their own.
//
// A program and shared libraries may each be linked with this archive; one copy has to serve them all, and that is the
// first in the order of symbol lookup: the program's, of whatever the linker took out of the archive for it. Statements
// in programs address their thread's writer directly, which is only possible within the program itself. So they call it
// `program_writer`, a name that no shared library exports: the linker must take this file, even where a library that
// came first has all else, and the program's `tls_writer`, which is the same variable, then serves the libraries too.
// Therefore nothing else is in here.
#include "runtime/thread_writer.h"

namespace steno::runtime {
namespace {

detail::Writer stand_in = kStandIn;

constexpr StandIns all_alike(detail::Writer* writer) {
  StandIns stand_ins{};
  for (detail::Writer*& of : stand_ins.of_slot) of = writer;
  return stand_ins;
}

}  // namespace

constinit StandIns stand_ins = all_alike(&stand_in);

}  // namespace steno::runtime

namespace steno::detail {

std::uint64_t no_tail = 0;
// The model again: a definition without it would have the rest of its unit use the one that calls a function.
__thread Writer tls_writer __attribute__((tls_model("initial-exec"))) = runtime::kStandIn;
__thread Writer** tls_writers __attribute__((tls_model("initial-exec"))) = runtime::stand_ins.of_slot;
extern __thread Writer program_writer STENO_HIDDEN __attribute__((alias("_ZN5steno6detail10tls_writerE")));
extern __thread Writer** program_writers STENO_HIDDEN __attribute__((alias("_ZN5steno6detail11tls_writersE")));

}  // namespace steno::detail
