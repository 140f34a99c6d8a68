package io.github.steno.programs;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/** Serves requests on a loopback port, one after the other, some of which fail. */
final class JettyProgram {
  private static final int REQUESTS = 50;

  public static void main(String[] arguments) throws Exception {
    Server server = new Server(InetSocketAddress.createUnresolved("127.0.0.1", 0));
    server.setHandler(new Handler.Abstract() {
      @Override
      public boolean handle(Request request, Response response, Callback callback) {
        if (Request.getPathInContext(request).startsWith("/broken")) throw new IllegalStateException("out of stock");
        callback.succeeded();
        return true;
      }
    });
    server.start();
    int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
    for (int i = 0; i < REQUESTS; i++) {
      try (Socket socket = new Socket("127.0.0.1", port)) {
        String path = i % 10 == 0 ? "/broken" : "/whole";
        String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        socket.getInputStream().readAllBytes();
      }
    }
    server.stop();
  }

  private JettyProgram() {}
}
