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

/** What the threads of this process have run for, those of the virtual machine included, as Linux tells it. */
public final class ThreadTimes {
    private static final Path TASKS = Path.of("/proc/self/task");

    private ThreadTimes() {}

    /**
     * What the threads that there are have run for.
     *
     * @return nanoseconds of CPU time by the names of threads, which the kernel cuts off, without their numbers
     */
    public static Map<String, Long> byName() {
        Map<String, Long> times = new TreeMap<>();
        for (Path task : tasks()) {
            try {
                String name = Files.readString(task.resolve("comm")).strip().replaceAll("[-#0-9]+$", "");
                String spent = Files.readString(task.resolve("schedstat")).split(" ", 2)[0];
                times.merge(name, Long.parseLong(spent), Long::sum);
            } catch (NoSuchFileException endedSinceItWasListed) {
                times.putIfAbsent("ended", 0L);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return times;
    }

    private static List<Path> tasks() {
        try (Stream<Path> listed = Files.list(TASKS)) {
            return listed.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
