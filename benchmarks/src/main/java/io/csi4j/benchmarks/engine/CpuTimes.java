package io.csi4j.benchmarks.engine;

import io.csi4j.benchmarks.threads.ThreadTimes;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** The CPU time of the whole process, as one sum for each kind of thread. */
final class CpuTimes {
    private final Map<Activity, Long> nanos;

    private CpuTimes(Map<Activity, Long> nanos) {
        this.nanos = nanos;
    }

    /** The activities to which threads belong. */
    private enum Activity {
        /** The executor of the engine and of the watches. */
        ENGINE("in the engine's executor"),
        /** The host's thread, which reports allocations and nodes, and claims volumes. */
        HOST("in the host's thread"),
        /** The timer of the engine and of the plugins. */
        TIMER("in the timer"),
        PLUGIN("in the plugins' thread"),
        COLLECTOR("garbage collection"),
        /** Compilers and the other threads of the virtual machine. */
        VIRTUAL_MACHINE("compiler and other JVM threads");

        private final String label;

        Activity(String label) {
            this.label = label;
        }

        private static Activity of(String thread) {
            return switch (thread) {
                case "engine" -> ENGINE;
                case "timer" -> TIMER;
                case "plugin" -> PLUGIN;
                case "main", "java" -> HOST;
                default -> thread.startsWith("G") ? COLLECTOR : VIRTUAL_MACHINE;
            };
        }
    }

    static CpuTimes now() {
        Map<Activity, Long> nanos = new EnumMap<>(Activity.class);
        ThreadTimes.byName().forEach((thread, duration) -> nanos.merge(Activity.of(thread), duration, Long::sum));
        return new CpuTimes(nanos);
    }

    CpuTimes since(CpuTimes before) {
        Map<Activity, Long> differences = new EnumMap<>(Activity.class);
        nanos.forEach(
                (activity, duration) -> differences.put(activity, duration - before.nanos.getOrDefault(activity, 0L)));
        return new CpuTimes(differences);
    }

    long total() {
        return nanos.values().stream().mapToLong(Long::longValue).sum();
    }

    void print(String label, int times, String budget) {
        EngineBenchmark.line(label, each(total(), times), budget);
        nanos.forEach((activity, duration) -> {
            if (duration > 0) {
                EngineBenchmark.line("part " + activity.label, each(duration, times), "");
            }
        });
    }

    private static String each(long nanos, int times) {
        return String.format(Locale.ROOT, "%.1f us", nanos / 1e3 / times);
    }
}
