package io.github.steno.agent;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceInterpreter;
import org.objectweb.asm.tree.analysis.SourceValue;

/** Tells which instruction of a method makes a value, and which ones take it from the stack. */
final class Flow {
  private static final class Interpreter extends SourceInterpreter {
    final Map<AbstractInsnNode, Set<AbstractInsnNode>> takers = new HashMap<>();

    Interpreter() {
      super(Opcodes.ASM9);
    }

    void takes(AbstractInsnNode taker, SourceValue value) {
      for (AbstractInsnNode maker : value.insns) takers.computeIfAbsent(maker, any -> new HashSet<>()).add(taker);
    }

    @Override
    public SourceValue copyOperation(AbstractInsnNode instruction, SourceValue value) {
      takes(instruction, value);
      return super.copyOperation(instruction, value);
    }

    @Override
    public SourceValue unaryOperation(AbstractInsnNode instruction, SourceValue value) {
      takes(instruction, value);
      return super.unaryOperation(instruction, value);
    }

    @Override
    public SourceValue binaryOperation(AbstractInsnNode instruction, SourceValue first, SourceValue second) {
      takes(instruction, first);
      takes(instruction, second);
      return super.binaryOperation(instruction, first, second);
    }

    @Override
    public SourceValue ternaryOperation(AbstractInsnNode instruction, SourceValue first, SourceValue second,
        SourceValue third) {
      takes(instruction, first);
      takes(instruction, second);
      takes(instruction, third);
      return super.ternaryOperation(instruction, first, second, third);
    }

    @Override
    public SourceValue naryOperation(AbstractInsnNode instruction, List<? extends SourceValue> values) {
      for (SourceValue value : values) takes(instruction, value);
      return super.naryOperation(instruction, values);
    }
  }

  private final Interpreter interpreter = new Interpreter();
  private final MethodNode method;
  private final Frame<SourceValue>[] frames;

  Flow(String owner, MethodNode method) throws AnalyzerException {
    this.method = method;
    frames = new Analyzer<>(interpreter).analyze(owner, method);
    for (AbstractInsnNode instruction : method.instructions) {
      Frame<SourceValue> frame = before(instruction);
      int opcode = instruction.getOpcode();
      if (frame == null || (opcode != Opcodes.POP && opcode != Opcodes.POP2)) continue;
      interpreter.takes(instruction, top(frame, 0));
      if (opcode == Opcodes.POP2 && top(frame, 0).size == 1) interpreter.takes(instruction, top(frame, 1));
    }
  }

  /** Returns null if the instruction is never run. */
  Frame<SourceValue> before(AbstractInsnNode instruction) {
    return frames[method.instructions.indexOf(instruction)];
  }

  /** 0: the last. */
  static SourceValue top(Frame<SourceValue> frame, int below) {
    return frame.getStack(frame.getStackSize() - 1 - below);
  }

  /** The only one that makes a value; null: there are others. */
  static AbstractInsnNode maker(SourceValue value) {
    return value.insns.size() == 1 ? value.insns.iterator().next() : null;
  }

  Set<AbstractInsnNode> takers(AbstractInsnNode maker) {
    return interpreter.takers.getOrDefault(maker, Set.of());
  }

  boolean isTakenOnlyBy(AbstractInsnNode maker, AbstractInsnNode taker) {
    return takers(maker).equals(Set.of(taker));
  }
}
