import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pitest.reloc.asm.ClassReader;
import org.pitest.reloc.asm.ClassWriter;
import org.pitest.reloc.asm.Opcodes;
import org.pitest.reloc.asm.Type;
import org.pitest.reloc.asm.tree.AbstractInsnNode;
import org.pitest.reloc.asm.tree.ClassNode;
import org.pitest.reloc.asm.tree.FieldInsnNode;
import org.pitest.reloc.asm.tree.InsnList;
import org.pitest.reloc.asm.tree.InsnNode;
import org.pitest.reloc.asm.tree.LdcInsnNode;
import org.pitest.reloc.asm.tree.LineNumberNode;
import org.pitest.reloc.asm.tree.MethodNode;

/** Writes classes that mark each line that runs, in {@link Worker#LINES}. */
final class Probes {
    private final List<Line> lines = new ArrayList<>();

    /** Writes a copy of the class with probes. */
    void add(Path from, Path to) throws IOException {
        ClassNode type = new ClassNode();
        new ClassReader(Files.readAllBytes(from)).accept(type, 0);
        String className = Type.getObjectType(type.name).getClassName();
        type.methods.forEach(method -> add(className, method));
        ClassWriter code = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        type.accept(code);
        Files.createDirectories(to.getParent());
        Files.write(to, code.toByteArray());
    }

    private void add(String className, MethodNode method) {
        for (AbstractInsnNode node : method.instructions.toArray()) {
            if (node instanceof LineNumberNode line) {
                AbstractInsnNode first = line;
                while (first != null && first.getOpcode() < 0) {
                    first = first.getNext();
                }
                if (first != null) {
                    InsnList probe = probe(lines.size());
                    // Frames of the class file refer to the label before a NEW.
                    if (first.getOpcode() == Opcodes.NEW) {
                        method.instructions.insert(first, probe);
                    } else {
                        method.instructions.insertBefore(first, probe);
                    }
                    lines.add(new Line(className, line.line));
                }
            }
        }
    }

    private static InsnList probe(int number) {
        InsnList probe = new InsnList();
        probe.add(new FieldInsnNode(Opcodes.GETSTATIC, "Worker", "LINES", "[Z"));
        probe.add(new LdcInsnNode(number));
        probe.add(new InsnNode(Opcodes.ICONST_1));
        probe.add(new InsnNode(Opcodes.BASTORE));
        return probe;
    }

    int count() {
        return lines.size();
    }

    /** Returns the lines with these numbers of probes, by class. */
    Map<String, BitSet> named(int[] numbers) {
        Map<String, BitSet> named = new HashMap<>();
        for (int number : numbers) {
            Line line = lines.get(number);
            named.computeIfAbsent(line.className, any -> new BitSet()).set(line.number);
        }
        return named;
    }

    private record Line(String className, int number) {}
}
