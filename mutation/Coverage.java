import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;

/** The tests by the lines that they run. A file for each test class saves them until a class in use changes. */
final class Coverage {
    private final Map<String, List<Reach>> byLine = new HashMap<>();
    private final Path directory;
    private final Sources classes;
    private final Probes probes;

    /**
     * @param directory that of the saved files
     * @param classes those of the module
     */
    Coverage(Path directory, Sources classes, Probes probes) {
        this.directory = directory;
        this.classes = classes;
        this.probes = probes;
    }

    /** The code of the module's classes. */
    interface Sources {
        byte[] code(String className) throws IOException;

        default long checksum(String className) throws IOException {
            CRC32 sum = new CRC32();
            sum.update(code(className));
            return sum.getValue();
        }
    }

    /**
     * A test that runs a line.
     *
     * @param stamp changes with each class that the tests of its class use
     */
    record Reach(Worker.Test test, String stamp) {}

    private record Saved(Map<Worker.Test, List<String>> lines, Map<String, Long> loaded) implements Serializable {}

    /** Finds the lines that the tests of a class run. Returns the tests that fail, which are left out. */
    List<String> add(String testClass, WorkerProcess worker) throws Exception {
        Path file = directory.resolve(testClass);
        Saved saved = read(file);
        if (saved == null) {
            saved = cover(testClass, worker);
            Files.createDirectories(directory);
            try (ObjectOutputStream out = new ObjectOutputStream(Files.newOutputStream(file))) {
                out.writeObject(saved);
            }
        }
        return index(saved);
    }

    private Saved read(Path file) throws IOException {
        try (ObjectInputStream in = new ObjectInputStream(Files.newInputStream(file))) {
            Saved saved = (Saved) in.readObject();
            return checksums(saved.loaded.keySet()).equals(saved.loaded) ? saved : null;
        } catch (IOException | ClassNotFoundException e) {
            return null;
        }
    }

    private Map<String, Long> checksums(Iterable<String> names) throws IOException {
        Map<String, Long> checksums = new TreeMap<>();
        for (String name : names) {
            checksums.put(name, classes.checksum(name));
        }
        return checksums;
    }

    private Saved cover(String testClass, WorkerProcess worker) throws Exception {
        Worker.Covered covered = (Worker.Covered) worker.ask(new Worker.Cover(testClass));
        Map<Worker.Test, List<String>> lines = new HashMap<>();
        for (Worker.Test test : covered.tests()) {
            lines.put(test.withoutLines(), probes.named(test.lines()));
        }
        return new Saved(lines, checksums(covered.loaded()));
    }

    private synchronized List<String> index(Saved saved) {
        List<String> failing = new ArrayList<>();
        saved.lines.forEach((test, lines) -> {
            if (test.passes()) {
                Reach reach = new Reach(test, Integer.toHexString(test.id().hashCode() * 31 + saved.loaded.hashCode()));
                lines.forEach(line ->
                        byLine.computeIfAbsent(line, any -> new ArrayList<>()).add(reach));
            } else {
                failing.add(test.id());
            }
        });
        return failing;
    }

    List<Reach> of(String className, int line) {
        return byLine.getOrDefault(Probes.line(className, line), List.of());
    }
}
