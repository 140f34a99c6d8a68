package io.github.steno.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceValue;

/**
 * An array of objects that is made for one call, element by element, as compilers do it for variable arguments: the array, and for
 * each element a copy of it, the index, the value, and the store.
 */
final class InlineArray {
  /** The most arguments that a record has room for. */
  private static final int MOST = 14;

  AbstractInsnNode size;
  AbstractInsnNode array;
  final List<AbstractInsnNode> copies = new ArrayList<>();
  final List<AbstractInsnNode> indices = new ArrayList<>();
  final List<AbstractInsnNode> stores = new ArrayList<>();
  /** The instructions by which Scala wraps the array: casts, and a sequence that is made into an array again. */
  final List<AbstractInsnNode> wrapping = new ArrayList<>();
  /** The instructions of {@link #wrapping} whose values are on the stack below the array; the outermost comes first. */
  final List<AbstractInsnNode> modules = new ArrayList<>();

  private InlineArray() {}

  /** Returns null if the array is not made like this, or not for the call alone. */
  static InlineArray find(Flow flow, SourceValue value, AbstractInsnNode call) {
    InlineArray found = new InlineArray();
    AbstractInsnNode taker = found.unwrapCast(flow, value, call);
    taker = found.unwrapSequence(flow, taker == call ? value : Flow.top(flow.before(taker), 0), taker);
    return found.isMade(flow, taker == call ? value : Flow.top(flow.before(taker), 0), taker) ? found : null;
  }

  /**
   * Removes a cast of a value. Returns the instruction that takes the value: the cast if there is one, else {@code
   * taker}.
   */
  private AbstractInsnNode unwrapCast(Flow flow, SourceValue value, AbstractInsnNode taker) {
    AbstractInsnNode cast = Flow.maker(value);
    if (cast == null || cast.getOpcode() != Opcodes.CHECKCAST || !((TypeInsnNode) cast).desc.equals(LoggerCalls.ARRAY)
        || next(cast) != taker || !flow.isTakenOnlyBy(cast, taker)) {
      return taker;
    }
    wrapping.add(cast);
    return cast;
  }

  /** Does the same for {@code Arrays.seqToArray(ScalaRunTime.wrapRefArray(array), classOf[Object])}. */
  private AbstractInsnNode unwrapSequence(Flow flow, SourceValue value, AbstractInsnNode taker) {
    AbstractInsnNode unpack = Flow.maker(value);
    if (!isCall(unpack, "scala/runtime/Arrays$", "seqToArray") || next(unpack) != taker || !flow.isTakenOnlyBy(unpack, taker)) {
      return taker;
    }
    AbstractInsnNode type = Flow.maker(Flow.top(flow.before(unpack), 0));
    AbstractInsnNode pack = Flow.maker(Flow.top(flow.before(unpack), 1));
    AbstractInsnNode outer = Flow.maker(Flow.top(flow.before(unpack), 2));
    if (!isCall(pack, "scala/runtime/ScalaRunTime$", "wrapRefArray") || next(pack) != type || next(type) != unpack
        || !flow.isTakenOnlyBy(pack, unpack) || !flow.isTakenOnlyBy(type, unpack) || !isObject(type)) {
      return taker;
    }
    AbstractInsnNode inner = Flow.maker(Flow.top(flow.before(pack), 1));
    if (!isModule(outer) || !isModule(inner) || next(outer) != inner || !flow.isTakenOnlyBy(outer, unpack)
        || !flow.isTakenOnlyBy(inner, pack)) {
      return taker;
    }
    modules.addAll(List.of(outer, inner));
    wrapping.addAll(List.of(outer, inner, pack, type, unpack));
    return pack;
  }

  private static boolean isCall(AbstractInsnNode instruction, String owner, String name) {
    return instruction instanceof MethodInsnNode call && call.owner.equals(owner) && call.name.equals(name);
  }

  private static boolean isObject(AbstractInsnNode type) {
    return type instanceof LdcInsnNode constant && constant.cst.equals(Type.getObjectType("java/lang/Object"));
  }

  private static boolean isModule(AbstractInsnNode instruction) {
    return instruction != null && instruction.getOpcode() == Opcodes.GETSTATIC;
  }

  private boolean isMade(Flow flow, SourceValue value, AbstractInsnNode taker) {
    array = Flow.maker(value);
    while (array != null && array.getOpcode() == Opcodes.DUP) array = Flow.maker(Flow.top(flow.before(array), 0));
    if (array == null || array.getOpcode() != Opcodes.ANEWARRAY
        || !((TypeInsnNode) array).desc.equals("java/lang/Object")) {
      return false;
    }
    size = Flow.maker(Flow.top(flow.before(array), 0));
    if (size == null || next(size) != array || !flow.isTakenOnlyBy(size, array)) return false;
    if (!modules.isEmpty() && next(modules.get(1)) != size) return false;
    int count = constant(size);
    if (count < 1 || count > MOST) return false;  // one without elements is not the same as none, to Log4j
    AbstractInsnNode at = next(array);
    for (int i = 0; i < count; i++) {
      if (at == null || !addElement(flow, at, i)) return false;
      at = next(stores.get(i));
    }
    return at == taker && isLeftTo(flow, taker);
  }

  /** Returns whether the array, with the elements that have been found so far, is taken by no other instruction. */
  private boolean isLeftTo(Flow flow, AbstractInsnNode taker) {
    int count = copies.size();  // so far
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

  /** Returns the small number that an instruction pushes; -1 if it pushes none. */
  private static int constant(AbstractInsnNode instruction) {
    int opcode = instruction.getOpcode();
    if (opcode >= Opcodes.ICONST_0 && opcode <= Opcodes.ICONST_5) return opcode - Opcodes.ICONST_0;
    return opcode == Opcodes.BIPUSH ? ((IntInsnNode) instruction).operand : -1;
  }
}
