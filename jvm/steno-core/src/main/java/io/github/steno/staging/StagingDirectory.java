package io.github.steno.staging;

import io.github.steno.machine.Mapping;
import io.github.steno.machine.Native;
import io.github.steno.machine.Nonce;
import io.github.steno.machine.Uninterrupted;
import io.github.steno.machine.Xxh3;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The files of one session's staging (spec/ring.md §1): made, locked, mapped and removed. Java has record locks where
 * others have {@code flock}, which end when any descriptor of the file is closed (spec/ring.md §1.5): so a session's file is
 * opened once, and its lock is that of this descriptor, unless the native library has it.
 *
 * <p>Thread safety: rings may be made and grown by any thread; all else is the owner's.
 */
public final class StagingDirectory {
  private static final Set<PosixFilePermission> OWNERS_DIRECTORY = PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> OWNERS_FILE = PosixFilePermissions.fromString("rw-------");
  private static final String NO_LOG = "none";
  private static final int MARK_ATTEMPTS = 100;
  /** Room for statements that come later. */
  private static final long DICTIONARY_ROOM = 1 << 18;
  private static final long LEFT_FREE = 64L << 20;
  private static final byte[] ZEROS = new byte[1 << 16];

  public final Path root;
  public final Path path;
  /** The session file. */
  public final ByteBuffer session;
  public final long nonce;

  /** The native library locks and maps. */
  final boolean isNative;
  private final RandomAccessFile sessionFile;
  private final StagingLock sessionLock;
  private final RandomAccessFile dictionary;
  private StagingLock consumerLock;
  /** Guarded by this. */
  private boolean isClosed;
  private final Set<String> marks = new LinkedHashSet<>();

  /** Returns the possible places of staging, in the order in which they are tried. */
  public static List<Path> roots(String named) {
    Set<Path> roots = new LinkedHashSet<>();
    for (String root : Arrays.asList(named, "/dev/shm", System.getenv("TMPDIR"), "/tmp")) {
      if (root != null && !root.isEmpty()) roots.add(Path.of(root).toAbsolutePath());
    }
    return new ArrayList<>(roots);
  }

  /**
   * Makes a directory in a root, locked both ways, its session file zeros but for what never changes.
   *
   * @param isNative whether the native library is there to map files, which begins sooner than Java's own way, and to lock that
   *     file, which a scribe of this process opens and closes
   */
  public StagingDirectory(Path root, boolean isNative) throws IOException {
    this.root = root;
    this.isNative = isNative;
    Path user = userDirectory(root);
    nonce = Nonce.make();
    path = user.resolve(processId() + "-" + HexFormat.of().toHexDigits(nonce));
    Files.createDirectory(path);
    Files.setPosixFilePermissions(path, OWNERS_DIRECTORY);
    List<Closeable> opened = new ArrayList<>();
    try {
      addMark(NO_LOG);
      sessionFile = makeFile("session");
      opened.add(sessionFile);
      sessionFile.write(ZEROS, 0, Layout.HEADER_BYTES);
      // Whoever looks whether it is an orphan locks it for a moment, and may then have taken it for an unfinished one.
      sessionLock = StagingLock.take(sessionFile, path.resolve("session"), isNative);
      opened.add(sessionLock);
      if (!Files.exists(path.resolve("session"))) throw new IOException(path + " was removed while it was made");
      session = map("session", sessionFile, Layout.HEADER_BYTES);
      makeFile("consumer").close();
      consumerLock = StagingLock.take(path.resolve("consumer"), isNative);
      opened.add(consumerLock);
      dictionary = makeFile("dictionary");
    } catch (IOException e) {
      abandon(opened, e);
      throw e;
    }
    session.putLong(Layout.SessionFile.MAGIC, Layout.SESSION_MAGIC);
    session.putInt(Layout.SessionFile.PID, (int) processId());
  }

