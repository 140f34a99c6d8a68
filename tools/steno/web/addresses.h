// The names and addresses under which a server is reached.
#pragma once

#include <string>
#include <vector>

namespace steno::cli::web {

// Returns whether only this machine can reach an address: one of 127.0.0.0/8, ::1, or the name localhost. Any other
// name may lead anywhere, whatever it looks like.
bool is_loopback(const std::string& address);

// The names under which a server that listens on `address` is reached, as a browser writes them in the header Host, in
// lower case and without a port. 0.0.0.0 and :: stand for this machine's name and all its addresses. The first is the
// best one to show.
std::vector<std::string> hosts_of(const std::string& address);

}  // namespace steno::cli::web
