package io.csi4j.benchmarks.threads;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads from Linux the CPU times of all threads of this process, including those of the virtual machine. */
public final class ThreadTimes {
    private static final Path TASKS = Path.of("/proc/self/task");

    private ThreadTimes() {}

    /**
     * Returns the CPU times of the current threads.
     *
     * @return nanoseconds by thread name; the kernel truncates the names, and numbers at their end are removed
     */
    public static Map<String, Long> byName() {
        Map<String, Long> times = new TreeMap<>();
        for (Path task : tasks()) {
            try {
                String name = Files.readString(task.resolve("comm")).strip().replaceAll("[-#0-9]+$", "");
                String nanos = Files.readString(task.resolve("schedstat")).split(" ", 2)[0];
                times.merge(name, Long.parseLong(nanos), Long::sum);
            } catch (NoSuchFileException endedSinceItWasListed) {
                times.putIfAbsent("ended", 0L);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return times;
    }

    private static List<Path> tasks() {
        try (Stream<Path> directory = Files.list(TASKS)) {
            return directory.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
