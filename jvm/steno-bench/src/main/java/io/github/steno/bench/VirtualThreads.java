package io.github.steno.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Short virtual threads, as a server makes one for each request: each sets a value of the MDC, and logs twice. Prints as JSON what one of
 * them takes of all processors, in microseconds, and how large the process was at most, in MB. JDK 21 or later.
 */
final class VirtualThreads {
  private static final int AT_ONCE = 1000;

  /** The argument is the number of threads. */
  public static void main(String[] arguments) throws Exception {
    int count = Integer.parseInt(arguments[0]);
    // Older JDKs have no virtual threads, so they are started by reflection.
    Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    Logger logger = LoggerFactory.getLogger(VirtualThreads.class);
    logger.error("begun");
    OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Semaphore free = new Semaphore(AT_ONCE);
    long begin = system.getProcessCpuTime();
    for (int i = 0; i < count; i++) {
      int number = i;
      free.acquire();
      start.invoke(null, (Runnable) () -> {
        MDC.put("request", "r-" + (number & 1023));
        logger.info("begin of {}", number);
        logger.info("end of {} {}", number, "ok");
        MDC.clear();
        free.release();
      });
    }
    free.acquire(AT_ONCE);
    double took = (system.getProcessCpuTime() - begin) / 1e3 / count;
    System.out.println(String.format(Locale.ROOT, "{\"cpu_us\": %.3f, \"rss_mb\": %.1f}", took, mostResident()));
  }

  private static double mostResident() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmHWM:")) return Long.parseLong(line.replaceAll("\\D", "")) / 1e3;
    }
    throw new IllegalStateException("the system does not say how large the process is");
  }

  private VirtualThreads() {}
}
