#include "web/server.h"

#include <httplib.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "input/inputs.h"
#include "memory_limit.h"
#include "output/output.h"
#include "web/addresses.h"
#include "web/answers.h"
#include "web/assets.h"
#include "web/browser.h"
#include "web/export.h"
#include "web/guard.h"
#include "web/level.h"
#include "web/request.h"
#include "web/strangers.h"

namespace steno::cli::web {
namespace {

constexpr std::size_t kThreads = 128;                 // each has a connection, and most of them wait
constexpr int kWaiting = 512;                         // connections that have not been accepted
constexpr std::size_t kMostLive = 32;                 // connections of /api/live, which stay
constexpr std::int64_t kStrangersNs = 5'000'000'000;  // until a connection has shown the token
constexpr time_t kIdleSeconds = 1;                    // an idle connection has a thread
constexpr time_t kSlowSeconds = 5;                    // that a client may take for its next bytes
constexpr std::size_t kMostPosted = 16 << 10;         // bytes of a body
constexpr std::size_t kMostAsked = 64 << 10;          // of what a question has as parameters
constexpr std::int64_t kHeartbeatNs = 10'000'000'000;
constexpr std::chrono::milliseconds kLookEvery{250};  // whether the log has grown
constexpr const char* kJson = "application/json; charset=utf-8";
constexpr const char* kBusy = "the server is busy with other questions; ask again";

using Answer = void (*)(const Asked& asked, Json* out);
struct Route {
  const char* path;
  Answer answer;
};
constexpr Route kRoutes[] = {
    {"/api/timeline", answer_timeline}, {"/api/lines", answer_lines},     {"/api/breakdown", answer_breakdown},
    {"/api/diff", answer_diff},         {"/api/latency", answer_latency}, {"/api/scatter", answer_scatter},
    {"/api/threads", answer_threads},   {"/api/request", answer_request}, {"/api/verify", answer_verify},
    {"/api/clocks", answer_clocks},
};

void refuse(httplib::Response& response, int status, std::string_view why) {
  Json out;
  out.begin('{').name("error").text(why);
  out.end('}');
  response.status = status;
  response.set_content(out.take(), kJson);
}

// Questions that may be asked again soon, without any change: all answers that have the header Retry-After.
void refuse_for_now(httplib::Response& response, std::string_view why) {
  refuse(response, 503, why);
  response.set_header("Retry-After", "1");
}

class Site {
 public:
  Site(const WebOptions& options, Log* log) : options_(options), log_(*log), requests_(options.longest_ns) {}

  // The port. 0: the address cannot be had.
  std::uint16_t bind(httplib::Server* server) {
    int listening = -1;
    server->set_socket_options([&listening](socket_t socket) {
      listening = socket;
      const int yes = 1;  // and not SO_REUSEPORT, the library's own choice, by which others could share the port
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    int port = options_.port;
    if (port == 0) {
      port = server->bind_to_any_port(options_.listen);
    } else if (!server->bind_to_port(options_.listen, port)) {
      port = 0;
    }
    if (port <= 0) return 0;
    ::listen(listening, kWaiting);  // the library lets five wait
    server->set_socket_options(nullptr);
    std::vector<std::string> hosts = hosts_of(options_.listen);
    shown_host_ = hosts[0];
    guard_ = std::make_unique<Guard>(std::move(hosts), static_cast<std::uint16_t>(port), !options_.certificate.empty());
    strangers_.emplace(static_cast<std::uint16_t>(port), kStrangersNs);
    add_routes(server);
    return static_cast<std::uint16_t>(port);
  }

  std::string url(std::uint16_t port) const {
    return (options_.certificate.empty() ? "http://" : "https://") + shown_host_ + ":" + std::to_string(port) +
           "/?token=" + guard_->token();
  }

  void end() {
    ending_ = true;
    requests_.end();
  }

 private:
  using Handled = httplib::Server::HandlerResponse;

  void add_routes(httplib::Server* server) {
    server->new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server->set_keep_alive_timeout(kIdleSeconds);
    server->set_read_timeout(kSlowSeconds);
    server->set_write_timeout(kSlowSeconds);
    server->set_payload_max_length(kMostPosted);
    server->set_tcp_nodelay(true);
    server->set_default_headers({
        {"Content-Security-Policy",
         "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cache-Control", "no-store"},
    });
    server->set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      if (!admit(request, response)) return Handled::Handled;
      strangers_->admit({request.remote_addr, request.remote_port});
      return Handled::Unhandled;
    });
    server->set_error_handler([](const httplib::Request& request, httplib::Response& response) {
      if (!response.body.empty()) return;
      refuse(response, response.status,
             response.status == 404 ? "there is no '" + request.path + "' here" : "the request cannot be answered");
    });
    server->set_exception_handler([](const httplib::Request&, httplib::Response& response, auto&&) {
      refuse(response, 500, "the request failed");
    });
    for (const Asset& asset : assets()) {
      server->Get(std::string(asset.path), [asset](const httplib::Request&, httplib::Response& response) {
        response.set_content(asset.bytes.data(), asset.bytes.size(), content_type_of(asset.path));
      });
    }
    server->Get("/",
                [this](const httplib::Request& request, httplib::Response& response) { start(request, response); });
    server->Get("/api/log", [this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response,
             [](const Asked& asked, Json* out) { answer_log(asked, can_control(asked.log()), out); });
    });
    server->Get("/api/live", [this](const httplib::Request&, httplib::Response& response) { follow(response); });
    server->Get("/api/export",
                [this](const httplib::Request& request, httplib::Response& response) { send_file(request, response); });
    server->Post("/api/level", [this](const httplib::Request& request, httplib::Response& response) {
      if (try_to(response, [&] { set_level(*log_.refreshed(), request.params); })) response.status = 204;
    });
    for (const Route& route : kRoutes) {
      server->Get(route.path, [this, route](const httplib::Request& request, httplib::Response& response) {
        answer(request, response, route.answer);
      });
    }
  }

