package io.csi4j.simulation;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.VolumeKey;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Workloads that give their volumes back before their allocation ends. They say so until they are answered, as they
 * have to: what was not answered may come through later.
 */
final class SimGivingBack {
    private static final Duration AGAIN = Duration.ofMillis(500);
    private static final Duration PAUSE = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final SimWorld world;
    private final SimServer server;
    private final SplittableRandom random;

    SimGivingBack(SimWorld world, SimServer server, SplittableRandom random) {
        this.world = world;
        this.server = server;
        this.random = random;
    }

    /** It gives its volumes back, one way or the other, and may want them again once that is answered. */
    void release(SimWorkload workload, Runnable again) {
        if (workload.over || workload.paused) {
            return;
        }
        world.trace().note("host", workload.id + " gives its volumes back");
        workload.giveUp();
        workload.paused = true;
        giveBack(workload);
        if (random.nextBoolean()) {
            world.scheduler().after(PAUSE, () -> again(workload, again));
        }
    }

    private void again(SimWorkload workload, Runnable again) {
        if (workload.over || !workload.node.runs(workload.id)) {
            return;
        }
        if (!workload.owed.isEmpty()) {
            world.scheduler().after(PAUSE, () -> again(workload, again));
            return;
        }
        world.coverage().operation("claim after release");
        workload.paused = false;
        again.run();
    }

    void giveBack(SimWorkload workload) {
        for (ClaimRequest request : workload.requests) {
            VolumeKey key = request.volume();
            SimNode node = workload.node;
            if (random.nextInt(4) == 0 && node.answers() && !node.turns().busy(key.toString())) {
                // The node unmounts without being asked, and tells.
                node.unmount(new SimNode.Mount(key, workload.id));
                tell(
                        workload,
                        key,
                        () -> server.ask(
                                "node released", engine -> engine.claims().nodeReleased(key, node.id, workload.id)));
            } else {
                tell(
                        workload,
                        key,
                        () -> server.ask("release", engine -> engine.claims().release(key, workload.id)));
            }
            for (int i = random.nextInt(3); i > 0; i--) {
                world.scheduler()
                        .soon(
                                AGAIN,
                                () -> tell(
                                        workload,
                                        key,
                                        () -> server.ask(
                                                "release again",
                                                engine -> engine.claims().release(key, workload.id))));
            }
        }
    }

    private void tell(SimWorkload workload, VolumeKey key, Supplier<CompletableFuture<Void>> telling) {
        workload.owed.add(key);
        CompletableFuture<Void> answer = telling.get();
        SimProcess asked = server.asked();
        var unused = answer.whenComplete((done, failure) -> {
            if (failure == null) {
                workload.owed.remove(key);
            } else {
                repeat(workload, key, AGAIN);
            }
        });
        // Nobody answers for a server that crashed.
        world.scheduler().after(PATIENCE, () -> {
            if (!answer.isDone() && !asked.alive()) {
                repeat(workload, key, AGAIN);
            }
        });
    }

    private void repeat(SimWorkload workload, VolumeKey key, Duration pause) {
        world.scheduler().after(pause, () -> {
            if (!workload.over) {
                tell(
                        workload,
                        key,
                        () -> server.ask(
                                "release again", engine -> engine.claims().release(key, workload.id)));
            }
        });
    }
}
