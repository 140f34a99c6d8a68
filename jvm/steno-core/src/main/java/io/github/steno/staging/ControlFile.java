package io.github.steno.staging;

import io.github.steno.machine.Xxh3;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/**
 * The file {@code control}, through which other processes ask something of this one (spec/ring.md §6). One thread at a
 * time.
 */
public final class ControlFile implements AutoCloseable {
  public static final int DONE = 0;
  public static final int REFUSED = 1;
  public static final int UNKNOWN = 2;
  private static final long MAGIC = 0x4C54434F4E455453L;
  private static final int HEADER = 32;
  private static final int MOST_REQUEST = 65_600;
  private static final int ANSWER_AT = 131_072;
  /** The most UTF-16 units of an answer. Each takes three bytes at most: the file has room for them. */
  public static final int MOST_ANSWER = 4 << 20;

  private final FileChannel file;

  private ControlFile(FileChannel file) {
    this.file = file;
  }

  /** Returns null if there is no file that we may trust. */
  public static ControlFile open(Path staging) throws IOException {
    Path path = staging.resolve("control");
    Map<String, Object> facts = Files.readAttributes(path, "unix:isRegularFile,uid,mode", LinkOption.NOFOLLOW_LINKS);
    int owner = (int) facts.get("uid");
    boolean isOurs = owner == 0 || owner == (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    boolean isClosed = ((int) facts.get("mode") & 077) == 0;
    if (!isOurs || !isClosed || !(boolean) facts.get("isRegularFile")) return null;
    return new ControlFile(FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
  }

  /** Returns null if there is no whole request of this number. */
  public String read(int number) throws IOException {
    ByteBuffer header = read(0, HEADER);
    if (header == null || header.getLong(0) != MAGIC || header.getInt(8) != number) return null;
    long size = header.getLong(16);
    if (size < 0 || size > MOST_REQUEST) return null;
    ByteBuffer text = read(HEADER, (int) size);
    if (text == null || Xxh3.hash(text.array(), number & 0xFFFFFFFFL) != header.getLong(24)) return null;
    return new String(text.array(), StandardCharsets.UTF_8);
  }

  private ByteBuffer read(long at, int size) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) {
      if (file.read(bytes, at + bytes.position()) < 0) return null;
    }
    return bytes;
  }

  /** The header last. */
  public void write(int number, int code, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN).putLong(MAGIC).putInt(number).putInt(code)
        .putLong(bytes.length).putLong(Xxh3.hash(bytes, number & 0xFFFFFFFFL)).flip();
    write(ANSWER_AT + HEADER, ByteBuffer.wrap(bytes));
    write(ANSWER_AT, header);
  }

  private void write(long at, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) file.write(bytes, at + bytes.position());
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
