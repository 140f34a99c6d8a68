package io.github.steno.spark;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The readers that this process has open. All that plan and read the same files share one: it takes the time that the index and the
 * declarations take only once, and their memory. A file is the same if it has the same name, size, time of change, ETag and mark. Readers
 * that nobody uses stay for a minute or two, a few of them. Any thread.
 */
final class OpenLogs {
  static final int MOST_UNUSED = 8;

  /** Those of files that may have been copied into memory, since they have no index, count with their sizes. */
  static final long MOST_UNUSED_BYTES = 256 << 20;
  private static final int SECONDS_UNUSED = 60;

  /**
   * Tells readers apart.
   *
   * @param files what {@link LogFile#identity} returns of each
   * @param paths where files of this machine are by now; empty: they come from elsewhere
   * @param isMapped whether files of this machine are read as they are, not only the beginnings of them
   * @param access by whom and with which settings others are read; null: nothing depends on it
   */
  record Key(List<List<Object>> files, List<String> paths, boolean isMapped, Object access) {
    /** A key for files of any filesystem; null: their store does not tell one version of them from another. */
    static Key of(List<LogFile> files, Configuration hadoop) {
      if (files.stream().anyMatch(file -> file.tag() == null && file.changed() == 0)) return null;
      Map<String, String> settings = new TreeMap<>();
      for (Map.Entry<String, String> one : hadoop) {
        if (one.getKey().startsWith("fs.")) settings.put(one.getKey(), one.getValue());
      }
      try {
        Object access = List.of(UserGroupInformation.getCurrentUser(), settings);
        return new Key(files.stream().map(LogFile::identity).toList(), List.of(), false, access);
      } catch (IOException e) {
        return null;
      }
    }

    /** A key for files of this machine, which are at these paths now; null: one of them cannot be known again, or has been cut short. */
    static Key of(List<LogFile> files, List<String> paths, boolean isMapped) {
      for (int i = 0; i < files.size(); ++i) {
        if (files.get(i).mark() == null || java.nio.file.Path.of(paths.get(i)).toFile().length() < files.get(i).size()) return null;
      }
      return new Key(files.stream().map(LogFile::identity).toList(), paths, isMapped, null);
    }
  }

  /** Opens a reader, and returns its number for {@link Native}; 0: it is of no use. */
  interface Opener {
    long open() throws StenoException;

    /** The losses of what has been opened that are known by now; {@code all}: after a look at each block. */
    default List<Log.Loss> losses(long reader, boolean all) throws StenoException {
      return Log.Loss.of(Native.losses(reader, all));
    }
  }

  /** Says whether a reader is still of use. */
  interface Check {
    boolean isGood();
  }

  /** For an {@link Opener}: what another one opens, if it is of use after that. Else that is closed, and this returns 0. */
  static long openIf(Opener opener, Check check) throws StenoException {
    long reader = opener.open();
    boolean isGood = false;
    try {
      isGood = check.isGood();
    } finally {
      if (!isGood) Native.close(reader);
    }
    return isGood ? reader : 0;
  }

  /** A reader, and how many use it. Who calls {@link Native} with it holds its monitor: streams are independent then. */
  static final class Shared {
    private final Key key;
    private final long heldBytes;
    private Opener opener;
    private long reader;
    /** Null: nobody has asked yet. */
    private List<Log.Loss> firstLosses;
    /** Whether they are known after a look at each block. */
    private boolean isAll;
    /** How many there were when somebody asked last, and whether there may be more since. */
    private int lossCount;
    private volatile boolean hasDecoded;
    /** How many of them tasks have counted. */
    private int counted;
    /** These are guarded by the class. */
    private int users;
    private long unusedSince;

    private Shared(Key key, long heldBytes) {
      this.key = key;
      this.heldBytes = heldBytes;
    }

    /**
     * Opens it unless it is open. Returns whether it is of use: not where the opener returns 0, nor where decoding has found damage, since
     * whoever takes it now may read other parts.
     */
    private synchronized boolean open(Opener opener) throws StenoException {
      if (reader != 0) return !hasFoundDamage();
      OPENED.incrementAndGet();
      this.opener = opener;
      reader = opener.open();
      return reader != 0;
    }

    /** Requires the monitor. */
    long reader() {
      return reader;
    }

    /** Requires the monitor. Asks for losses only after a batch, since that takes time. */
    private boolean hasFoundDamage() throws StenoException {
      if (hasDecoded) losses();
      return firstLosses != null && firstLosses.size() != lossCount;
    }

    /** To be called after each batch, since damage may have been found. Waits for nobody. */
    void decoded() {
      hasDecoded = true;
    }

