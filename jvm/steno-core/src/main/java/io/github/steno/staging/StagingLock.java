package io.github.steno.staging;

import io.github.steno.machine.Native;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;

/**
 * A lock on a file of staging (spec/ring.md §1.5), until it is closed: the native library's, where that is loaded, else Java's. A
 * lock of Java's ends as soon as this process closes any descriptor of the file. One of the native library does not, and takes a
 * short program no classes of channels.
 *
 * <p>Thread safety: any thread.
 */
final class StagingLock implements Closeable {
  /** The file that Java has locked; null: the native library has. */
  private final RandomAccessFile file;
  private final int descriptor;

  private StagingLock(RandomAccessFile file, int descriptor) {
    this.file = file;
    this.descriptor = descriptor;
  }

  /** The exclusive lock, as soon as nobody else has one. */
  static StagingLock take(Path path, boolean isNative) throws IOException {
    return take(isNative ? null : new RandomAccessFile(path.toFile(), "rw"), path, isNative);
  }

  /** Locks a file that is open, even if another file has its name by now. The file is closed with the lock. */
  static StagingLock take(RandomAccessFile file, Path path, boolean isNative) throws IOException {
    if (isNative) return ofDescriptor(Native.lock(Native.path(path)), path);
    try {
      file.getChannel().lock();
      return new StagingLock(file, -1);
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  /** A lock, if nobody has one that excludes it; null: somebody has. */
  static StagingLock tryToTake(Path path, boolean shared, boolean isNative) throws IOException {
    if (isNative) {
      int descriptor = Native.tryLock(Native.path(path), shared);
      return descriptor == Native.HELD ? null : ofDescriptor(descriptor, path);
    }
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
    FileLock lock = null;
    try {
      lock = file.getChannel().tryLock(0, Long.MAX_VALUE, shared);
      return lock == null ? null : new StagingLock(file, -1);
    } finally {
      if (lock == null) file.close();
    }
  }

  /** Returns whether nobody had a lock that excludes it. */
  static boolean canTake(Path path, boolean shared, boolean isNative) throws IOException {
    try (StagingLock lock = tryToTake(path, shared, isNative)) {
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return true;  // another thread looks, too
    }
  }

  private static StagingLock ofDescriptor(int descriptor, Path path) throws IOException {
    if (descriptor < 0) throw new IOException(path + " cannot be locked: error " + -descriptor);
    return new StagingLock(null, descriptor);
  }

  @Override
  public void close() throws IOException {
    if (file == null) {
      Native.unlock(descriptor);
    } else {
      file.close();
    }
  }
}
