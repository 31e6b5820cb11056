package io.csi4j.simulation.internal.host;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.simulation.internal.node.NodeSide;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Workloads that release their volumes before their allocation ends. They repeat each release until it is answered:
 * only then is it certain that the release cannot end a later claim.
 */
public final class EarlyRelease {
    private static final Duration RETRY_DELAY = Duration.ofMillis(500);
    private static final Duration RECLAIM_DELAY = Duration.ofSeconds(5);
    private static final Duration CRASH_TIMEOUT = Duration.ofSeconds(30);

    private final SimWorld world;
    private final SimServer server;
    private final NodeSide side;
    private final SplittableRandom random;

    public EarlyRelease(SimWorld world, NodeSide side, SimServer server, SplittableRandom random) {
        this.side = side;
        this.world = world;
        this.server = server;
        this.random = random;
    }

    /** Releases all volumes of a workload. The workload may claim them again once the releases are answered. */
    public void release(SimWorkload workload, Runnable repeatClaim) {
        if (workload.ended || workload.paused) {
            return;
        }
        world.trace().note("host", workload.id + " releases its volumes early");
        workload.cancelClaim();
        workload.paused = true;
        releaseEach(workload);
        if (random.nextBoolean()) {
            world.scheduler().after(RECLAIM_DELAY, () -> repeatClaim(workload, repeatClaim));
        }
    }

    private void repeatClaim(SimWorkload workload, Runnable repeatClaim) {
        if (workload.ended || !workload.node.runs(workload.id)) {
            return;
        }
        if (!workload.unansweredReleases.isEmpty()) {
            world.scheduler().after(RECLAIM_DELAY, () -> repeatClaim(workload, repeatClaim));
            return;
        }
        world.coverage().operation("claim after release");
        workload.paused = false;
        repeatClaim.run();
    }

    public void releaseEach(SimWorkload workload) {
        for (ClaimRequest request : workload.requests) {
            VolumeKey key = request.volume();
            SimNode node = workload.node;
            boolean byNode = random.nextInt(4) == 0 && world.externalId(key) != null;
            if (byNode && node.answers() && !side.isBusy(node, key)) {
                // The node unmounts the volume without a call of the engine, and then reports the release.
                unmountAndReport(workload, key);
            } else {
                send(
                        workload,
                        key,
                        () -> server.request(
                                "release", engine -> engine.claims().release(key, workload.id)));
            }
            for (int i = random.nextInt(3); i > 0; i--) {
                world.scheduler()
                        .within(
                                RETRY_DELAY,
                                () -> send(
                                        workload,
                                        key,
                                        () -> server.request(
                                                "release again",
                                                engine -> engine.claims().release(key, workload.id))));
            }
        }
    }

    private void send(SimWorkload workload, VolumeKey key, Supplier<CompletableFuture<Void>> operation) {
        workload.unansweredReleases.add(key);
        CompletableFuture<Void> answer = operation.get();
        SimProcess target = server.lastTarget();
        var unused = answer.whenComplete((done, failure) -> {
            if (failure == null) {
                workload.unansweredReleases.remove(key);
            } else {
                retry(workload, key, RETRY_DELAY);
            }
        });
        // A crashed server never completes the future.
        world.scheduler().after(CRASH_TIMEOUT, () -> {
            if (!answer.isDone() && !target.alive()) {
                retry(workload, key, RETRY_DELAY);
            }
        });
    }

    private void unmountAndReport(SimWorkload workload, VolumeKey key) {
        // The release counts as unanswered until the node has unmounted the volume, or until the workload
        // itself sends the release to the engine.
        workload.unansweredReleases.add(key);
        var unused = side.unmount(workload.node, key, workload.id).whenComplete((nothing, failure) -> {
            if (failure == null) {
                world.grace().saidByNode(key, workload.id);
                send(
                        workload,
                        key,
                        () -> server.request(
                                "node released",
                                engine -> engine.claims().nodeReleased(key, workload.node.id, workload.id)));
            } else {
                retry(workload, key, RETRY_DELAY);
            }
        });
        // A crashed agent never completes the future.
        world.scheduler().after(CRASH_TIMEOUT, () -> {
            if (!unused.isDone()) {
                retry(workload, key, RETRY_DELAY);
            }
        });
    }

    /** Repeats a release later, unless another release of the volume was answered: the volume may be claimed again. */
    private void retry(SimWorkload workload, VolumeKey key, Duration delay) {
        world.scheduler().after(delay, () -> {
            if (!workload.ended && workload.unansweredReleases.contains(key)) {
                send(
                        workload,
                        key,
                        () -> server.request(
                                "release again", engine -> engine.claims().release(key, workload.id)));
            }
        });
    }
}