    /** The losses that are known by now, in files as they are called now. */
    synchronized List<Log.Loss> losses() throws StenoException {
      return losses(false);
    }

    private List<Log.Loss> losses(boolean all) throws StenoException {
      hasDecoded = false;  // before, so that no batch of meanwhile is missed
      List<Log.Loss> losses = opener.losses(reader, all);
      lossCount = losses.size();
      return losses;
    }

    /**
     * The losses that were known when somebody asked first; {@code all}: asked so first. Who decodes must have asked before: then they do not
     * depend on who else reads. For all of them all blocks are read, once.
     */
    synchronized List<Log.Loss> firstLosses(boolean all) throws StenoException {
      if (firstLosses == null || (all && !isAll)) {
        firstLosses = losses(all);
        isAll = all;
        counted = firstLosses.size();
      }
      return firstLosses;
    }

    /** Returns how many of the losses that are known by now are neither among the first nor have been counted. */
    synchronized int count(int losses) {
      int before = counted;
      counted = Math.max(before, losses);
      return counted - before;
    }

    private synchronized void close() {
      if (reader != 0) Native.close(reader);
      reader = 0;
    }

    /** Once for each {@link #take}. */
    void release() {
      OpenLogs.release(this);
    }
  }

  private static final Map<Key, Shared> SHARED = new HashMap<>();
  /** Nobody uses these now; the last is the one that was used last. */
  private static final Deque<Shared> UNUSED = new ArrayDeque<>();
  private static final AtomicLong OPENED = new AtomicLong();
  private static boolean isToBeClosed;

  /**
   * Returns a reader that must be released. It is open already if another one has taken the same, unless decoding has found damage with
   * it since. Null: the opener has returned 0.
   *
   * @param key null: it is shared with nobody
   * @param heldBytes how many bytes of files it may hold in memory
   */
  static Shared take(Key key, long heldBytes, Opener opener) throws StenoException {
    for (;;) {
      Shared shared = use(key, heldBytes);
      boolean isOfUse = false;
      boolean isOpen = false;
      try {
        isOfUse = shared.open(opener);
        isOpen = shared.reader != 0;
      } finally {
        if (!isOfUse) {
          forget(shared);
          release(shared);
        }
      }
      if (isOfUse) return shared;
      if (!isOpen) return null;
    }
  }

  private static synchronized Shared use(Key key, long heldBytes) {
    Shared shared = key == null ? null : SHARED.get(key);
    if (shared == null) {
      shared = new Shared(key, heldBytes);
      if (key != null) SHARED.put(key, shared);
    }
    if (shared.users++ == 0) UNUSED.remove(shared);
    return shared;
  }

  /** From now on nobody else takes it. */
  private static synchronized void forget(Shared shared) {
    if (shared.key != null) SHARED.remove(shared.key, shared);
  }

  private static void release(Shared shared) {
    List<Shared> old = new ArrayList<>();
    synchronized (OpenLogs.class) {
      if (--shared.users != 0) return;
      if (shared.key == null || SHARED.get(shared.key) != shared) {
        old.add(shared);
      } else {
        shared.unusedSince = System.nanoTime();
        UNUSED.add(shared);
        while (UNUSED.size() > MOST_UNUSED || UNUSED.stream().mapToLong(one -> one.heldBytes).sum() > MOST_UNUSED_BYTES) old.add(oldest());
        closeLater();
      }
    }
    old.forEach(Shared::close);
  }

  private static Shared oldest() {
    Shared oldest = UNUSED.remove();
    forget(oldest);
    return oldest;
  }

  private static void closeLater() {
    if (isToBeClosed || UNUSED.isEmpty()) return;
    isToBeClosed = true;
    CompletableFuture.delayedExecutor(SECONDS_UNUSED, TimeUnit.SECONDS).execute(OpenLogs::closeOld);
  }

  private static void closeOld() {
    List<Shared> old = new ArrayList<>();
    synchronized (OpenLogs.class) {
      isToBeClosed = false;
      long end = System.nanoTime() - TimeUnit.SECONDS.toNanos(SECONDS_UNUSED);
      while (!UNUSED.isEmpty() && UNUSED.peek().unusedSince - end <= 0) old.add(oldest());
      closeLater();
    }
    old.forEach(Shared::close);
  }

  /** Whether somebody has opened it, not long ago. */
  static synchronized boolean has(Key key) {
    return key != null && SHARED.containsKey(key);
  }

  /** How many readers have been opened so far. */
  static long opened() {
    return OPENED.get();
  }

  /** How many are open that nobody uses. */
  static synchronized int unused() {
    return UNUSED.size();
  }

  private OpenLogs() {}
}
