package io.github.steno.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** An agent that counts calls of methods of the test's classes, by an ASM that is not ours. */
public final class OtherAgent {
  private static Instrumentation instrumentation;
  private static int calls;

  public static void premain(String options, Instrumentation given) {
    instrumentation = given;
    given.addTransformer(new ClassFileTransformer() {
      @Override
      public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] code) {
        return name.equals("io/github/steno/agent/Application") ? count(code) : null;
      }
    }, true);
  }

  private static byte[] count(byte[] code) {
    ClassReader reader = new ClassReader(code);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
      @Override
      public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] exceptions) {
        return new MethodVisitor(Opcodes.ASM9, super.visitMethod(access, name, type, signature, exceptions)) {
          @Override
          public void visitCode() {
            super.visitCode();
            visitMethodInsn(Opcodes.INVOKESTATIC, OtherAgent.class.getName().replace('.', '/'), "called", "()V", false);
          }
        };
      }
    }, 0);
    return writer.toByteArray();
  }

  public static void called() {
    calls++;
  }

  /** Has a class that is loaded go through all agents again. */
  static void again(Class<?> type) throws Exception {
    System.out.println("calls: " + calls);
    instrumentation.retransformClasses(type);
  }

  private OtherAgent() {}
}
