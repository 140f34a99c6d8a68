package io.github.steno;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
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
 * others have {@code flock}, so a session's file must not be opened a second time: closing that would end the lock
 * (spec/ring.md §1.5), unless the native library has it.
 *
 * <p>Thread safety: rings may be made and grown by any thread; all else is the owner's.
 */
final class StagingDirectory {
  private static final Set<PosixFilePermission> OWNERS_DIRECTORY = PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> OWNERS_FILE = PosixFilePermissions.fromString("rw-------");
  private static final String NO_LOG = "none";
  private static final int MARK_ATTEMPTS = 100;
  private static final long LEFT_FREE = 64L << 20;
  private static final byte[] ZEROS = new byte[1 << 16];

  final Path root;
  final Path path;
  /** The session file. */
  final ByteBuffer session;
  final long nonce;

  /** The native library locks and maps. */
  final boolean isNative;
  private final FileChannel sessionChannel;
  /** Holds the lock on the session file where the native library does that; -1: the channel has it. */
  private int sessionLock = -1;
  private final RandomAccessFile dictionary;
  private FileChannel consumerChannel;
  private final Set<String> marks = new LinkedHashSet<>();

  /** Where staging may be, in the order in which it is tried. */
  static List<Path> roots(String named) {
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
  StagingDirectory(Path root, boolean isNative) throws IOException {
    this.root = root;
    this.isNative = isNative;
    Path user = userDirectory(root);
    nonce = random();
    path = user.resolve(processId() + "-" + HexFormat.of().toHexDigits(nonce));
    Files.createDirectory(path);
    Files.setPosixFilePermissions(path, OWNERS_DIRECTORY);
    FileChannel locked = null;
    RandomAccessFile entries = null;
    try {
      addMark(NO_LOG);
      RandomAccessFile file = makeFile("session");
      file.write(ZEROS, 0, Layout.HEADER_BYTES);
      locked = file.getChannel();
      // Whoever looks whether it is an orphan locks it for a moment, and may then have taken it for an unfinished one.
      if (isNative) {
        sessionLock = Native.lock(Native.path(path.resolve("session")));
        if (sessionLock < 0) throw new IOException(path + "/session cannot be locked: error " + -sessionLock);
      } else {
        locked.lock();
      }
      if (!Files.exists(path.resolve("session"))) throw new IOException(path + " was removed while it was made");
      session = map("session", locked, Layout.HEADER_BYTES);
      consumerChannel = makeFile("consumer").getChannel();
      consumerChannel.lock();
      entries = makeFile("dictionary");
    } catch (IOException e) {
      if (entries != null) entries.close();
      if (consumerChannel != null) consumerChannel.close();
      removeFiles();
      if (locked != null) locked.close();
      if (sessionLock >= 0) Native.unlock(sessionLock);
      throw e;
    }
    sessionChannel = locked;
    dictionary = entries;
    session.putLong(Layout.SessionFile.MAGIC, Layout.SESSION_MAGIC);
    session.putInt(Layout.SessionFile.PID, (int) processId());
  }

  /** {@link ProcessHandle} knows it too, but begins with threads. */
  static long processId() throws IOException {
    return Long.parseLong(Files.readSymbolicLink(Path.of("/proc/self")).toString());
  }

  static long random() throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(8);
    try (FileInputStream source = new FileInputStream("/dev/urandom")) {
      if (source.readNBytes(bytes.array(), 0, 8) != 8) throw new IOException("/dev/urandom is short");
    }
    return Math.max(1, bytes.getLong() >>> 1);
  }

