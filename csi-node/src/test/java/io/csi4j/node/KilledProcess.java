package io.csi4j.node;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.internal.ledger.FileLedger;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A process that makes real mounts and ends abruptly before or after its nth write. */
final class KilledProcess {
    static final int ENDED_AT_CHECKPOINT = 9;

    private KilledProcess() {}

    /** Runs the process. The arguments are the base directory and the number of the checkpoint. */
    public static void main(String[] arguments) throws Exception {
        Path base = Path.of(arguments[0]);
        AtomicInteger left = new AtomicInteger(Integer.parseInt(arguments[1]));
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        ExecutorService executor = Executors.newFixedThreadPool(2);
        Bench.CheckpointLedger ledger =
                new Bench.CheckpointLedger(FileLedger.open(base.toRealPath().resolve("ledger"), true), () -> {
                    if (left.decrementAndGet() == 0) {
                        Runtime.getRuntime().halt(ENDED_AT_CHECKPOINT);
                    }
                });
        NodeVolumes volumes = NodeVolumes.builder(
                        base,
                        id -> Optional.of(NodePlugin.of(
                                RealMountsTest.service(executor),
                                CapabilitySet.of(NodeCapability.class, List.of(NodeCapability.STAGE_UNSTAGE_VOLUME)))))
                .environment(Environment.of(Clock.systemUTC(), Timer.from(scheduler), executor, new SplittableRandom()))
                .ledger(ledger)
                .build();
        volumes.start().get(60, TimeUnit.SECONDS);
        for (String allocation : List.of("a", "b")) {
            volumes.mount(Bench.request("v", allocation).build()).get(60, TimeUnit.SECONDS);
        }
        for (String allocation : List.of("a", "b")) {
            volumes.unmount(new NodeUnmount(Bench.id("v"), AllocationId.of(allocation)))
                    .get(60, TimeUnit.SECONDS);
        }
        Runtime.getRuntime().halt(0);
    }
}
