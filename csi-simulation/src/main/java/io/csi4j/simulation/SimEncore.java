package io.csi4j.simulation;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * After all trouble: workloads that want several volumes each, in different orders, some of which do not wait. Nothing
 * fails any more, though nodes may be silent for a moment, so everybody gets what they want in turn (no deadlock, no lost wake-up), and who did not wait has
 * nothing, although its allocation still runs (no leak).
 */
final class SimEncore {
    private static final int WORKLOADS = 6;
    private static final Duration ARRIVAL = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofSeconds(4);
    private static final Duration LIFE = Duration.ofSeconds(10);
    /** Shorter than the grace of any volume. */
    private static final Duration SILENCE = Duration.ofSeconds(10);

    private final SimWorld world;
    private final SimHost host;
    private final SimServer server;
    private final SimVolumes volumes;
    private final SplittableRandom random;
    private final List<SimWorkload> workloads = new ArrayList<>();
    private @Nullable SimWorkload loser;

    SimEncore(SimWorld world, SimHost host, SimServer server, SimVolumes volumes, SplittableRandom random) {
        this.world = world;
        this.host = host;
        this.server = server;
        this.volumes = volumes;
        this.random = random;
    }

    void begin() {
        world.trace().note("host", "encore");
        List<SimNode> nodes =
                world.nodes().values().stream().filter(SimNode::answers).toList();
        world.room().encore();
        if (random.nextBoolean()) {
            nodes.forEach(node -> host.miss(node, SILENCE));
        }
        for (int i = 1; i <= WORKLOADS; i++) {
            SimNode node = nodes.get(random.nextInt(nodes.size()));
            SimWorkload workload = new SimWorkload(AllocationId.of("e" + i), node, requests(node));
            workloads.add(workload);
            host.status(workload.id, node.id, AllocationStatus.RUNNING);
            world.scheduler().soon(ARRIVAL, () -> claim(workload));
        }
    }

    /** No more than the node can ever take: whoever wants more waits for good. */
    private List<ClaimRequest> requests(SimNode node) {
        List<VolumeKey> keys = new ArrayList<>(volumes.declared());
        SimVolumes.shuffle(keys, random);
        long most = Math.min(world.room().most(node), Math.min(keys.size(), 1 + random.nextInt(3)));
        return keys.stream().limit(most).map(volumes::request).toList();
    }

    private void claim(SimWorkload workload) {
        CompletableFuture<ClaimGrant> claim =
                server.ask("claim", engine -> engine.claims().claim(workload.id, workload.requests));
        workload.claim = claim;
        world.order().asked(server.asked(), workload.id, workload.requests, claim);
        var unused = claim.whenComplete((grant, failure) -> {
            boolean reachable = world.reaches(workload.node, workload.requests);
            if (failure == null) {
                if (!reachable) {
                    world.violated("R24: " + workload.id + " is granted what " + workload.node.id + " cannot reach");
                }
                workload.granted = true;
                world.scheduler().soon(LIFE, () -> end(workload));
                lose(workload);
            } else if (!reachable) {
                // It waits for nothing: that would never come.
                workload.paused = true;
            } else if (!workload.paused) {
                world.violated("I7: nothing is wrong, and " + workload.id + " is refused: " + failure.getMessage());
            }
        });
        if (random.nextInt(3) == 0) {
            world.scheduler().soon(PATIENCE, () -> {
                if (!workload.granted) {
                    workload.paused = true;
                    workload.giveUp();
                }
            });
        }
    }

    /** One of them has a volume detached by hand, and goes on until it has it again. */
    private void lose(SimWorkload workload) {
        if (loser == null
                && workload.requests.stream().anyMatch(request -> world.drift().lose(volumes, request.volume()))) {
            loser = workload;
        }
    }

    private void end(SimWorkload workload) {
        boolean missing =
                workload.requests.stream().anyMatch(request -> world.drift().anyMissing(request.volume()));
        if (workload.equals(loser) && missing) {
            world.scheduler().soon(LIFE, () -> end(workload));
            return;
        }
        workload.over = true;
        host.status(workload.id, workload.node.id, AllocationStatus.ENDED);
    }

    /** Whether all are served, and those that did not wait have nothing. */
    boolean settled() {
        return remains().isEmpty();
    }

    /** Who waits, or has what it should not have. */
    String remains() {
        StringBuilder text = new StringBuilder();
        for (SimWorkload workload : workloads) {
            if (!workload.over && !workload.paused) {
                text.append(' ').append(workload.id).append(workload.granted ? " runs" : " waits");
            }
            for (ClaimRequest request : workload.requests) {
                boolean holds = volumes.known(request.volume())
                        .flatMap(volume -> volume.claims().get(workload.id))
                        .isPresent();
                if (workload.paused && holds) {
                    text.append(' ')
                            .append(workload.id)
                            .append(" did not wait, and holds ")
                            .append(request.volume());
                }
            }
        }
        return text.toString();
    }

    /** Those that did not wait end too. */
    void endAll() {
        workloads.stream().filter(workload -> !workload.over).forEach(this::end);
    }
}
