// steno web: a page over logs, in the browser.
#include "web/web.h"

#include "command.h"
#include "options/jobs_option.h"
#include "options/option_checks.h"
#include "query/filter/time_spec.h"

namespace steno::cli {
namespace {

Serve g_server = nullptr;

}  // namespace

void set_web_server(Serve serve) {
  g_server = serve;
}

Serve web_server() {
  return g_server;
}

void add_web(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<WebOptions>();
  CLI::App* web = app.add_subcommand("web", "Show logs in the browser: what happened when, and the lines of it");
  web->add_option("FILE", options->files, "Log files, or patterns of their names")->required();
  web->add_option("--port", options->port, "Port to listen on (default: one that is free)")
      ->type_name("N")
      ->transform(whole_number(1, 65535));
  web->add_flag_callback(
      "--no-open", [options] { options->open = false; }, "Print the address only; do not open a browser");
  web->add_option("--listen", options->listen,
                  "Address to listen on (default 127.0.0.1). Another one than the machine's own needs --tls-cert and "
                  "--tls-key")
      ->type_name("ADDRESS")
      ->check(some_text("write an address, like 127.0.0.1"));
  web->add_option("--tls-cert", options->certificate, "Certificate of the server, a PEM file")->type_name("FILE");
  web->add_option("--tls-key", options->key, "Its private key, a PEM file")->type_name("FILE");
  web->add_option("--shift", options->filter.shifts,
                  "Add this to the times of a host whose clock was wrong: db1=-1.7s; may be repeated; "
                  "or auto")
      ->type_name("HOST=TIME|auto")
      ->check(some_text("write HOST=TIME, like db1=-1.7s, or auto"))
      ->allow_extra_args(false);
  web->add_flag_callback(
      "--show-secrets", [options] { options->filter.secrets = reader::Secrets::kShown; },
      "Show values logged as steno::secret. Without this option the page has '[redacted]' instead");
  web->add_option_function<std::string>(
         "--time-limit",
         [options](const std::string& text) {
           const auto duration = query::parse_duration(text);
           if (!duration.ok()) throw CLI::ValidationError("--time-limit", duration.status().message());
           if (*duration <= 0) throw CLI::ValidationError("--time-limit", "'" + text + "' is too short");
           options->longest_ns = *duration;
         },
         "How long a question of the page may take (default 30s)")
      ->type_name("TIME");
  add_jobs_option(*web);
  web->footer(
      "It prints an address with a token; whoever opens it sees the logs until the command ends (Ctrl-C). The page is "
      "answered from the files, and from processes that still log into them: docs/web.md.\n\n"
      "Examples:\n  steno web app.steno\n  steno web a.steno 'b*.steno' --no-open\n"
      "  steno web app.steno --port 8080 --no-open");
  web->callback([options, code] {
    if (g_server == nullptr) {
      throw CLI::ValidationError(
          "there is no program steno-web beside this one, because steno was built without cpp-httplib (Debian: "
          "libcpp-httplib-dev); install that and build steno again");
    }
    raise_to(code, g_server(*options));
  });
}

}  // namespace steno::cli
