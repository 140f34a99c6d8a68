package io.github.steno.spark;

import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Options.HandleOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** Files of this machine as an object store has them, without handles: of {@code objects:///}; with tags if the setting fs.objects.tags says so. */
public final class ObjectStore extends RawLocalFileSystem {
  /** How often a file's status was asked for, and, unless it is null, what each such question waits for. */
  static final AtomicInteger LOOKS = new AtomicInteger();
  static volatile CyclicBarrier together;

  private static final class Tagged extends FileStatus implements EtagSource {
    private static final long serialVersionUID = 1;

    Tagged(FileStatus of) {
      super(of.getLen(), of.isDirectory(), 1, of.getBlockSize(), of.getModificationTime(), of.getPath());
    }

    @Override
    public String getEtag() {
      return getLen() + "-" + getModificationTime();
    }
  }

  @Override
  public URI getUri() {
    return URI.create("objects:///");
  }

  @Override
  public String getScheme() {
    return "objects";
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    LOOKS.incrementAndGet();
    try {
      if (together != null) together.await(60, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IOException(e);
    }
    return withTag(super.getFileStatus(path));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    FileStatus[] all = super.listStatus(path);
    for (int i = 0; i < all.length; ++i) all[i] = withTag(all[i]);
    return all;
  }

  private FileStatus withTag(FileStatus status) {
    return getConf().getBoolean("fs.objects.tags", false) && !(status instanceof Tagged) ? new Tagged(status) : status;
  }

  @Override
  protected PathHandle createPathHandle(FileStatus status, HandleOpt... options) {
    throw new UnsupportedOperationException(Arrays.toString(options));
  }
}
