package io.github.steno.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedLog;
import io.github.steno.StenoCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * ZooKeeper as it comes, with steno-slf4j in place of Logback. It logs each command before it answers, and from which port that
 * came: so when it is killed, the log has those of all answers.
 */
class ZooKeeperTest {
  private static final int CLIENTS = 3;
  private static final int COMMANDS = 300;
  private static final int PATIENCE_MS = 100_000;
  /** Until the server serves, it may leave a command without an answer, and the connection open. */
  private static final int SOON_MS = 1000;

  @TempDir Path directory;

  @Test
  void logsEachCommandThatItAnswers() throws Exception {
    killAndCount(List.of());
  }

  @Test
  void logsEachCommandThatItAnswersWithTheAgent() throws Exception {
    killAndCount(List.of("-javaagent:" + System.getProperty("steno.agent")));
  }

  private void killAndCount(List<String> more) throws Exception {
    int port = freePort();
    try (DrainedLog drained = new DrainedLog(directory)) {
      List<String> options = new ArrayList<>(more);
      options.addAll(List.of("-Dzookeeper.4lw.commands.whitelist=*", "-Dzookeeper.admin.enableServer=false"));
      Process server = drained.begin(Class.forName("org.apache.zookeeper.server.ZooKeeperServerMain"), options,
          String.valueOf(port), directory.resolve("data").toString());
      try {
        waitUntilItServes(server, port, drained);
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) clients.add(new Client(port));
        clients.forEach(Thread::start);
        for (Client client : clients) client.waitFor(COMMANDS);
        server.destroyForcibly().waitFor();
        Map<Integer, Integer> answered = new HashMap<>();
        for (Client client : clients) {
          client.join();
          client.ports.forEach(from -> answered.merge(from, 1, Integer::sum));
        }
        drained.waitUntilStagingIsGone();
        Map<Integer, Integer> logged = logged(drained);
        answered.forEach((from, count) -> assertTrue(logged.getOrDefault(from, 0) >= count, "no command of port " + from));
        assertTrue(answered.values().stream().mapToInt(count -> count).sum() >= CLIENTS * COMMANDS);
      } finally {
        server.destroyForcibly();
      }
      StenoCommand.Ran verify = StenoCommand.run("verify", drained.log.toString());
      assertEquals(0, verify.code(), verify.out() + verify.err());
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void waitUntilItServes(Process server, int port, DrainedLog drained) throws Exception {
    for (int waited = 0;; waited++) {
      assertTrue(server.isAlive() && waited < 10_000, drained.said());
      try {
        if (ask(port, "isro", "rw", SOON_MS) >= 0) return;
      } catch (IOException e) {
        // not yet
      }
      Thread.sleep(10);
    }
  }

  /** Returns the port that it was asked from; -1: it did not give this answer. */
  private static int ask(int port, String command, String answer, int patienceMs) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(patienceMs);
      socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
      byte[] answered = socket.getInputStream().readAllBytes();
      return new String(answered, StandardCharsets.US_ASCII).equals(answer) ? socket.getLocalPort() : -1;
    }
  }

  /** Asks until nobody answers. */
  private static final class Client extends Thread {
    private final int port;
    private final List<Integer> ports = new ArrayList<>();

    Client(int port) {
      this.port = port;
    }

    @Override
    public void run() {
      try {
        for (int from; (from = ask(port, "ruok", "imok", PATIENCE_MS)) >= 0; ) add(from);
      } catch (IOException e) {
        // it is dead
      }
    }

    private synchronized void add(int from) {
      ports.add(from);
      notifyAll();
    }

    synchronized void waitFor(int count) throws InterruptedException {
      while (ports.size() < count) {
        assertTrue(isAlive(), "it does not answer any more");
        wait(100);
      }
    }
  }

  /** Returns how many commands of each port are in the log, with the place that logged them. */
  private static Map<Integer, Integer> logged(DrainedLog drained) throws Exception {
    Map<Integer, Integer> ports = new HashMap<>();
    String begin = "org.apache.zookeeper.server.NIOServerCnxn NIOServerCnxn.java Processing ruok command from /127.0.0.1:";
    for (String line : drained.cat("{logger} {basename} {message}").split("\n")) {
      if (line.startsWith(begin)) ports.merge(Integer.parseInt(line.substring(begin.length())), 1, Integer::sum);
    }
    assertTrue(Files.size(drained.log) > 0);
    return ports;
  }
}
