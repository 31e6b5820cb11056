package io.csi4j.testkit.sim;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The server: one life after the other, leading or not. */
final class SimServer {
    private final SimWorld world;
    private final SplittableRandom random;
    private final Planted planted;
    private SimProcess process;
    private @Nullable VolumeLifecycle lifecycle;
    private boolean leads;
    private @Nullable SimWorkloads workloads;

    SimServer(SimWorld world, SplittableRandom random, Mutation mutation) {
        this.world = world;
        this.random = random;
        this.planted = new Planted(mutation);
        this.process = new SimProcess(world.scheduler());
    }

    void begin(SimulationOptions options, SimWorkloads work) {
        workloads = work;
        start();
        long most = options.chaos().toNanos();
        for (int i = 0; i < 5; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(most)), this::trouble);
        }
    }

    SimProcess process() {
        return process;
    }

    boolean leads() {
        return leads && process.alive();
    }

    CompletableFuture<ClaimGrant> claim(AllocationId id, List<ClaimRequest> requests) {
        VolumeLifecycle now = lifecycle;
        return now == null ? nobody() : now.claim(id, requests);
    }

    CompletableFuture<Volume> create(VolumeKey key, VolumeSpec spec) {
        VolumeLifecycle now = lifecycle;
        return now == null ? nobody() : now.create(key, spec);
    }

    CompletableFuture<Void> delete(VolumeKey key) {
        VolumeLifecycle now = lifecycle;
        return now == null ? nobody() : now.delete(key);
    }

    private static <R> CompletableFuture<R> nobody() {
        return CompletableFuture.failedFuture(new CsiException("no server is there"));
    }

    private void start() {
        world.trace().note("server", "starts");
        process = new SimProcess(world.scheduler());
        lifecycle = VolumeLifecycle.builder()
                .log(planted.in(new SimLog(world, process)))
                .gateway(new SimGateway(world, process, planted))
                .timer(planted.in(process))
                .clock(world.scheduler().clock())
                .executor(process)
                .random(random.split())
                .fencing((nodeId, reason) -> fence(nodeId))
                .options(
                        LifecycleOptions.builder().callTimeout(SimCall.DEADLINE).build())
                .build();
        lead();
    }

    private CompletableFuture<Void> fence(NodeId nodeId) {
        SimNode node = world.node(nodeId);
        if (node != null) {
            world.scheduler().soon(Duration.ofSeconds(5), () -> world.fence(node));
        }
        return CompletableFuture.completedFuture(null);
    }

    private void lead() {
        leads = true;
        if (lifecycle != null) {
            lifecycle.startLeading();
        }
        if (workloads != null) {
            workloads.claimAgain();
        }
    }

    /** It crashes, or only loses the lead for a while. */
    private void trouble() {
        if (!world.faults().happen() || !leads()) {
            return;
        }
        if (random.nextInt(3) == 0) {
            world.trace().note("server", "loses the lead");
            leads = false;
            if (lifecycle != null) {
                lifecycle.stopLeading();
            }
            SimProcess same = process;
            world.scheduler().soon(Duration.ofSeconds(20), () -> {
                if (process == same && same.alive() && !leads) {
                    lead();
                }
            });
            return;
        }
        world.trace().note("server", "crashes");
        process.crash();
        lifecycle = null;
        leads = false;
        world.scheduler().soon(Duration.ofSeconds(20), this::recover);
    }

    private void recover() {
        if (lifecycle != null) {
            return;
        }
        if (random.nextBoolean()) {
            reload();
        }
        start();
    }

    /** The state as it is written and read again. */
    private void reload() {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            world.store().encode(bytes);
            world.store().restore(new ByteArrayInputStream(bytes.toByteArray()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** After the trouble is over. */
    void settle() {
        if (lifecycle == null) {
            start();
        } else if (!leads) {
            lead();
        }
    }
}
