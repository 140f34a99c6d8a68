package io.github.steno;

/**
 * The application that {@link ClassLoaderTest} loads anew each time. It logs objects of classes of its own, and has its
 * own thread.
 */
public final class RedeployedApplication implements Runnable {
  private record Argument(int number) {}

  @Override
  public void run() {
    Channel channel = Session.ofProcess().channel(getClass().getName(), Slf4jSyntax.INSTANCE);
    Object[] arguments = {new Argument(1), "text", 2};
    channel.log(Levels.INFO, "none", "deployed {} {} {}", arguments, arguments.length, new Failure());
  }

  private static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;
  }
}
