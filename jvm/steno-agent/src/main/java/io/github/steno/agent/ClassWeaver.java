package io.github.steno.agent;

import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.MethodNode;

/** Weaves the methods of a class that call loggers; others are copied as they are. */
final class ClassWeaver extends ClassVisitor {
  /** The first whose classes may have call sites that are linked when they are run. */
  private static final int FIRST_VERSION = Opcodes.V1_7;
  private static final int API = Opcodes.ASM9;

  /** Finds the methods. */
  private static final class Finder extends ClassVisitor {
    final Set<String> found = new HashSet<>();
    boolean isNewEnough;

    Finder() {
      super(API);
    }

    @Override
    public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
      isNewEnough = (version & 0xFFFF) >= FIRST_VERSION;
    }

    @Override
    public MethodVisitor visitMethod(int access, String method, String type, String signature, String[] exceptions) {
      return new MethodVisitor(API) {
        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
          if (LoggerCalls.find(owner, name, descriptor) != null) found.add(method + type);
        }
      };
    }
  }

  private final Set<String> methods;
  private String owner;
  private String source = "";
  private boolean changed;

  /** Returns null if there is nothing to weave. */
  static byte[] weave(ClassReader reader) {
    Finder finder = new Finder();
    reader.accept(finder, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    if (finder.found.isEmpty() || !finder.isNewEnough) return null;
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    ClassWeaver weaver = new ClassWeaver(writer, finder.found);
    reader.accept(weaver, ClassReader.EXPAND_FRAMES);
    return weaver.changed ? writer.toByteArray() : null;
  }

  private ClassWeaver(ClassWriter writer, Set<String> methods) {
    super(API, writer);
    this.methods = methods;
  }

  @Override
  public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
    owner = name;
    super.visit(version, access, name, signature, parent, interfaces);
  }

  @Override
  public void visitSource(String source, String debug) {
    if (source != null) this.source = source;
    super.visitSource(source, debug);
  }

  @Override
  public MethodVisitor visitMethod(int access, String method, String type, String signature, String[] exceptions) {
    MethodVisitor next = super.visitMethod(access, method, type, signature, exceptions);
    if (!methods.contains(method + type)) return next;
    return new MethodNode(API, access, method, type, signature, exceptions) {
      @Override
      public void visitEnd() {
        changed |= new MethodWeaver(owner, source, this).weave();
        accept(next);
      }
    };
  }
}
