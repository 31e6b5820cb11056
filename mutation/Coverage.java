import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The tests by the lines that they run. A file for each test class saves them until a class in use changes. */
final class Coverage {
    private final Map<String, List<Reach>> byClass = new HashMap<>();
    private final Path directory;
    private final Checksums classes;
    private final Probes probes;

    /**
     * @param directory that of the saved files
     * @param classes those of the module
     */
    Coverage(Path directory, Checksums classes, Probes probes) {
        this.directory = directory;
        this.classes = classes;
        this.probes = probes;
    }

    /**
     * A test with the lines of a class that it runs.
     *
     * @param stamp changes with each class that the tests of its class use
     */
    record Reach(Worker.Test test, String stamp, BitSet lines) {}

    private record Saved(Map<Worker.Test, Map<String, BitSet>> lines, Map<String, Long> loaded) implements Serializable {}

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
            checksums.put(name, classes.of(name));
        }
        return checksums;
    }

    private Saved cover(String testClass, WorkerProcess worker) throws Exception {
        Worker.Covered covered;
        try {
            covered = (Worker.Covered) worker.ask(new Worker.Cover(testClass));
        } catch (WorkerProcess.Ended e) {
            // The test classes before it may have used up the memory.
            covered = (Worker.Covered) worker.ask(new Worker.Cover(testClass));
        }
        Map<Worker.Test, Map<String, BitSet>> lines = new HashMap<>();
        for (Worker.Test test : covered.tests()) {
            lines.put(test.withoutLines(), probes.named(test.lines()));
        }
        return new Saved(lines, checksums(covered.loaded()));
    }

    private synchronized List<String> index(Saved saved) {
        List<String> failing = new ArrayList<>();
        saved.lines.forEach((test, classes) -> {
            if (test.passes()) {
                String stamp = Integer.toHexString(test.id().hashCode() * 31 + saved.loaded.hashCode());
                classes.forEach((name, lines) ->
                        byClass.computeIfAbsent(name, any -> new ArrayList<>()).add(new Reach(test, stamp, lines)));
            } else {
                failing.add(test.id());
            }
        });
        return failing;
    }

    List<Reach> of(String className, int line) {
        return byClass.getOrDefault(className, List.of()).stream()
                .filter(reach -> reach.lines.get(line))
                .toList();
    }
}
