// steno-web: the command with its server for pages. `steno web` becomes this program.
#include <csignal>
#include <string>
#include <vector>

#include "command_line.h"
#include "input/lost_pages.h"
#include "memory_limit.h"
#include "web/server.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a connection that is closed is no end of the server
  std::signal(SIGXFSZ, SIG_IGN);
  steno::cli::survive_lost_pages();
  steno::cli::limit_memory();
  steno::cli::set_web_server(steno::cli::web::serve);
  std::string words[] = {"steno", "web"};
  std::vector<char*> all = {words[0].data(), words[1].data()};
  all.insert(all.end(), argv + 1, argv + argc);
  const int count = static_cast<int>(all.size());
  all.push_back(nullptr);
  return steno::cli::run_command_line(count, all.data());
}
