// The 30-second example of the README.
#include <steno/log.h>      // where you log
#include <steno/session.h>  // where you start, stop and configure

#include <string>

int main() {
  steno::start("app.steno");  // or STENO_PATH in the environment

  const std::string address = "basic+udp:host=192.168.1.140,port=12246";
  const char* client = "ACME";
  const int qty = 300;
  const double price = 17.25;
  const double ms = 26.2;
  const int retries = 2;

  STENO_INFO("Opened session with coordinator at {}", address);
  STENO_INFO("filled {qty} @ {price:.2f} for {client}", qty, price, client);  // named fields become named columns
  STENO_LOGF(NOTICE, "took %0.1lf ms, %d retries", ms, retries);              // printf syntax, same log
}  // flushed and closed at exit
