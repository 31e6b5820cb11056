package io.csi4j.benchmarks.state;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import io.csi4j.state.StateStore;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Compares the state store with plain hash maps that have the same rows and apply the same commands. The rounds of the
 * store and of the hash maps alternate. Each value is the CPU time of the best round.
 */
public final class StateBenchmark {
    private static final int ALLOCATIONS = 50_000;
    private static final int SAMPLE = 5_000;

    private static long sink;

    private final int rounds;
    private final Random random = new Random(42);

    private StateBenchmark(int rounds) {
        this.rounds = rounds;
    }

    /**
     * Runs all measurements.
     *
     * @param args {@code --volumes 10000,100000,1000000} and {@code --rounds N}
     * @throws IOException if a temporary file cannot be written
     * @throws InterruptedException if the program is interrupted
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        int[] sizes = {10_000, 100_000, 1_000_000};
        int rounds = 60;
        for (int i = 0; i + 1 < args.length; i += 2) {
            switch (args[i]) {
                case "--volumes" ->
                    sizes = List.of(args[i + 1].split(",")).stream()
                            .mapToInt(Integer::parseInt)
                            .toArray();
                case "--rounds" -> rounds = Integer.parseInt(args[i + 1]);
                case "--restore" -> {
                    RestoreBenchmark.child(args[i + 1]);
                    return;
                }
                default -> throw new IllegalArgumentException("unknown option " + args[i]);
            }
        }
        StateBenchmark benchmark = new StateBenchmark(rounds);
        // The warm-up makes the virtual machine compile the code for both implementations before the measurement.
        System.out.println("Warming up, Java " + Runtime.version() + ", "
                + Runtime.getRuntime().availableProcessors() + " processors");
        benchmark.compare(5_000, false);
        Report.head();
        for (int size : sizes) {
            benchmark.compare(size, true);
            benchmark.loadAndKeep(size);
        }
        benchmark.small();
        if (sink == 42) {
            System.out.println();
        }
    }

    private void compare(int size, boolean report) {
        StateWorkload workload = new StateWorkload(size, 7);
        HashMapState map = new HashMapState();
        try (StateStore store = StateStore.inMemory()) {
            for (Command command : workload.cluster(ALLOCATIONS)) {
                store.apply(command);
                map.apply(command);
            }
            for (int from = 0; from < size; from += 1_000) {
                for (Command command : workload.register(from, Math.min(size, from + 1_000))) {
                    store.apply(command);
                    map.apply(command);
                }
            }
            cycles(workload, store, map, report);
            reads(workload, store, map, report);
            if (report) {
                lists(size, store);
            }
        }
    }

    private void cycles(StateWorkload workload, StateStore store, HashMapState map, boolean report) {
        double[] storeTake = new double[rounds];
        double[] mapTake = new double[rounds];
        double[] storeAll = new double[rounds];
        double[] mapAll = new double[rounds];
        long storeProcess = 0;
        long mapProcess = 0;
        for (int r = 0; r < rounds; r++) {
            int[] picked = workload.sample(SAMPLE, random);
            List<Command> take = StateWorkload.takes(picked, ALLOCATIONS);
            List<List<Command>> rest = List.of(
                    StateWorkload.checkpoints(picked, ALLOCATIONS, ClaimState.UNPUBLISHING),
                    StateWorkload.checkpoints(picked, ALLOCATIONS, ClaimState.NODE_DETACHED),
                    StateWorkload.frees(picked, ALLOCATIONS));
            long start = Cpu.process();
            storeTake[r] = run(take, store::apply);
            storeAll[r] = storeTake[r];
            for (List<Command> step : rest) {
                storeAll[r] += run(step, store::apply);
            }
            long storeEnd = Cpu.process();
            mapTake[r] = run(take, map::apply);
            mapAll[r] = mapTake[r];
            for (List<Command> step : rest) {
                mapAll[r] += run(step, map::apply);
            }
            // Counts only the later half of the rounds, because the first rounds include compilation.
            if (r >= rounds / 2) {
                storeProcess += storeEnd - start;
                mapProcess += Cpu.process() - storeEnd;
            }
        }
        if (report) {
            Report.ratio("take a claim", workload.volumes(), Cpu.best(storeTake), Cpu.best(mapTake), 1.5);
            Report.ratio(
                    "take, unpublish, detach, free", workload.volumes(), Cpu.best(storeAll), Cpu.best(mapAll), 1.5);
            double cycles = (rounds - rounds / 2) * (double) SAMPLE;
            Report.ratio(
                    "the same, mean, with the collector",
                    workload.volumes(),
                    storeProcess / cycles,
                    mapProcess / cycles,
                    1.5);
        }
    }

    private static double run(List<Command> commands, Consumer<Command> apply) {
        return Cpu.each(() -> {
            commands.forEach(apply);
            return commands.size();
        });
    }

    private void reads(StateWorkload workload, StateStore store, HashMapState map, boolean report) {
        double[] storeTimes = new double[rounds];
        double[] mapTimes = new double[rounds];
        for (int r = 0; r < rounds; r++) {
            VolumeKey[] keys = new VolumeKey[4 * SAMPLE];
            for (int i = 0; i < keys.length; i++) {
                keys[i] = StateWorkload.key(random.nextInt(workload.volumes()));
            }
            storeTimes[r] = Cpu.each(() -> {
                for (VolumeKey key : keys) {
                    sink += read(store.snapshot().volume(key));
                }
                return keys.length;
            });
            mapTimes[r] = Cpu.each(() -> {
                for (VolumeKey key : keys) {
                    sink += read(map.volume(key));
                }
                return keys.length;
            });
        }
        if (report) {
            Report.ratio("point read", workload.volumes(), Cpu.best(storeTimes), Cpu.best(mapTimes), 1.7);
        }
    }

    private static long read(Optional<Volume> volume) {
        return volume.map(Volume::modifyIndex).orElse(0L);
    }

    private void lists(int size, StateStore store) {
        VolumeQuery prefix = VolumeQuery.builder()
                .namespace(Namespace.of("default"))
                .idPrefix("vol-0")
                .limit(1_000)
                .build();
        VolumeQuery plugin = VolumeQuery.builder()
                .pluginId(PluginId.of("plugin-3"))
                .limit(1_000)
                .build();
        double[] byPrefix = new double[rounds];
        double[] byPlugin = new double[rounds];
        for (int r = 0; r < rounds; r++) {
            byPrefix[r] = Cpu.each(() -> walk(store.snapshot(), prefix, 100_000));
            byPlugin[r] = Cpu.each(() -> walk(store.snapshot(), plugin, 50_000));
        }
        boolean budgeted = size == 100_000;
        Report.time("list by prefix, per item", size, Cpu.best(byPrefix), budgeted ? 50 : Double.POSITIVE_INFINITY);
        Report.time("list by plugin, per item", size, Cpu.best(byPlugin), budgeted ? 100 : Double.POSITIVE_INFINITY);
    }

    private static long walk(StateReader state, VolumeQuery query, int max) {
        long count = 0;
        while (count < max) {
            VolumeQuery current = query;
            while (true) {
                ListPage<Volume, VolumeKey> page = state.volumes(current);
                for (Volume volume : page.items()) {
                    sink += volume.modifyIndex();
                }
                count += page.items().size();
                if (page.next().isEmpty() || count >= max) {
                    break;
                }
                current = query.toBuilder().after(page.next().get()).build();
            }
        }
        return count;
    }

    private void loadAndKeep(int size) throws IOException, InterruptedException {
        long before = Cpu.heap();
        StateStore store = StateStore.create(RestoreBenchmark.options());
        StateWorkload workload = new StateWorkload(size, 11);
        long empty = Cpu.heap();
        double single = load(workload, store, 1);
        long full = Cpu.heap();
        if (size >= 1_000_000) {
            Report.time("bulk load, one command for each volume", size, single * size, Double.POSITIVE_INFINITY);
            try (StateStore other = StateStore.inMemory()) {
                Report.time("bulk load, 1,000 a batch", size, load(workload, other, 1_000) * size, 6e9);
            }
            RestoreBenchmark.run(store, size, full - empty);
        } else {
            Report.time("register a volume", size, single, Double.POSITIVE_INFINITY);
        }
        Volume[] rows = store.snapshot().volumes(VolumeQuery.all()).items().toArray(new Volume[0]);
        store.close();
        store = null;
        long rowBytes = Cpu.heap() - empty - 16L - 4L * size;
        Report.bytes("heap besides the rows, per volume", size, (full - empty - rowBytes) / (double) size, 120);
        Report.bytes("the row itself", size, rowBytes / (double) size, 0);
        sink += rows.length + before;
    }

    private static double load(StateWorkload workload, StateStore store, int batch) {
        double nanos = 0;
        for (int from = 0; from < workload.volumes(); from += 1_000) {
            List<Command> commands = workload.register(from, Math.min(workload.volumes(), from + 1_000));
            List<Command> applied = batch == 1 ? commands : List.of(new Batch(commands, StateWorkload.AT));
            nanos += run(applied, store::apply) * applied.size();
        }
        return nanos / workload.volumes();
    }

    private void small() throws InterruptedException {
        try (StateStore store = StateStore.inMemory()) {
            Report.time("snapshot", 0, SmallBenchmarks.snapshot(store), 5);
        }
        Report.time("take on a volume with 1,000 claims", 0, SmallBenchmarks.takeOnCrowded(rounds), 2_000);
        SmallBenchmarks.wakeUp();
        IdleWatches.run(rounds);
    }
}
