package io.github.steno.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceValue;

/**
 * Makes call sites of {@link CallSites} of a method's calls of loggers with constant formats. Boxes, and arrays of arguments, that
 * are made for such a call alone are taken out; all else stays as it is, in the order that it has.
 */
final class MethodWeaver {
  private static final Handle LINK = new Handle(Opcodes.H_INVOKESTATIC, Type.getInternalName(CallSites.class), "link",
      "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;Ljava/lang/invoke/MethodHandle;"
          + "ILjava/lang/String;Ljava/lang/String;Ljava/lang/String;I)Ljava/lang/invoke/CallSite;", false);
  private static final Type OBJECT = Type.getObjectType("java/lang/Object");

  private final String owner;
  private final String source;
  private final MethodNode method;
  private Flow flow;

  private final Set<AbstractInsnNode> removed = new HashSet<>();
  private final Map<AbstractInsnNode, AbstractInsnNode> replaced = new HashMap<>();
  /** By instructions that made a box: the type that is on the stack instead, for the frames of jump targets. */
  private final Map<AbstractInsnNode, Type> unboxed = new HashMap<>();
  /** Instructions whose values are no longer on the stack. */
  private final Set<AbstractInsnNode> gone = new HashSet<>();
  /** By copies of arrays: the types of the values that are on the stack instead of the array and the copy. */
  private final Map<AbstractInsnNode, List<Type>> elements = new HashMap<>();

  MethodWeaver(String owner, String source, MethodNode method) {
    this.owner = owner;
    this.source = source;
    this.method = method;
  }

  /** Returns false if nothing is changed. */
  boolean weave() {
    try {
      flow = new Flow(owner, method);
    } catch (AnalyzerException e) {
      return false;
    }
    int line = 0;
    for (AbstractInsnNode instruction : method.instructions) {
      if (instruction instanceof LineNumberNode number) {
        line = number.line;
      } else if (instruction instanceof MethodInsnNode call && LoggerCalls.find(call) != null) {
        weave(call, LoggerCalls.find(call), line);
      }
    }
    if (replaced.isEmpty()) return false;
    for (AbstractInsnNode instruction : method.instructions) {
      if (instruction instanceof FrameNode frame && flow.before(frame) != null) correct(frame);
    }
    replaced.forEach(method.instructions::set);
    removed.forEach(method.instructions::remove);
    return true;
  }

  private void weave(MethodInsnNode call, LoggerCalls.Call facts, int line) {
    Frame<SourceValue> frame = flow.before(call);
    if (frame == null) return;
    AbstractInsnNode format = Flow.maker(Flow.top(frame, facts.arguments()));
    if (!(format instanceof LdcInsnNode constant) || !(constant.cst instanceof String text)) return;
    List<Type> types = new ArrayList<>(List.of(Type.getArgumentTypes(call.desc)));
    Type last = types.get(types.size() - 1);
    InlineArray array = last.getDescriptor().equals(LoggerCalls.ARRAY) ? InlineArray.find(flow, Flow.top(frame, 0), call) : null;
    if (array != null) {
      types.remove(types.size() - 1);
      types.addAll(takeOut(array));
    } else {
      for (int i = facts.format(); i < types.size(); i++) {
        if (!types.get(i).equals(OBJECT)) continue;
        types.set(i, takeOut(Flow.top(frame, types.size() - 1 - i), call));
      }
    }
    types.add(0, Type.getObjectType(call.owner));
    Handle original = new Handle(Opcodes.H_INVOKEINTERFACE, call.owner, call.name, call.desc, true);
    replaced.put(call, new InvokeDynamicInsnNode(call.name,
        Type.getMethodDescriptor(Type.VOID_TYPE, types.toArray(new Type[0])), LINK, original, facts.level(), text, source,
        owner.replace('/', '.') + '.' + method.name, line));
  }

  /**
   * Takes out the box of a value, if it is made for an instruction alone; or the boxes, where branches make one each. Returns the
   * type that there is then.
   */
  private Type takeOut(SourceValue value, AbstractInsnNode taker) {
    Map<AbstractInsnNode, Type> boxes = new HashMap<>();
    for (AbstractInsnNode maker : value.insns) {
      if (!addBox(maker, taker, boxes)) return OBJECT;
    }
    if (Set.copyOf(boxes.values()).size() != 1) return OBJECT;
    removed.addAll(boxes.keySet());
    unboxed.putAll(boxes);
    return boxes.values().iterator().next();
  }

  /** Adds the boxing instruction of a value. Returns false if there is none, or others take its value. */
  private boolean addBox(AbstractInsnNode maker, AbstractInsnNode taker, Map<AbstractInsnNode, Type> boxes) {
    if (!flow.isTakenOnlyBy(maker, taker)) return false;
    AbstractInsnNode box = isCastToObject(maker) ? Flow.maker(Flow.top(flow.before(maker), 0)) : maker;
    if (box == null || (box != maker && !flow.isTakenOnlyBy(box, maker))) return false;
    Type type = LoggerCalls.boxed(box);
    if (type == null) return false;
    boxes.put(maker, type);
    boxes.put(box, type);
    return true;
  }

  /** Scala puts such casts around boxes. */
  private static boolean isCastToObject(AbstractInsnNode instruction) {
    return instruction.getOpcode() == Opcodes.CHECKCAST
        && ((TypeInsnNode) instruction).desc.equals(OBJECT.getInternalName());
  }

  private List<Type> takeOut(InlineArray array) {
    List<Type> types = new ArrayList<>();
    for (AbstractInsnNode store : array.stores) types.add(takeOut(Flow.top(flow.before(store), 0), store));
    removed.add(array.size);
    removed.add(array.array);
    removed.addAll(array.copies);
    removed.addAll(array.indices);
    removed.addAll(array.stores);
    removed.addAll(array.wrapping);
    gone.addAll(array.modules);
    for (int i = 0; i < array.copies.size(); i++) elements.put(array.copies.get(i), types.subList(0, i));
    return types;
  }

  /** Corrects the stack of a frame, which states what is there where code is jumped to. */
  private void correct(FrameNode node) {
    Frame<SourceValue> frame = flow.before(node);
    List<Object> stack = new ArrayList<>();
    for (int i = 0; i < frame.getStackSize(); i++) {
      Set<AbstractInsnNode> makers = frame.getStack(i).insns;
      AbstractInsnNode maker = Flow.maker(frame.getStack(i));
      if (elements.containsKey(maker)) {
        // Code is jumped to while an element is made: there are the array, its copy, and the index.
        for (Type type : elements.get(maker)) stack.add(slot(type));
        i += 2;
      } else if (gone.contains(maker)) {
        continue;
      } else if (!makers.isEmpty() && unboxed.keySet().containsAll(makers)) {
        stack.add(slot(unboxed.get(makers.iterator().next())));
      } else {
        stack.add(node.stack.get(i));
      }
    }
    node.stack = stack;
  }

  private static Object slot(Type type) {
    return switch (type.getSort()) {
      case Type.OBJECT -> type.getInternalName();
      case Type.LONG -> Opcodes.LONG;
      case Type.DOUBLE -> Opcodes.DOUBLE;
      case Type.FLOAT -> Opcodes.FLOAT;
      default -> Opcodes.INTEGER;
    };
  }
}
