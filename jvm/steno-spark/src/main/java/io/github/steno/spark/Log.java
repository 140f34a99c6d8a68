package io.github.steno.spark;

import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/** Open files, read as one log. For one thread at a time. */
final class Log implements AutoCloseable {
  /** A statement at a place. */
  record Site(String text, String file, int line, long stableId, String types) {}

  /** A run of a program, in a file. */
  record Session(String path, long id, long records, boolean hasEnded) {}

  /** Something that is missing. */
  record Loss(String path, String text) {}

  private static final Cleaner CLEANER = Cleaner.create();

  private static final int ATTEMPTS = 10;

  private final long reader;
  private final Cleaner.Cleanable cleanable;
  /** Names that files had when they were found, by the names that they have now. */
  private final Map<String, String> foundAs = new HashMap<>();
  private boolean isClosed;

  private Log(long reader) {
    this.reader = reader;
    cleanable = CLEANER.register(this, () -> Native.close(reader));
  }

  /** Reads of each file what it had when it was found. Throws if one of them cannot be read, or is no log. */
  static Log open(List<LogFile> files, Configuration hadoop) throws StenoException {
    Native.require();
    long[] sizes = files.stream().mapToLong(LogFile::size).toArray();
    if (files.stream().allMatch(LogFile::isLocal)) return openLocal(files, sizes);
    byte[][] paths = bytes(files.stream().map(LogFile::path).toList());
    Source[] sources = files.stream().map(file -> new FileSource(file, hadoop)).toArray(Source[]::new);
    return new Log(Native.openSources(paths, sizes, sources));
  }

  /** Files that are renamed or grow while they are opened are opened again, also where that has made the opening fail. */
  private static Log openLocal(List<LogFile> files, long[] sizes) throws StenoException {
    for (int attempt = 1;; ++attempt) {
      Log log = null;
      try {
        List<String> paths = LocalFiles.find(files);
        boolean areFinished = LocalFiles.areFinished(files, paths);
        log = new Log(areFinished ? Native.open(bytes(paths)) : Native.openBeginnings(bytes(paths), sizes));
        for (int i = 0; i < paths.size(); ++i) log.foundAs.put(paths.get(i), files.get(i).path());
        boolean areThere = paths.equals(LocalFiles.find(files)) && (!areFinished || LocalFiles.areFinished(files, paths));
        if (areThere || attempt == ATTEMPTS) return log;
      } catch (StenoException e) {
        if (log != null) log.close();
        // A file without a mark is not looked for, so it stays wrong.
        if (attempt == ATTEMPTS || files.stream().allMatch(file -> file.mark() == null)) throw e;
        continue;
      }
      log.close();
    }
  }

  private String foundAs(String path) {
    return foundAs.getOrDefault(path, path);
  }

  /** The statements of all sessions, each once. */
  List<Site> sites() throws StenoException {
    List<Site> sites = new ArrayList<>();
    for (Packed packed = new Packed(Native.sites(reader())); packed.hasMore(); ) {
      sites.add(new Site(packed.text(), packed.text(), (int) packed.number(), packed.number(), packed.text()));
    }
    return sites;
  }

  /** Returns the sessions in the order of their numbers, which the column {@code session} has. */
  List<Session> sessions() throws StenoException {
    List<Session> sessions = new ArrayList<>();
    for (Packed packed = new Packed(Native.sessions(reader())); packed.hasMore(); ) {
      sessions.add(new Session(foundAs(packed.text()), packed.number(), packed.number(), packed.number() != 0));
    }
    return sessions;
  }

  /** The losses that are known so far: damage that only decoding finds is there once all is read. */
  List<Loss> losses() throws StenoException {
    List<Loss> losses = new ArrayList<>();
    for (Packed packed = new Packed(Native.losses(reader())); packed.hasMore(); ) losses.add(new Loss(foundAs(packed.text()), packed.text()));
    return losses;
  }

  /** All that a question selects, in the types of Spark. */
  Batches read(Question question) throws StenoException {
    return read(question, 0, 1, Question.PROFILE_SPARK);
  }

  /** A share of it: one of {@code parts} blocks, in turn. */
  Batches read(Question question, int part, int parts, int profile) throws StenoException {
    long[] numbers = {
      question.stableId(), question.since(), question.until(), part, parts, Batches.FEWEST_ROWS, Batches.MOST_ROWS, profile
    };
    return new Batches(Native.stream(reader(), utf8(question.statement()), bytes(question.columns()), utf8(question.where()), numbers));
  }

  private long reader() {
    if (isClosed) throw new IllegalStateException("the log is closed");
    return reader;
  }

  /** Streams stay open. */
  @Override
  public void close() {
    isClosed = true;
    cleanable.clean();
  }

  private static byte[][] bytes(List<String> texts) {
    return texts.stream().map(Log::utf8).toArray(byte[][]::new);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
