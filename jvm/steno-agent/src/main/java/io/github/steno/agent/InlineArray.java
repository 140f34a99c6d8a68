package io.github.steno.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceValue;

/**
 * An array of objects that is made for one call, element by element, as compilers do it for variable arguments: the array, and for
 * each element a copy of it, the index, the value, and the store.
 */
final class InlineArray {
  /** As many arguments as a record has room for. */
  private static final int MOST = 14;

  final AbstractInsnNode size;
  final AbstractInsnNode array;
  final List<AbstractInsnNode> copies = new ArrayList<>();
  final List<AbstractInsnNode> indices = new ArrayList<>();
  final List<AbstractInsnNode> stores = new ArrayList<>();

  private InlineArray(AbstractInsnNode size, AbstractInsnNode array) {
    this.size = size;
    this.array = array;
  }

  /** null: it is not made like this, or not for the call alone. */
  static InlineArray find(Flow flow, SourceValue value, AbstractInsnNode call) {
    AbstractInsnNode array = Flow.maker(value);
    while (array != null && array.getOpcode() == Opcodes.DUP) array = Flow.maker(Flow.top(flow.before(array), 0));
    if (array == null || array.getOpcode() != Opcodes.ANEWARRAY
        || !((TypeInsnNode) array).desc.equals("java/lang/Object")) {
      return null;
    }
    AbstractInsnNode size = Flow.maker(Flow.top(flow.before(array), 0));
    if (size == null || next(size) != array || !flow.isTakenOnlyBy(size, array)) return null;
    int count = constant(size);
    if (count < 0 || count > MOST) return null;
    InlineArray found = new InlineArray(size, array);
    AbstractInsnNode at = next(array);
    for (int i = 0; i < count; i++) {
      if (at == null || !found.addElement(flow, at, i)) return null;
      at = next(found.stores.get(i));
    }
    return at == call && found.isLeftTo(flow, call) ? found : null;
  }

  /** Whether what there is so far is the array with so many elements, and only another instruction takes it. */
  private boolean isLeftTo(Flow flow, AbstractInsnNode taker) {
    int count = copies.size();
    return count == 0 ? flow.isTakenOnlyBy(array, taker)
        : flow.takers(copies.get(count - 1)).equals(Set.of(stores.get(count - 1), taker));
  }

  private boolean addElement(Flow flow, AbstractInsnNode copy, int i) {
    AbstractInsnNode index = next(copy);
    if (copy.getOpcode() != Opcodes.DUP || !isLeftTo(flow, copy) || index == null || constant(index) != i) return false;
    Set<AbstractInsnNode> takers = flow.takers(index);
    if (takers.size() != 1) return false;
    AbstractInsnNode store = takers.iterator().next();
    Frame<SourceValue> frame = flow.before(store);
    if (store.getOpcode() != Opcodes.AASTORE || Flow.maker(Flow.top(frame, 2)) != copy
        || Flow.maker(Flow.top(frame, 1)) != index) {
      return false;
    }
    copies.add(copy);
    indices.add(index);
    stores.add(store);
    return true;
  }

  /** The next instruction, where nothing can jump in between; null: there is none. */
  private static AbstractInsnNode next(AbstractInsnNode instruction) {
    AbstractInsnNode at = instruction.getNext();
    while (at != null && at.getOpcode() < 0) {
      if (at instanceof FrameNode) return null;
      at = at.getNext();
    }
    return at;
  }

  /** Of a small number on the stack; -1: it is none. */
  private static int constant(AbstractInsnNode instruction) {
    int opcode = instruction.getOpcode();
    if (opcode >= Opcodes.ICONST_0 && opcode <= Opcodes.ICONST_5) return opcode - Opcodes.ICONST_0;
    return opcode == Opcodes.BIPUSH ? ((IntInsnNode) instruction).operand : -1;
  }
}
