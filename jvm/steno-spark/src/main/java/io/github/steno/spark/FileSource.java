package io.github.steno.spark;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FutureIO;
import org.apache.spark.unsafe.Platform;

/** A file of any filesystem of Hadoop. Many ranges are one call of it, which object stores answer in parallel. */
final class FileSource implements Source {
  private static final int AT_ONCE = 16;

  private final LogFile file;
  private final Configuration hadoop;

  FileSource(LogFile file, Configuration hadoop) {
    this.file = file;
    this.hadoop = hadoop;
  }

  @Override
  public void read(long[] ranges) throws IOException {
    Path path = path();
    List<FileRange> wanted = new ArrayList<>();
    for (int i = 0; i < ranges.length; i += 3) wanted.add(FileRange.createFileRange(ranges[i], (int) ranges[i + 1], ranges[i + 2]));
    FileSystem filesystem = path.getFileSystem(hadoop);
    try (FSDataInputStream in = file.handle() != null ? filesystem.open(file.handle()) : open(filesystem, path)) {
      in.readVectored(wanted, ByteBuffer::allocate);
      for (FileRange range : wanted) copy(range.getData().get(), (Long) range.getReference(), range.getLength());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(file.path() + ": interrupted", e);
    } catch (ExecutionException e) {
      throw new IOException(file.path() + ": " + e.getCause(), e);
    }
  }

  /**
   * Fails if the file is another than the one that the driver has found, as far as the filesystem tells: at each read, since an object can be
   * replaced at any time. A store that is told what was looked at reads nothing else, and need not look again.
   */
  private FSDataInputStream open(FileSystem filesystem, Path path) throws IOException {
    FileStatus now = look(filesystem, path);
    return FutureIO.awaitFuture(filesystem.openFile(path).withFileStatus(now).build());
  }

  private FileStatus look(FileSystem filesystem, Path path) throws IOException {
    FileStatus now = filesystem.getFileStatus(path);
    if (!file.isBeginningOf(now)) throw new IOException(file.path() + ": has changed since the query was planned");
    return now;
  }

  /**
   * Fails likewise for one of some files, without reading: what is in memory may be of a version that the store no longer has. Several are
   * asked for at the same time.
   */
  static void check(List<LogFile> files, Configuration hadoop) throws IOException {
    List<Callable<FileStatus>> looks = new ArrayList<>();
    for (LogFile file : files) {
      if (file.isLocal() || file.handle() != null) continue;
      FileSource source = new FileSource(file, hadoop);
      Path path = source.path();
      FileSystem filesystem = path.getFileSystem(hadoop);  // that of the user of this thread
      looks.add(() -> source.look(filesystem, path));
    }
    if (looks.isEmpty()) return;
    ExecutorService threads = Executors.newFixedThreadPool(Math.min(looks.size(), AT_ONCE));
    try {
      for (Future<FileStatus> one : threads.invokeAll(looks)) FutureIO.awaitFuture(one);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(files.get(0).path() + ": interrupted");
    } finally {
      threads.shutdownNow();
    }
  }

  private Path path() {
    return file.isLocal() ? new Path("file", null, file.path()) : new Path(file.path());
  }

  private void copy(ByteBuffer bytes, long address, int size) throws IOException {
    if (bytes.remaining() != size) throw new EOFException(file.path() + ": fewer bytes came than there are");
    Platform.copyMemory(bytes.array(), Platform.BYTE_ARRAY_OFFSET + bytes.arrayOffset() + bytes.position(), null, address, size);
  }
}
