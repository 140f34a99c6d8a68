package io.github.steno.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedTest;
import io.github.steno.StenoCommand;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A WAR that brings steno with it, in Tomcat. */
@Tag("nightly")
class WebApplicationTest extends DrainedTest {
  private static final int DEPLOYMENTS = 12;

  @Test
  void nothingIsLeftOfApplicationsThatWereUndeployed() throws Exception {
    Path application = directory.resolve("shop");
    Path libraries = Files.createDirectories(application.resolve("WEB-INF/lib"));
    for (String entry : classPath()) {
      if (isOwn(entry)) Files.copy(Path.of(entry), libraries.resolve(Path.of(entry).getFileName()));
    }
    String servlet = "com/acme/LoggingServlet.class";
    Path classes = application.resolve("WEB-INF/classes").resolve(servlet);
    Files.createDirectories(classes.getParent());
    try (var code = getClass().getClassLoader().getResourceAsStream(servlet)) {
      Files.copy(code, classes);
    }
    String server = Arrays.stream(classPath()).filter(entry -> !isOwn(entry) && !entry.contains("steno-core")
        && !entry.contains("logback")).collect(Collectors.joining(File.pathSeparator));
    drained.run(TomcatProgram.class, List.of("-cp", server, "-Dsteno.scribe=thread"), Files.createDirectory(directory.resolve("server")).toString(),
        application.toString(), String.valueOf(DEPLOYMENTS));
    String said = drained.said();
    for (String kind : List.of("descriptors", "threads", "mappings")) assertTrue(said.contains(kind + " 0\n"), said);
    // Tomcat's own thread may be at work within the application, and is named then.
    assertFalse(Pattern.compile("a thread named \\[(?!Catalina-utility)[^]]*\\] but has failed to stop it").matcher(said).find(), said);
    drained.waitUntilStagingIsGone();
    String log = drained.cat("{message}");
    for (int i = 0; i < DEPLOYMENTS; i++) assertTrue(log.contains("served " + i + "\n"), log);
    assertEquals(DEPLOYMENTS, log.lines().filter("begun"::equals).count());
    assertEquals(DEPLOYMENTS, log.lines().filter("servlet destroyed"::equals).count());
    StenoCommand.Ran verify = StenoCommand.run("verify", drained.log.toString());
    assertTrue(verify.out().startsWith("complete"), verify.out() + verify.err());
  }

  private static String[] classPath() {
    return System.getProperty("java.class.path").split(File.pathSeparator);
  }

  private static boolean isOwn(String entry) {
    return entry.matches(".*/(steno-core|steno-slf4j|slf4j-api)-[^/]*\\.jar") && !entry.contains("tests");
  }
}
