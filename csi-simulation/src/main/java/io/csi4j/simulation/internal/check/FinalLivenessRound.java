package io.csi4j.simulation.internal.check;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.state.StateReader;
import io.csi4j.simulation.internal.host.SimHost;
import io.csi4j.simulation.internal.host.SimWorkload;
import io.csi4j.simulation.internal.node.NodeSide;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A round of claims after all faults have ended: workloads claim several volumes each, in different orders; some store their
 * requests, and some cancel.
 * Nodes may be unreachable for a moment, but no call fails. Each waiting claim must be granted, which shows that there is no
 * deadlock and no lost wake-up; a cancelled claim must hold nothing, which shows that there is no leak.
 */
public final class FinalLivenessRound {
    private static final int WORKLOADS = 6;
    private static final Duration MAX_ARRIVAL_DELAY = Duration.ofSeconds(3);
    private static final Duration MAX_CANCEL_DELAY = Duration.ofSeconds(4);
    private static final Duration LIFETIME = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofSeconds(1);
    /** The longest time without contact to a node: shorter than the grace period of each volume. */
    private static final Duration CONTACT_LOSS = Duration.ofSeconds(10);

    private final SimWorld world;
    private final NodeSide side;
    private final SimHost host;
    private final SimServer server;
    private final SimVolumes volumes;
    private final SplittableRandom random;
    private final List<SimWorkload> workloads = new ArrayList<>();
    private @Nullable SimWorkload detachedWorkload;

    public FinalLivenessRound(
            SimWorld world,
            NodeSide side,
            SimHost host,
            SimServer server,
            SimVolumes volumes,
            SplittableRandom random) {
        this.world = world;
        this.side = side;
        this.host = host;
        this.server = server;
        this.volumes = volumes;
        this.random = random;
    }

    public void begin() {
        world.trace().note("host", "final liveness round");
        List<SimNode> nodes =
                world.nodes().values().stream().filter(SimNode::answers).toList();
        world.capacity().startFinalRound();
        if (random.nextBoolean()) {
            nodes.forEach(node -> host.loseContact(node, CONTACT_LOSS));
        }
        for (int i = 1; i <= WORKLOADS; i++) {
            SimNode node = nodes.get(random.nextInt(nodes.size()));
            SimWorkload workload = new SimWorkload(AllocationId.of("e" + i), node, requests(node));
            workloads.add(workload);
            host.status(workload.id, node.id, AllocationStatus.RUNNING);
            node.start(workload.id);
            boolean stored = random.nextInt(3) == 0;
            world.scheduler().within(MAX_ARRIVAL_DELAY, () -> {
                if (stored) {
                    storeRequest(workload);
                } else {
                    claim(workload);
                    if (random.nextInt(3) == 0) {
                        world.scheduler().within(MAX_CANCEL_DELAY, () -> cancel(workload));
                    }
                }
            });
        }
    }

    /** Requests at most as many volumes as can be attached to the node; a larger claim would wait forever. */
    private List<ClaimRequest> requests(SimNode node) {
        List<VolumeKey> keys = new ArrayList<>(volumes.declared());
        SimVolumes.shuffle(keys, random);
        long count = Math.min(world.capacity().max(node), Math.min(keys.size(), 1 + random.nextInt(3)));
        return keys.stream()
                .limit(count)
                .flatMap(key -> volumes.mounts(key).stream())
                .toList();
    }

    /** Stores the request for claims; the leader has to take them although no caller waits. */
    private void storeRequest(SimWorkload workload) {
        world.trace().note("host", workload.id + " stores its request for " + workload.volumes());
        var unused = server.request("store a request", engine -> engine.claims().request(workload.id, workload.mounts))
                .whenComplete((stored, failure) -> {
                    if (failure != null) {
                        refused(workload, failure);
                    } else if (random.nextInt(3) == 0) {
                        world.scheduler().within(MAX_CANCEL_DELAY, () -> withdraw(workload));
                    } else {
                        awaitClaims(workload);
                    }
                });
    }

    private void withdraw(SimWorkload workload) {
        world.trace().note("host", workload.id + " withdraws its request");
        workload.paused = true;
        var unused =
                server.request("withdraw a request", engine -> engine.claims().withdraw(workload.id));
    }

