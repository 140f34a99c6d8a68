// The program in which a person reads what a command prints: only on a terminal.
#pragma once

#include <string>

namespace steno::cli {

// From now on what goes to standard output, if that is a terminal, goes to the pager; it starts with the first bytes.
// Its command is STENO_PAGER, else `configured`, else PAGER, else `less -FRX`; an empty one, or `cat`, is none.
// `configured`: nullptr: the user's file names none.
void allow_pager(const std::string* configured);
// --no-pager, and whoever follows a log.
void forbid_pager();
// Where to write what is for `fd`: the pager's pipe, or `fd`. A pager that cannot be started is reported, once.
int page(int fd);
// Waits until the user has left the pager, if there is one. A signal that ends the command waits likewise. False: a
// shell could not start the pager, so nobody has seen the output; it was reported.
bool wait_for_pager();

}  // namespace steno::cli
