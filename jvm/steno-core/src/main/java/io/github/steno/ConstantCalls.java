package io.github.steno;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the constants that a class and its nest mates pass to methods of loggers in several lines. It reads their class
 * files (JVMS 4), and loads and runs none. A method is a logger's if its class has {@code Log} in its name, and a
 * constant is passed to the first method that is called after it was pushed: compilers make such code for a call of a
 * logger. A constant that was pushed before the logger, or just before a call of something else, does not count: it is
 * an argument elsewhere. One thread at a time.
 */
final class ConstantCalls {
  private static final int MOST_BYTES = 1 << 21;
  private static final int MOST_CODE = 0xFFFF;
  private static final int MOST_MATES = 256;

  /**
   * Compared and hashed by hand, as {@link Line}: those of a record are made when they are first called, by fifty classes.
   *
   * @param logger the field of a logger that was read last before the constant; empty: none was
   */
  private record Call(String logger, String method, String constant) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Call call && logger.equals(call.logger) && method.equals(call.method) && constant.equals(call.constant);
    }

    @Override
    public int hashCode() {
      return (logger.hashCode() * 31 + method.hashCode()) * 31 + constant.hashCode();
    }
  }

  private record Line(String type, int number) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Line line && type.equals(line.type) && number == line.number;
    }

    @Override
    public int hashCode() {
      return type.hashCode() * 31 + number;
    }
  }

  private final Map<Call, Set<Line>> shared = new HashMap<>();

  /**
   * Reads the class file of the type's nest host and those of its nest mates. A class file that is not found or damaged
   * contributes nothing.
   */
  ConstantCalls(Class<?> type) {
    Class<?> host = type.getNestHost();
    List<String> mates = read(host, host.getName());
    for (String mate : mates.subList(0, Math.min(MOST_MATES, mates.size()))) read(host, mate);
    shared.values().removeIf(lines -> lines.size() < 2);
  }

  /**
   * Returns whether the method that is called on this line with that constant is called with it on another line, too.
   */
  boolean isShared(String constant, String type, int line) {
    Line here = new Line(type, line);
    for (Map.Entry<Call, Set<Line>> call : shared.entrySet()) {
      if (call.getKey().constant.equals(constant) && call.getValue().contains(here)) return true;
    }
    return false;
  }

  /** Returns the nest mates that it names. */
  private List<String> read(Class<?> host, String name) {
    try (InputStream in = host.getResourceAsStream('/' + name.replace('.', '/') + ".class")) {
      if (in == null) return List.of();
      ClassFile file = new ClassFile(in.readNBytes(MOST_BYTES));
      return file.read(name);
    } catch (OutOfMemoryError e) {
      throw e;  // that is not for ever
    } catch (IOException | RuntimeException | Error e) {
      return List.of();  // class loaders are the program's, and may throw anything
    }
  }

  /** One, from its begin to its end. */
  private final class ClassFile {
    private static final int UTF8 = 1;
    private static final int STRING = 8;

    private final ByteBuffer bytes;
    /** The offset of each constant, at its tag. */
    private final int[] constants;

    ClassFile(byte[] all) {
      bytes = ByteBuffer.wrap(all);
      bytes.position(8);
      constants = new int[u2()];
      for (int i = 1; i < constants.length; i++) {
        constants[i] = bytes.position();
        int tag = bytes.get();
        switch (tag) {
          case UTF8 -> skip(u2());
          case 15 -> skip(3);
          case 7, STRING, 16, 19, 20 -> skip(2);
          case 5, 6 -> {
            skip(8);
            i++;
          }
          default -> skip(4);
        }
      }
    }

    private int u2() {
      return bytes.getShort() & 0xFFFF;
    }

    private int u2(int at) {
      return bytes.getShort(at) & 0xFFFF;
    }

    private void skip(int count) {
      if (count < 0) throw new IllegalArgumentException();
      bytes.position(bytes.position() + count);
    }

    private String utf8(int constant) throws IOException {
      int at = constants[constant] + 1;
      return new DataInputStream(new ByteArrayInputStream(bytes.array(), at, 2 + u2(at))).readUTF();
    }

    /** Returns the first or the second index that a constant refers to. */
    private int part(int constant, int index) {
      return u2(constants[constant] + 1 + 2 * index);
    }

    List<String> read(String type) throws IOException {
      skip(6);
      skip(2 * u2());
      for (int fields = u2(); fields > 0; fields--) {
        skip(6);
        for (int attributes = u2(); attributes > 0; attributes--) nextAttribute();
      }
      for (int methods = u2(); methods > 0; methods--) {
        skip(6);
        for (int attributes = u2(); attributes > 0; attributes--) {
          if (nextAttribute().equals("Code")) new Code(type, attribute).read();
        }
      }
      List<String> mates = new ArrayList<>();
      for (int attributes = u2(); attributes > 0; attributes--) {
        if (!nextAttribute().equals("NestMembers")) continue;
        for (int i = 0; i < u2(attribute); i++) mates.add(utf8(part(u2(attribute + 2 + 2 * i), 0)).replace('/', '.'));
      }
      return mates;
    }

    /** The offset of the content of the last attribute. */
    private int attribute;

    /** Skips to the next attribute and returns its name. */
    private String nextAttribute() throws IOException {
      String name = utf8(u2());
      int size = bytes.getInt();
      attribute = bytes.position();
      skip(size);
      return name;
    }

    /** The code of a method. */
    private final class Code {
      private final String type;
      private final int begin;
      private final int end;
      private final List<Call> pushed = new ArrayList<>();
      private String logger = "";
      /** The offset of the instruction after the last constant. */
      private int afterPush = -1;

      Code(String type, int attribute) {
        this.type = type;
        begin = attribute + 8;
        end = begin + positive(bytes.getInt(attribute + 4));
      }

      void read() throws IOException {
        int[] lines = lines();
        for (int at = begin; at < end; at += length(at)) {
          switch (bytes.get(at) & 0xFF) {
            case 0x12 -> push(bytes.get(at + 1) & 0xFF, at + 2);
            case 0x13 -> push(u2(at + 1), at + 3);
            case 0xB2, 0xB4 -> readField(u2(at + 1));
            case 0xB6, 0xB7, 0xB8, 0xB9 -> call(u2(at + 1), at, lines[at - begin]);
            default -> { }
          }
        }
      }

      private void push(int constant, int after) throws IOException {
        if (bytes.get(constants[constant]) != STRING) return;
        pushed.add(new Call(logger, "", utf8(part(constant, 0))));
        afterPush = after;
      }

      private void readField(int field) throws IOException {
        int nameAndType = part(field, 1);
        if (utf8(part(nameAndType, 1)).endsWith("Logger;")) {
          logger = utf8(part(part(field, 0), 0)) + '.' + utf8(part(nameAndType, 0));
          pushed.clear();
        }
      }

      private void call(int method, int at, int line) throws IOException {
        String owner = utf8(part(part(method, 0), 0));
        String name = utf8(part(part(method, 1), 0));
        if (!owner.substring(owner.lastIndexOf('/') + 1).contains("Log")) {
          boolean takes = bytes.get(at) != (byte) 0xB8 || !utf8(part(part(method, 1), 1)).startsWith("()");
          if (takes && at == afterPush && !pushed.isEmpty()) pushed.remove(pushed.size() - 1);
          return;
        }
        for (Call call : pushed) {
          shared.computeIfAbsent(new Call(call.logger, name, call.constant), any -> new HashSet<>()).add(new Line(type, line));
        }
        pushed.clear();
      }

      /** Returns the line of each byte of the code; 0 if it is not known. */
      private int[] lines() throws IOException {
        int[] lines = new int[end - begin];
        int after = bytes.position();
        bytes.position(end);
        skip(8 * u2());
        for (int attributes = u2(); attributes > 0; attributes--) {
          if (!nextAttribute().equals("LineNumberTable")) continue;
          for (int i = 0; i < u2(attribute); i++) lines[u2(attribute + 2 + 4 * i)] = u2(attribute + 4 + 4 * i);
        }
        for (int i = 1; i < lines.length; i++) {
          if (lines[i] == 0) lines[i] = lines[i - 1];
        }
        bytes.position(after);
        return lines;
      }

      /** Returns the length of an instruction in bytes. */
      private int length(int at) {
        int opcode = bytes.get(at) & 0xFF;
        int operands = at + 4 - (at - begin) % 4;  // of a switch, which are aligned
        return switch (opcode) {
          case 0x10, 0x12, 0x15, 0x16, 0x17, 0x18, 0x19, 0x36, 0x37, 0x38, 0x39, 0x3A, 0xA9, 0xBC -> 2;
          case 0xAA -> operands - at + 12 + 4 * positive(bytes.getInt(operands + 8) - bytes.getInt(operands + 4) + 1);
          case 0xAB -> operands - at + 8 + 8 * positive(bytes.getInt(operands + 4));
          case 0xB9, 0xBA, 0xC8, 0xC9 -> 5;
          case 0xC4 -> (bytes.get(at + 1) & 0xFF) == 0x84 ? 6 : 4;
          case 0xC5 -> 4;
          case 0x11, 0x13, 0x14, 0x84, 0xBB, 0xBD, 0xC0, 0xC1, 0xC6, 0xC7 -> 3;
          default -> (opcode >= 0x99 && opcode <= 0xA8) || (opcode >= 0xB2 && opcode <= 0xB8) ? 3 : 1;
        };
      }

      private static int positive(int count) {
        if (count < 0 || count > MOST_CODE) throw new IllegalArgumentException();
        return count;
      }
    }
  }
}
