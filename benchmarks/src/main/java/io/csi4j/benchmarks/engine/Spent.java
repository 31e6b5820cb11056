package io.csi4j.benchmarks.engine;

import io.csi4j.benchmarks.threads.ThreadTimes;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** CPU time of the whole process, by what it was spent for. */
final class Spent {
    private final Map<Part, Long> nanos;

    private Spent(Map<Part, Long> nanos) {
        this.nanos = nanos;
    }

    /** Who runs. */
    private enum Part {
        /** The executor of the engine and of the watches. */
        ENGINE("in the engine's executor"),
        /** The host's thread: it tells of allocations and nodes, and claims. */
        HOST("in the host's thread"),
        /** The timer, which is the plugins' as well. */
        TIMER("in the timer"),
        PLUGIN("in the plugins' thread"),
        COLLECTOR("collecting garbage"),
        /** Compilers and the rest of the virtual machine. */
        MACHINE("compiling, and the rest");

        private final String label;

        Part(String label) {
            this.label = label;
        }

        private static Part of(String thread) {
            return switch (thread) {
                case "engine" -> ENGINE;
                case "timer" -> TIMER;
                case "plugin" -> PLUGIN;
                case "main", "java" -> HOST;
                default -> thread.startsWith("G") ? COLLECTOR : MACHINE;
            };
        }
    }

    static Spent soFar() {
        Map<Part, Long> nanos = new EnumMap<>(Part.class);
        ThreadTimes.byName().forEach((thread, spent) -> nanos.merge(Part.of(thread), spent, Long::sum));
        return new Spent(nanos);
    }

    Spent since(Spent before) {
        Map<Part, Long> meanwhile = new EnumMap<>(Part.class);
        nanos.forEach((part, spent) -> meanwhile.put(part, spent - before.nanos.getOrDefault(part, 0L)));
        return new Spent(meanwhile);
    }

    long total() {
        return nanos.values().stream().mapToLong(Long::longValue).sum();
    }

    void print(String what, int times, String budget) {
        EngineBenchmark.line(what, each(total(), times), budget);
        nanos.forEach((part, spent) -> {
            if (spent > 0) {
                EngineBenchmark.line("of it " + part.label, each(spent, times), "");
            }
        });
    }

    private static String each(long nanos, int times) {
        return String.format(Locale.ROOT, "%.1f us", nanos / 1e3 / times);
    }
}