  private static Path userDirectory(Path root) throws IOException {
    Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    Path directory = root.resolve("steno-" + user);
    try {
      Files.createDirectory(directory);
      Files.setPosixFilePermissions(directory, OWNERS_DIRECTORY);
    } catch (FileAlreadyExistsException e) {
      // As it should be.
    }
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) throw new IOException(directory + " is no directory");
    if (!Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(user)) {
      throw new IOException(directory + " belongs to another user");
    }
    Set<PosixFilePermission> open = Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS);
    if (!OWNERS_DIRECTORY.containsAll(open)) throw new IOException(directory + " is open to others: chmod 700 it");
    return directory;
  }

  private RandomAccessFile makeFile(String name) throws IOException {
    Path file = path.resolve(name);
    Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNERS_FILE));
    Files.setPosixFilePermissions(file, OWNERS_FILE);
    return new RandomAccessFile(file.toFile(), "rw");
  }

  private ByteBuffer map(String name, FileChannel channel, long size) throws IOException {
    return (isNative ? mapNatively(path.resolve(name), size) : Mapping.map(channel, size)).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer mapNatively(Path file, long size) throws IOException {
    try {
      return Native.map(Native.path(file), size);
    } catch (IOException e) {
      throw new IOException(file + " cannot be mapped: " + e.getMessage(), e);
    }
  }

  /** A ring's file, header and data, all of it zeros. */
  ByteBuffer makeRing(int id, int capacity) throws IOException {
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

  /** The same file with more data, mapped anew. */
  ByteBuffer growRing(int id, int capacity) throws IOException {
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
    return map(name, file.getChannel(), size);
  }

  /** Rings that grow leave some of the file system to those who have none yet, of whatever process. */
  private boolean leavesRoom(long more) throws IOException {
    FileStore store = Files.getFileStore(path);
    return store.getUsableSpace() >= more + Math.min(LEFT_FREE, store.getTotalSpace() / 8);
  }

  /** Writes entries behind the valid part and makes them valid. One caller at a time. */
  void appendDictionary(byte[] entries, int size) throws IOException {
    long valid = session.getLong(Layout.SessionFile.DICTIONARY_SIZE);
    dictionary.seek(valid);
    dictionary.write(entries, 0, size);
    Layout.LONG.setRelease(session, Layout.SessionFile.DICTIONARY_SIZE, valid + size);
  }

  /** Whoever comes may drain from here on. */
  void giveConsumer() throws IOException {
    consumerChannel.close();
    consumerChannel = null;
  }

  /** Whether somebody else drains. Requires that it was given. */
  boolean isDrained() throws IOException {
    return Uninterrupted.run(new Uninterrupted.Work<Boolean>() {
      @Override
      public Boolean run() throws IOException {
        return !canLock(path.resolve("consumer"), true);
      }
    });
  }

  /** Whether a scribe waits for calls of this user's processes, though it may not have come to us yet. */
  boolean isAttended() throws IOException {
    Path bell = doorbell();
    return Uninterrupted.run(new Uninterrupted.Work<Boolean>() {
      @Override
      public Boolean run() throws IOException {
        return Files.exists(bell) && !canLock(bell, false);
      }
    });
  }

  private static boolean canLock(Path file, boolean shared) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
        FileLock lock = opened.getChannel().tryLock(0, Long.MAX_VALUE, shared)) {
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return true;  // another thread looks, too
    }
  }

  private Path doorbell() {
    return path.resolveSibling("doorbell");
  }

  /** Mapped; made if there is none. Others may have it in use before we know: nothing is written where there may be something. */
  ByteBuffer openDoorbell() throws IOException {
    try {
      Files.createFile(doorbell(), PosixFilePermissions.asFileAttribute(OWNERS_FILE));
    } catch (FileAlreadyExistsException e) {
      // As it should be.
    }
    return Uninterrupted.run(new Uninterrupted.Work<ByteBuffer>() {
      @Override
      public ByteBuffer run() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(doorbell().toFile(), "rw")) {
          if (file.length() < Layout.HEADER_BYTES) {
            file.seek(Layout.Doorbell.FILLER);
            file.write(0);
            file.setLength(Layout.HEADER_BYTES);
          }
          return map("../doorbell", file.getChannel(), Layout.HEADER_BYTES);
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

  /** After the end of a session that is on file. False: somebody else has the right to drain. */
  boolean remove() throws IOException {
    return Uninterrupted.run(new Uninterrupted.Work<Boolean>() {
      @Override
      public Boolean run() throws IOException {
        try (RandomAccessFile consumer = new RandomAccessFile(path.resolve("consumer").toFile(), "rw");
            FileLock lock = consumer.getChannel().tryLock()) {
          if (lock == null) return false;
          Layout.INT.setRelease(session, Layout.SessionFile.STATE, Layout.SessionFile.STATE_REMOVING);
          dictionary.close();
          removeFiles();
        }
        sessionChannel.close();
        if (sessionLock >= 0) Native.unlock(sessionLock);
        return true;
      }
    });
  }

  /** {@code session} last, so that it is staging until it is gone; then the directory, then what leads there. */
  private void removeFiles() throws IOException {
    String[] names = path.toFile().list();  // a stream of them takes a short program a millisecond or two of classes
    if (names == null) throw new IOException(path + " cannot be listed");
    for (String name : names) {
      if (!name.equals("session")) Files.deleteIfExists(path.resolve(name));
    }
    Files.deleteIfExists(path.resolve("session"));
    Files.deleteIfExists(path);
    for (String key : List.copyOf(marks)) removeMark(key);
  }
}
