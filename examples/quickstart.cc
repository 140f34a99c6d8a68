#include <steno/log.h>      // where you log: C++17, includes no <string>, <iostream> or {fmt}
#include <steno/session.h>  // where you start, stop and configure

#include <string>

int main() {
  steno::start("app.steno");  // or STENO_PATH in the environment

  const std::string address = "basic+udp:host=192.168.1.140";
  const int qty = 100, retries = 3;
  const double price = 3.14, ms = 26.2;

  STENO_INFO("Opened session with coordinator at {}", address);
  STENO_INFO("filled {qty} @ {price:.2f} for {client}", qty, price, "acme");  // named fields become named columns
  STENO_LOGF(NOTICE, "took %0.1lf ms, %d retries", ms, retries);              // printf syntax, same log
}  // flushed and closed at exit
