package io.github.steno.spark;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;

/** Open files, read as one log; all that read the same share what {@link OpenLogs} has open. For one thread at a time. */
final class Log implements AutoCloseable {
  /** A statement at a place. */
  record Site(String text, String file, int line, long stableId, String types) {}

  /** A run of a program, in a file. */
  record Session(String path, long id, long records, boolean hasEnded) {}

  /** Something that is missing. */
  record Loss(String path, String text) {
    /** {@code packed}: what {@link Native#losses} has returned. */
    static List<Loss> of(byte[] packed) {
      List<Loss> losses = new ArrayList<>();
      for (Packed all = new Packed(packed); all.hasMore(); ) losses.add(new Loss(all.text(), all.text()));
      return losses;
    }
  }

  private static final Cleaner CLEANER = Cleaner.create();

  private static final int ATTEMPTS = 10;

  private final OpenLogs.Shared shared;
  private final Cleaner.Cleanable cleanable;
  /** Names that files had when they were found, by the names that they have now. */
  private final Map<String, String> foundAs = new HashMap<>();
  private boolean wasOpen;
  private boolean isClosed;

  private Log(OpenLogs.Shared shared) {
    this.shared = shared;
    cleanable = CLEANER.register(this, shared::release);
  }

  /** Reads of each file what it had when it was found. Throws if one of them cannot be read, or is no log. */
  static Log open(List<LogFile> files, Configuration hadoop) throws StenoException {
    return open(files, hadoop, true);
  }

  /** Opens files that are shared with nobody: to decode them without asking for losses. */
  static Log openAlone(List<LogFile> files, Configuration hadoop) throws StenoException {
    return open(files, hadoop, false);
  }

  private static Log open(List<LogFile> files, Configuration hadoop, boolean isShared) throws StenoException {
    Native.require();
    long[] sizes = files.stream().mapToLong(LogFile::size).toArray();
    if (files.stream().allMatch(LogFile::isLocal)) return openLocal(files, sizes, isShared);
    byte[][] paths = bytes(files.stream().map(LogFile::path).toList());
    OpenLogs.Key key = isShared ? OpenLogs.Key.of(files, hadoop) : null;
    AtomicBoolean isNew = new AtomicBoolean();
    Log log = new Log(OpenLogs.take(key, 0, () -> {
      isNew.set(true);
      Source[] sources = files.stream().map(file -> new FileSource(file, hadoop)).toArray(Source[]::new);
      return Native.openSources(paths, sizes, sources);
    }));
    log.wasOpen = !isNew.get();
    return log;
  }

  /**
   * Opens files some time after they were found. Throws also if their store has other versions of them by now; whoever opens them anew has
   * read of each, which tells.
   */
  static Log openLater(List<LogFile> files, Configuration hadoop) throws StenoException {
    Log log = open(files, hadoop);
    try {
      if (log.wasOpen) FileSource.check(files, hadoop);
      return log;
    } catch (IOException e) {
      log.close();
      throw new StenoException(e.getMessage());
    }
  }

  /** Whether files of this machine are open already, and known to be finished. */
  static boolean areOpenAndFinished(List<LogFile> files) {
    return OpenLogs.has(OpenLogs.Key.of(files, files.stream().map(LogFile::path).toList(), true));
  }

  /** Files that are renamed or grow while they are opened are opened again, also where that has made the opening fail. */
  private static Log openLocal(List<LogFile> files, long[] sizes, boolean isShared) throws StenoException {
    for (int attempt = 1;; ++attempt) {
      try {
        Log log = openLocal(files, sizes, isShared, attempt == ATTEMPTS);
        if (log != null) return log;
      } catch (StenoException e) {
        // A file without a mark is not looked for, so it stays wrong.
        if (attempt == ATTEMPTS || files.stream().allMatch(file -> file.mark() == null)) throw e;
      }
    }
  }

