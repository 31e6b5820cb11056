package io.csi4j.benchmarks.cluster;

import io.csi4j.benchmarks.engine.EngineRig;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.replication.ratis.RatisCommandLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/** Makes claims and releases over a command log, with plugins that answer at once. */
final class Cycles implements AutoCloseable {
    static final PluginId PLUGIN = PluginId.of("disk");
    private static final int CLAIMS_IN_FLIGHT = 200;

    private final RatisCommandLog log;
    private final EngineRig rig;
    private final int volumes;
    private int next;

    Cycles(RatisCommandLog leader, int volumes) {
        this.log = leader;
        this.volumes = volumes;
        this.rig = EngineRig.over(leader, leader.state());
        rig.lifecycle.startLeading();
        rig.cluster(PLUGIN);
        rig.volumes(PLUGIN, volumes);
    }

    /** Returns how many claims are made and released per second, with many claims in flight. */
    double perSecond(int count) {
        long start = System.nanoTime();
        for (int done = 0; done < count; done += CLAIMS_IN_FLIGHT) {
            List<CompletableFuture<?>> ended = new ArrayList<>();
            for (int i = 0; i < CLAIMS_IN_FLIGHT; i++) {
                ended.add(cycle());
            }
            ended.forEach(CompletableFuture::join);
            settle();
        }
        return count / ((System.nanoTime() - start) / 1e9);
    }

    private CompletableFuture<?> cycle() {
        int number = number();
        AllocationId id = AllocationId.of("a-" + number);
        return allocation(id, number, AllocationStatus.RUNNING)
                .thenCompose(started ->
                        rig.lifecycle.claims().claim(id, EngineRig.request(EngineRig.key(PLUGIN, number % volumes))))
                .thenCompose(granted -> allocation(id, number, AllocationStatus.ENDED));
    }

    private CompletableFuture<Outcome> allocation(AllocationId id, int number, AllocationStatus status) {
        return log.submit(new AllocationCommand.UpsertAllocation(
                id,
                Namespace.of("default"),
                EngineRig.node(number % EngineRig.NODES),
                Optional.empty(),
                status,
                Instant.now()));
    }

    private synchronized int number() {
        return next++;
    }

    /** Returns the sorted times from a claim to its grant in nanoseconds, one claim at a time. */
    long[] latencies(int count) {
        long[] nanos = new long[count];
        for (int i = 0; i < count; i++) {
            int number = number();
            AllocationId id = AllocationId.of("a-" + number);
            rig.allocation(id, EngineRig.node(number % EngineRig.NODES), AllocationStatus.RUNNING);
            long start = System.nanoTime();
            rig.lifecycle
                    .claims()
                    .claim(id, EngineRig.request(EngineRig.key(PLUGIN, number % volumes)))
                    .join();
            nanos[i] = System.nanoTime() - start;
            rig.allocation(id, EngineRig.node(number % EngineRig.NODES), AllocationStatus.ENDED);
        }
        settle();
        Arrays.sort(nanos);
        return nanos;
    }

    private void settle() {
        while (log.state().snapshot().unsettledVolumes().iterator().hasNext()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void close() {
        rig.close();
    }
}