    /** Asks for the grant when the leader has taken the claims of a stored request. */
    private void awaitClaims(SimWorkload workload) {
        StateReader state = world.store().snapshot();
        if (state.requestedClaimsOf(workload.id).iterator().hasNext()) {
            world.scheduler().after(POLL, () -> awaitClaims(workload));
        } else {
            claim(workload);
        }
    }

    private void claim(SimWorkload workload) {
        world.trace().note("host", workload.id + " claims " + workload.volumes());
        CompletableFuture<ClaimGrant> claim =
                server.request("claim", engine -> engine.claims().claim(workload.id, workload.mounts));
        workload.claim = claim;
        world.order().onClaimRequested(server.lastTarget(), workload.id, workload.requests, claim);
        var unused = claim.whenComplete((grant, failure) -> {
            if (failure == null) {
                granted(workload, grant);
            } else {
                refused(workload, failure);
            }
        });
    }

    private void cancel(SimWorkload workload) {
        if (!workload.granted) {
            workload.paused = true;
            workload.cancelClaim();
        }
    }

    void granted(SimWorkload workload, ClaimGrant grant) {
        if (!world.reaches(workload.node, workload.requests)) {
            world.reportViolation("R24: " + workload.id + " is granted what " + workload.node.id + " cannot reach");
        }
        workload.granted = true;
        mountAll(workload, grant);
    }

    void refused(SimWorkload workload, Throwable failure) {
        if (!world.reaches(workload.node, workload.requests)) {
            // No violation: the claim is refused because the volume can never be reached from this node.
            workload.paused = true;
        } else if (!workload.paused) {
            world.reportViolation("I7: without any fault " + workload.id + " is refused: " + failure.getMessage());
        }
    }

    /**
     * Mounts the granted volumes and reports a violation if a mount fails, because no faults occur in this round. The
     * workload ends some time later.
     */
    private void mountAll(SimWorkload workload, ClaimGrant grant) {
        CompletableFuture<?>[] mounts = grant.volumes().stream()
                .map(volume -> side.mount(workload.node, volume, workload.mounts))
                .toArray(CompletableFuture<?>[]::new);
        var unused = CompletableFuture.allOf(mounts).whenComplete((nothing, failure) -> {
            if (failure != null) {
                world.reportViolation("I7: without any fault " + workload.id + " cannot mount: " + failure);
            }
            world.scheduler().within(LIFETIME, () -> end(workload));
            detachOne(workload);
        });
    }

    /** Detaches a volume of one workload manually; the workload runs until the engine has attached it again. */
    private void detachOne(SimWorkload workload) {
        if (detachedWorkload == null
                && workload.requests.stream()
                        .anyMatch(request -> world.drift().detachWanted(volumes, request.volume()))) {
            detachedWorkload = workload;
        }
    }

    private void end(SimWorkload workload) {
        boolean unrepaired =
                workload.requests.stream().anyMatch(request -> world.drift().anyMissing(request.volume()));
        if (workload.equals(detachedWorkload) && unrepaired) {
            world.scheduler().within(LIFETIME, () -> end(workload));
            return;
        }
        workload.ended = true;
        workload.node.stop(workload.id);
        host.status(workload.id, workload.node.id, AllocationStatus.ENDED);
    }

    /**
     * Whether each workload was granted its volumes or has cancelled its claims, and no cancelled workload holds a
     * claim.
     */
    public boolean settled() {
        return remaining().isEmpty();
    }

    /** Returns a text that names the workloads that still wait, and the cancelled workloads that hold a claim. */
    public String remaining() {
        StringBuilder text = new StringBuilder();
        for (SimWorkload workload : workloads) {
            if (!workload.ended && !workload.paused) {
                text.append(' ').append(workload.id).append(workload.granted ? " runs" : " waits");
            }
            for (ClaimRequest request : workload.requests) {
                boolean holds = volumes.find(request.volume())
                        .flatMap(volume -> volume.claims().get(workload.id))
                        .isPresent();
                if (workload.paused && holds) {
                    text.append(' ')
                            .append(workload.id)
                            .append(" cancelled its claim, but still holds ")
                            .append(request.volume());
                }
            }
        }
        return text.toString();
    }

    /** Ends the workloads that cancelled their claims. */
    public void endAll() {
        workloads.stream().filter(workload -> !workload.ended).forEach(this::end);
    }
}
