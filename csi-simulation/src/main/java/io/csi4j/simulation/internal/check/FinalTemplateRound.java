package io.csi4j.simulation.internal.check;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.simulation.internal.host.SimHost;
import io.csi4j.simulation.internal.host.SimTemplates;
import io.csi4j.simulation.internal.host.SimWorkload;
import io.csi4j.simulation.internal.node.NodeSide;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A claim that makes its volumes after all faults have ended. At first all zones are full, and the plugin says so; some time
 * after there is capacity again, the claim has to be granted: no old number may refuse it for ever.
 */
public final class FinalTemplateRound {
    private static final Duration FULL = Duration.ofSeconds(40);
    private static final Duration RETRY = Duration.ofSeconds(10);
    private static final Duration LIFETIME = Duration.ofSeconds(5);
    /** Longer than an answer about the capacity counts. */
    private static final Duration LONGEST_REFUSAL = Duration.ofMinutes(3);

    private final SimWorld world;
    private final NodeSide side;
    private final SimHost host;
    private final SimServer server;
    private @Nullable SimWorkload workload;
    private Duration end = Duration.ZERO;

    public FinalTemplateRound(SimWorld world, NodeSide side, SimHost host, SimServer server) {
        this.world = world;
        this.side = side;
        this.host = host;
        this.server = server;
    }

    /** Begins the round, if workloads of this run make volumes. */
    public void begin() {
        if (!world.made().active()) {
            return;
        }
        List<SimNode> nodes = world.nodes().values().stream()
                .filter(SimNode::answers)
                .filter(node ->
                        !world.traits().zones() || world.topology().of(node).isPresent())
                .toList();
        if (nodes.isEmpty()) {
            return;
        }
        SimNode node = nodes.get(world.made().random().nextInt(nodes.size()));
        AllocationId id = AllocationId.of("t1");
        SimWorkload last = new SimWorkload(id, node, SimTemplates.lastRequests(world, id));
        workload = last;
        boolean full = world.made().reportsCapacity() && world.traits().zones();
        if (full) {
            world.topology().limitZones(() -> 0);
            world.scheduler().after(FULL, world.topology()::endLimits);
        }
        end = world.scheduler().elapsed().plus(full ? FULL.plus(LONGEST_REFUSAL) : Duration.ZERO);
        host.status(id, node.id, AllocationStatus.RUNNING);
        node.start(id);
        world.made().requested(id, last.requests);
        world.scheduler().within(RETRY, () -> claim(last));
    }

    private void claim(SimWorkload last) {
        world.trace().note("host", last.id + " claims " + last.volumes());
        CompletableFuture<ClaimGrant> claim =
                server.request("claim", engine -> engine.claims().claim(last.id, last.mounts));
        last.claim = claim;
        world.order().onClaimRequested(server.lastTarget(), last.id, last.requests, claim);
        var unused = claim.whenComplete((grant, failure) -> {
            if (failure == null) {
                mountAll(last, grant);
            } else {
                refused(last, failure);
            }
        });
    }

    void refused(SimWorkload last, Throwable failure) {
        boolean over = world.scheduler().elapsed().compareTo(end) >= 0;
        if (isFull(failure) && !over) {
            world.scheduler().after(RETRY, () -> claim(last));
        } else if (isFull(failure) && end.compareTo(Duration.ZERO) > 0) {
            world.reportViolation("I7: old capacity refuses " + last.id + ": " + failure.getMessage());
        } else {
            fails(last, failure);
        }
    }

    private void fails(SimWorkload last, Throwable failure) {
        world.reportViolation("I7: the claim of made volumes fails without any fault: " + last.id + ": " + failure);
    }

    private static boolean isFull(Throwable failure) {
        return failure instanceof RejectedException rejected
                && rejected.reason() instanceof Rejection.NotAdmitted refused
                && refused.decision() instanceof AdmissionDecision.Never never
                && never.reason() == NeverReason.NO_CAPACITY_IN_TOPOLOGY;
    }

    private void mountAll(SimWorkload last, ClaimGrant grant) {
        last.granted = true;
        CompletableFuture<?>[] mounts = grant.volumes().stream()
                .map(volume -> side.mount(last.node, volume, last.mounts))
                .toArray(CompletableFuture<?>[]::new);
        var unused = CompletableFuture.allOf(mounts).whenComplete((nothing, failure) -> {
            if (failure != null) {
                fails(last, failure);
            }
            world.scheduler().within(LIFETIME, () -> {
                last.ended = true;
                last.node.stop(last.id);
                host.status(last.id, last.node.id, AllocationStatus.ENDED);
            });
        });
    }

    /** Returns a text that names the workload that is not finished; empty: there is none. */
    public String remaining() {
        SimWorkload last = workload;
        return last == null || last.ended ? "" : " " + last.id + (last.granted ? " runs" : " waits");
    }
}