  /** Null: files were renamed meanwhile. Where {@code isLast}, it is opened as it is, and nobody shares it. */
  private static Log openLocal(List<LogFile> files, long[] sizes, boolean isShared, boolean isLast) throws StenoException {
    List<String> paths = LocalFiles.find(files);
    boolean areFinished = LocalFiles.areFinished(files, paths);
    OpenLogs.Key key = isLast || !isShared ? null : OpenLogs.Key.of(files, paths, areFinished);
    byte[][] names = bytes(paths);
    OpenLogs.Opener opener = () -> areFinished ? Native.open(names) : Native.openBeginnings(names, sizes);
    OpenLogs.Opener careful = isLast ? opener : () -> OpenLogs.openIf(opener, () -> areThere(files, paths, areFinished));
    OpenLogs.Shared shared = OpenLogs.take(key, areFinished ? 0 : LongStream.of(sizes).sum(), careful);
    if (shared == null) return null;
    Log log = new Log(shared);
    for (int i = 0; i < paths.size(); ++i) log.foundAs.put(paths.get(i), files.get(i).path());
    return log;
  }

  private static boolean areThere(List<LogFile> files, List<String> paths, boolean areFinished) {
    try {
      return paths.equals(LocalFiles.find(files)) && (!areFinished || LocalFiles.areFinished(files, paths));
    } catch (StenoException e) {
      return false;
    }
  }

  private String foundAs(String path) {
    return foundAs.getOrDefault(path, path);
  }

  /** The statements of all sessions, each once. */
  List<Site> sites() throws StenoException {
    List<Site> sites = new ArrayList<>();
    for (Packed packed = packed(Native::sites); packed.hasMore(); ) {
      sites.add(new Site(packed.text(), packed.text(), (int) packed.number(), packed.number(), packed.text()));
    }
    return sites;
  }

  /** Returns the sessions in the order of their numbers, which the column {@code session} has. */
  List<Session> sessions() throws StenoException {
    List<Session> sessions = new ArrayList<>();
    for (Packed packed = packed(Native::sessions); packed.hasMore(); ) {
      sessions.add(new Session(foundAs(packed.text()), packed.number(), packed.number(), packed.number() != 0));
    }
    return sessions;
  }

  /** The losses that are known so far: damage that only decoding finds is there once all is read. */
  List<Loss> losses() throws StenoException {
    return named(open().losses());
  }

  /**
   * The losses that were known before anything was decoded, which do not depend on who else reads the log. To be asked for before.
   *
   * @param all after a look at each block; else of large files and of sources at those that an index says may report losses
   */
  List<Loss> firstLosses(boolean all) throws StenoException {
    return named(open().firstLosses(all));
  }

  private List<Loss> named(List<Loss> losses) {
    return losses.stream().map(loss -> new Loss(foundAs(loss.path()), loss.text())).toList();
  }

  /** All that a question selects, in the types of Spark. */
  Batches read(Question question) throws StenoException {
    return read(question, 0, 1, Question.PROFILE_SPARK);
  }

  /** A share of it: one of {@code parts} blocks, in turn. */
  Batches read(Question question, int part, int parts, int profile) throws StenoException {
    synchronized (shared) {
      return new Batches(Native.stream(reader(), utf8(question.statement()), bytes(question.columns()), utf8(question.where()),
          numbers(question, part, parts, profile)));
    }
  }

  /**
   * Returns how many bytes the blocks have that a question reads at most.
   *
   * @param opened of those alone that have to be opened for it
   */
  long bytes(Question question, boolean opened) throws StenoException {
    long[] bytes = new long[2];
    synchronized (shared) {
      Native.estimate(reader(), utf8(question.statement()), bytes(question.columns()), utf8(question.where()),
          numbers(question, 0, 1, Question.PROFILE_SPARK), bytes);
    }
    return bytes[opened ? 1 : 0];
  }

  private static long[] numbers(Question question, int part, int parts, int profile) {
    return new long[] {
      question.stableId(), question.since(), question.until(), part, parts, Batches.FEWEST_ROWS, Batches.MOST_ROWS, profile
    };
  }

  /** To be called after each batch that {@link #read} has given. */
  void decoded() {
    shared.decoded();
  }

  /** Returns how many losses are neither among the first nor have been counted by others who share the log. */
  int countLosses(List<Loss> losses) {
    return shared.count(losses.size());
  }

  private interface Facts {
    byte[] of(long reader) throws StenoException;
  }

  private Packed packed(Facts facts) throws StenoException {
    synchronized (shared) {
      return new Packed(facts.of(reader()));
    }
  }

  private long reader() {
    return open().reader();
  }

  private OpenLogs.Shared open() {
    if (isClosed) throw new IllegalStateException("the log is closed");
    return shared;
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