  // True: the request has the token. False: refused, and `response` says so.
  bool admit(const httplib::Request& request, httplib::Response& response) {
    std::size_t size = 0;
    for (const auto& [name, value] : request.params) size += name.size() + value.size();
    if (!guard_->is_own_host(request.get_header_value("Host"))) {
      refuse(response, 403, "this server has another name: open the address that 'steno web' printed");
    } else if (!guard_->is_own_origin(request.get_header_value("Origin")) ||
               (!Guard::is_own_fetch(request.get_header_value("Sec-Fetch-Site")) && request.path != "/")) {
      refuse(response, 403, "the request comes from another page");
    } else if (request.method != "GET" && request.method != "POST") {
      refuse(response, 405, "only GET and POST are answered");
    } else if (request.method == "POST" && !request.has_header("Origin")) {
      refuse(response, 403, "a change must come from the page: there is no Origin");
    } else if (size > kMostAsked) {
      refuse(response, 413, "the question is too long: " + std::to_string(kMostAsked >> 10) + " KiB are allowed");
    } else if (request.path == "/" && request.has_param("token")) {
      if (guard_->is_token(request.get_param_value("token"))) return true;
      refuse(response, 401, "the token is not that of this server: open the address that 'steno web' printed");
    } else if (!guard_->has_token(request.get_header_value("Cookie"))) {
      refuse(response, 401, "who asks is not known: open the address that 'steno web' printed, with its token");
    } else {
      return true;
    }
    return false;
  }

  // The page; or, with the token, the cookie for it.
  void start(const httplib::Request& request, httplib::Response& response) {
    if (request.has_param("token")) {
      response.set_header("Set-Cookie", guard_->cookie());
      if (Guard::is_own_fetch(request.get_header_value("Sec-Fetch-Site"))) return response.set_redirect("/");
      // From a file, as that of Browser: a browser does not send such a cookie where another site has begun the way
      // here, redirections included. From a page of our own it does.
      return response.set_content(
          "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=/\"><title>steno</title>\n",
          "text/html; charset=utf-8");
    }
    for (const Asset& asset : assets()) {
      if (asset.path == "/index.html") {
        response.set_content(asset.bytes.data(), asset.bytes.size(), content_type_of(asset.path));
      }
    }
  }

  // True: it was done; false: `response` says what was wrong.
  template <class Do>
  static bool try_to(httplib::Response& response, const Do& act) {
    try {
      act();
      return true;
    } catch (const Refused& refused) {
      refuse(response, refused.status(), refused.what());
    } catch (const std::bad_alloc&) {
      refuse(response, 507, out_of_memory_text());
    } catch (const std::exception& error) {
      refuse(response, 500, error.what());
    }
    return false;
  }

  template <class Make>
  void answer(const httplib::Request& request, httplib::Response& response, const Make& make) {
    Requests::Work work(&requests_, {request.remote_addr, request.remote_port});
    if (!work.is_in_time()) return refuse_for_now(response, kBusy);
    try_to(response, [&] {
      try {
        const std::shared_ptr<const OpenLog> log = log_.refreshed();
        const Asked asked(*log, request.params, work.meter());
        Json out;
        make(asked, &out);
        if (!log->is_whole()) return refuse_for_now(response, "a file became shorter while it was read; ask again");
        response.set_content(reinterpret_cast<const char*>(out.bytes().data()), out.bytes().size(), kJson);
      } catch (const WorkStopped&) {
        if (work.is_too_long())
          throw Refused(504, "the question takes too long; select a shorter time, or fewer records");
        throw Refused(503, "nobody waits for the answer");
      }
    });
  }