  /** Removes a directory that could not be made completely. Failures here are added to the reason. */
  private void abandon(List<Closeable> opened, IOException reason) {
    try {
      removeFiles();
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
    for (Closeable file : opened) {
      try {
        file.close();
      } catch (IOException e) {
        reason.addSuppressed(e);
      }
    }
  }

  /** {@link ProcessHandle} knows it too, but begins with threads. */
  static long processId() throws IOException {
    return Long.parseLong(Files.readSymbolicLink(Path.of("/proc/self")).toString());
  }

  private static Path userDirectory(Path root) throws IOException {
    Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    Path directory = root.resolve("steno-" + user);
    try {
      Files.createDirectory(directory);
      Files.setPosixFilePermissions(directory, OWNERS_DIRECTORY);
    } catch (FileAlreadyExistsException e) {
      // The directory exists, as usual.
    }
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) throw new IOException(directory + " is no directory");
    if (!Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(user)) {
      throw new IOException(directory + " belongs to another user");
    }
    Set<PosixFilePermission> open = Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS);
    if (!OWNERS_DIRECTORY.containsAll(open)) throw new IOException(directory + " is open to others: chmod 700 it");
    return directory;
  }

  /**
   * Makes a file and sets its mode afterwards, because nobody else comes into the directory. Making it with a mode
   * would load the classes of channels.
   */
  private RandomAccessFile makeFile(String name) throws IOException {
    RandomAccessFile file = new RandomAccessFile(path.resolve(name).toFile(), "rw");
    try {
      Files.setPosixFilePermissions(path.resolve(name), OWNERS_FILE);
    } catch (IOException e) {
      file.close();
      throw e;
    }
    return file;
  }

  private ByteBuffer map(String name, RandomAccessFile file, long size) throws IOException {
    ByteBuffer mapped = isNative ? mapNatively(path.resolve(name), size) : Mapping.map(file.getChannel(), size);
    return mapped.order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer mapNatively(Path file, long size) throws IOException {
    try {
      return Native.map(Native.path(file), size);
    } catch (IOException e) {
      throw new IOException(file + " cannot be mapped: " + e.getMessage(), e);
    }
  }

  /** A ring's file, header and data, all of it zeros. */
  public ByteBuffer makeRing(int id, int capacity) throws IOException {
    return Uninterrupted.run(new Uninterrupted.Work<ByteBuffer>() {
      @Override
      public ByteBuffer run() throws IOException {
        Path file = ringFile(id);
        Files.deleteIfExists(file);
        try (RandomAccessFile ring = makeFile(ringName(id))) {
          return extendAndMap(ringName(id), ring, Layout.HEADER_BYTES + (long) capacity);
        } catch (IOException e) {
          Files.deleteIfExists(file);
          throw e;
        }
      }
    });
  }

  /** Gives a ring's file more data and maps it anew. */
  public ByteBuffer growRing(int id, int capacity) throws IOException {
    return Uninterrupted.run(() -> {
      File file = ringFile(id).toFile();
      if (!file.exists()) throw new NoSuchFileException(file.getPath());
      try (RandomAccessFile ring = new RandomAccessFile(file, "rw")) {
        long size = Layout.HEADER_BYTES + (long) capacity;
        if (!leavesRoom(size - ring.length())) throw new IOException("no room in " + root);
        long before = ring.length();
        try {
          return extendAndMap(ringName(id), ring, size);
        } catch (IOException e) {
          ring.setLength(before);
          throw e;
        }
      }
    });
  }

  private static String ringName(int id) {
    return "ring-" + id;
  }

  private Path ringFile(int id) {
    return path.resolve(ringName(id));
  }

  /** Zeros are written, for a store into a hole of a file system that is full would be SIGBUS. */
  private ByteBuffer extendAndMap(String name, RandomAccessFile file, long size) throws IOException {
    long length = file.length();
    file.seek(length);
    for (; length < size; length += ZEROS.length) file.write(ZEROS, 0, (int) Math.min(ZEROS.length, size - length));
    return map(name, file, size);
  }

  /** Rings that grow leave some of the file system to those who have none yet, of whatever process. */
  private boolean leavesRoom(long more) throws IOException {
    FileStore store = Files.getFileStore(path);
    return store.getUsableSpace() >= more + Math.min(LEFT_FREE, store.getTotalSpace() / 8);
  }

  /**
   * Returns whether rings of a size may be made, so that there is still room for the dictionary. Costs a system call.
   */
  public boolean hasRoomForRings(int count, int capacity) {
    return root.toFile().getUsableSpace() >= count * (Layout.HEADER_BYTES + (long) capacity) + DICTIONARY_ROOM;
  }

  /** Writes entries behind the valid part and makes them valid. One caller at a time. */
  void appendDictionary(byte[] entries, int size) throws IOException {
    long valid = session.getLong(Layout.SessionFile.DICTIONARY_SIZE);
    dictionary.seek(valid);
    dictionary.write(entries, 0, size);
    Layout.LONG.setRelease(session, Layout.SessionFile.DICTIONARY_SIZE, valid + size);
  }

  /** Whoever comes may drain from here on. */
  public void giveConsumer() throws IOException {
    consumerLock.close();
    consumerLock = null;
  }

  /** Returns whether somebody else drains. Requires that {@link #giveConsumer} was called. */
  public synchronized boolean isDrained() throws IOException {
    return Uninterrupted.run(new Uninterrupted.Work<Boolean>() {
      @Override
      public Boolean run() throws IOException {
        return !StagingLock.canTake(path.resolve("consumer"), true, isNative);
      }
    });
  }

  /** Returns whether a scribe waits for calls of this user's processes. It may not have come to this session yet. */
  public boolean isAttended() throws IOException {
    Path bell = doorbell();
    return Uninterrupted.run(new Uninterrupted.Work<Boolean>() {
      @Override
      public Boolean run() throws IOException {
        return Files.exists(bell) && !StagingLock.canTake(bell, false, isNative);
      }
    });
  }

  private Path doorbell() {
    return path.resolveSibling("doorbell");
  }

  /** Mapped; made if there is none. Others may have it in use before we know: nothing is written where there may be something. */
  ByteBuffer openDoorbell() throws IOException {
    if (doorbell().toFile().createNewFile()) Files.setPosixFilePermissions(doorbell(), OWNERS_FILE);
    return Uninterrupted.run(new Uninterrupted.Work<ByteBuffer>() {
      @Override
      public ByteBuffer run() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(doorbell().toFile(), "rw")) {
          if (file.length() < Layout.HEADER_BYTES) {
            file.seek(Layout.Doorbell.FILLER);
            file.write(0);
            file.setLength(Layout.HEADER_BYTES);
          }
          return map("../doorbell", file, Layout.HEADER_BYTES);
        }
      }
    });
  }

  /** Whoever looks for the log's staging finds this from now on, and is not led here from elsewhere. */
  void markLog(String log) throws IOException {
    Set<String> keys = logKeys(log);
    for (String key : keys) addMark(key);
    for (String key : List.copyOf(marks)) {
      if (!keys.contains(key)) removeMark(key);
    }
  }

  private static Set<String> logKeys(String log) throws IOException {
    Path spelt = Path.of(log);
    Path real;
    try {
      real = spelt.toRealPath();
    } catch (NoSuchFileException e) {
      Path parent = spelt.getParent();
      real = parent != null && Files.exists(parent) ? parent.toRealPath().resolve(spelt.getFileName()) : spelt;
    }
    Set<String> keys = new LinkedHashSet<>();
    for (Path name : List.of(spelt, real)) {
      keys.add(HexFormat.of().toHexDigits(Xxh3.hash(name.toString().getBytes(StandardCharsets.UTF_8))));
    }
    return keys;
  }

  private Path markDirectory(String key) {
    return path.resolveSibling("by-log").resolve(key);
  }

  /** Others remove a directory when its last mark goes: so it is tried more than once. */
  private void addMark(String key) throws IOException {
    Path directory = markDirectory(key);
    Path mark = directory.resolve(path.getFileName());
    for (int attempt = 0; attempt < MARK_ATTEMPTS; attempt++) {
      try {
        Files.createSymbolicLink(mark, Path.of("../..").resolve(path.getFileName()));
        marks.add(key);
        return;
      } catch (FileAlreadyExistsException e) {
        marks.add(key);
        return;
      } catch (NoSuchFileException e) {
        makeMarkDirectory(directory.getParent());
        makeMarkDirectory(directory);
      }
    }
  }

  private static void makeMarkDirectory(Path directory) throws IOException {
    try {
      Files.createDirectory(directory);
      Files.setPosixFilePermissions(directory, OWNERS_DIRECTORY);
    } catch (FileAlreadyExistsException | NoSuchFileException e) {
      // It is there, or another goes at this moment.
    }
  }

  private void removeMark(String key) throws IOException {
    marks.remove(key);
    Path directory = markDirectory(key);
    Files.deleteIfExists(directory.resolve(path.getFileName()));
    try {
      Files.deleteIfExists(directory);
      Files.deleteIfExists(directory.getParent());
    } catch (DirectoryNotEmptyException e) {
      // Others have marks there.
    }
  }

  /** Removes the session after its end is on file. Returns false if somebody else has the right to drain. */
  public synchronized boolean remove() throws IOException {
    return Uninterrupted.run(new Uninterrupted.Work<Boolean>() {
      @Override
      public Boolean run() throws IOException {
        try (StagingLock consumer = StagingLock.tryToTake(path.resolve("consumer"), false, isNative)) {
          if (consumer == null) return false;
          Layout.INT.setRelease(session, Layout.SessionFile.STATE, Layout.SessionFile.STATE_REMOVING);
          dictionary.close();
          removeFiles();
        }
        sessionFile.close();
        sessionLock.close();
        isClosed = true;
        return true;
      }
    });
  }

  /**
   * Closes what is open, and leaves the files to others, as if the process had ended: without the lock of its session this is
   * staging that whoever comes drains. Nothing may be written afterwards.
   */
  public synchronized void leave() {
    if (isClosed) return;
    isClosed = true;
    for (Closeable open : new Closeable[] {dictionary, sessionFile, sessionLock}) {
      try {
        open.close();
      } catch (IOException e) {
        // The process keeps it until it ends.
      }
    }
  }

  /** {@code session} last, so that it is staging until it is gone; then the directory, then what leads there. */
  private void removeFiles() throws IOException {
    String[] names = path.toFile().list();  // a stream of them takes a short program a millisecond or two of classes
    if (names == null) {
      if (Files.exists(path)) throw new IOException(path + " cannot be listed");
      names = new String[0];
    }
    for (String name : names) {
      if (!name.equals("session")) Files.deleteIfExists(path.resolve(name));
    }
    Files.deleteIfExists(path.resolve("session"));
    Files.deleteIfExists(path);
    for (String key : List.copyOf(marks)) removeMark(key);
  }
}