  // Events while the log grows, as long as the page listens.
  void follow(httplib::Response& response) {
    if (live_.fetch_add(1) >= kMostLive) {
      --live_;
      return refuse_for_now(response, "too many pages follow the log");
    }
    const auto state = std::make_shared<Following>();
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, state](std::size_t, httplib::DataSink& sink) {
          return try_to_send([&] { return send_change(*state, sink); });
        },
        [this](bool) { --live_; });
  }

  // For what is sent piece by piece: the HTTP library lets an exception end the program. False: the connection is
  // closed, without the end of what was sent.
  template <class Send>
  static bool try_to_send(const Send& send) {
    try {
      return send();
    } catch (const std::exception&) {
      return false;
    }
  }

  struct Following {
    bool any = false;
    std::uint64_t records = 0;
    std::int64_t last = INT64_MIN;
    std::int64_t sent = 0;
  };

  bool send_change(Following& following, httplib::DataSink& sink) {
    while (!ending_ && sink.is_writable()) {
      const std::shared_ptr<const OpenLog> log = log_.refreshed();
      const std::int64_t last = query::recorded_span(log->logs()).last;
      const std::int64_t now = monotonic_now();
      std::string event;
      if (!following.any || log->records() != following.records || last != following.last) {
        Json change;
        change.begin('{').name("records").number(log->records());
        change.name("last").exact(last);
        change.end('}');
        event = "event: change\ndata: " + change.take() + "\n\n";
      } else if (now - following.sent > kHeartbeatNs) {
        event = ": \n\n";  // so that a page that has gone is noticed
      }
      if (!event.empty()) {
        following = {true, log->records(), last, now};
        std::this_thread::sleep_for(kLookEvery);
        return sink.write(event.data(), event.size());
      }
      std::this_thread::sleep_for(kLookEvery);
    }
    sink.done();
    return false;
  }

  // An export, and its place among the questions until it is sent.
  struct Sending {
    Sending(Requests* requests, Peer peer) : work(requests, std::move(peer), Requests::Kind::kExport) {}

    Requests::Work work;
    std::optional<Export> file;
  };

  void send_file(const httplib::Request& request, httplib::Response& response) {
    const auto sending = std::make_shared<Sending>(&requests_, Peer{request.remote_addr, request.remote_port});
    if (!sending->work.is_in_time()) return refuse_for_now(response, kBusy);
    try_to(response, [&] {
      const Export& file = sending->file.emplace(log_.refreshed(), request.params, sending->work.meter());
      response.set_header("Content-Disposition", "attachment; filename=\"" + file.file_name() + "\"");
      response.set_chunked_content_provider(file.content_type(), [this, sending](std::size_t, httplib::DataSink& sink) {
        return try_to_send([&] { return send_part(*sending->file, sink); });
      });
    });
  }

  bool send_part(Export& file, httplib::DataSink& sink) {
    while (!file.is_ready()) {
      if (ending_ || !sink.is_writable()) return false;
    }
    std::array<char, 16384> bytes;
    const std::size_t n = file.read(bytes.data(), bytes.size());
    if (n != 0) return sink.write(bytes.data(), n);
    if (file.has_failed()) return false;  // without the last chunk, so that the other end sees that it is not whole
    sink.done();
    return true;
  }

  const WebOptions& options_;
  Log& log_;
  Requests requests_;
  std::optional<Strangers> strangers_;
  std::unique_ptr<Guard> guard_;
  std::string shown_host_;  // the host in the address that is printed
  std::atomic<bool> ending_{false};
  std::atomic<std::size_t> live_{0};
};

std::unique_ptr<httplib::Server> make_server(const WebOptions& options) {
  const bool tls = !options.certificate.empty();
  if (tls != !options.key.empty()) throw CLI::ValidationError("--tls-cert and --tls-key belong together: give both");
  if (!tls && !is_loopback(options.listen)) {
    throw CLI::ValidationError("--listen " + options.listen +
                               ": others can reach this address, so what they send and get must be encrypted; give "
                               "--tls-cert and --tls-key, or "
                               "use ssh -L to reach a server on 127.0.0.1");
  }
  if (!tls) return std::make_unique<httplib::Server>();
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
  auto server = std::make_unique<httplib::SSLServer>(options.certificate.c_str(), options.key.c_str());
  if (server->is_valid()) return server;
  throw CLI::ValidationError("--tls-cert: '" + options.certificate + "' and '" + options.key +
                             "' are no certificate and key in PEM that fit together");
#else
  throw CLI::ValidationError("--tls-cert: the HTTP library of this build has no TLS");
#endif
}

}  // namespace

ExitCode serve(const WebOptions& options) {
  ExitCode code = kExitOk;
  const std::unique_ptr<httplib::Server> server = make_server(options);
  Log log(options);
  if (!log.open(&code)) return code;
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  Site site(options, &log);
  const std::uint16_t port = site.bind(server.get());
  if (port == 0) {
    throw CLI::ValidationError("--listen: cannot listen on " + options.listen + ", port " +
                               std::to_string(options.port) + ": it is in use, or not an address of this machine");
  }
  std::thread listening([&] { server->listen_after_bind(); });
  const std::string url = site.url(port);
  Output output(STDOUT_FILENO);
  put(output.buffer(), url + "\n");
  output.flush();
  Browser browser;
  if (options.open) browser.open(url);
  int signal = 0;
  sigwait(&ends, &signal);
  site.end();
  while (!server->is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  server->stop();
  listening.join();
  return code;
}

}  // namespace steno::cli::web
