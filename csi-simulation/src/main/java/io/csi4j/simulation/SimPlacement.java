package io.csi4j.simulation;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.placement.Reservation;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * The scheduler: it prefers nodes that can reach the volumes, and sometimes reserves the volumes with the allocation.
 */
final class SimPlacement {
    private final SimWorld world;
    private final SimHost host;
    private final SimVolumes volumes;
    private final SplittableRandom random;

    SimPlacement(SimWorld world, SimHost host, SimVolumes volumes, SplittableRandom random) {
        this.world = world;
        this.host = host;
        this.volumes = volumes;
        this.random = random;
    }

    /** Any node, or one on which the volume is in use, so that several allocations share it. */
    SimNode node(List<ClaimRequest> requests) {
        VolumeKey key = requests.get(0).volume();
        List<SimNode> nodes = new ArrayList<>(world.nodes().values());
        if (random.nextInt(4) > 0) {
            nodes.removeIf(node -> !world.reaches(node, requests));
            nodes = nodes.isEmpty() ? new ArrayList<>(world.nodes().values()) : nodes;
        }
        Optional<SimNode> inUse = volumes.find(key)
                .map(Volume::claims)
                .filter(claims -> !claims.isEmpty())
                .flatMap(claims ->
                        Optional.ofNullable(world.node(claims.nodeIds().get(0))));
        SimNode candidate = nodes.get(random.nextInt(nodes.size()));
        return random.nextBoolean() ? inUse.orElse(candidate) : candidate;
    }

    /**
     * Starts the allocation, sometimes with a reservation of its volumes, which must succeed exactly if placement admits it.
     */
    void begin(AllocationId id, SimNode node, List<ClaimRequest> requests) {
        if (random.nextInt(6) > 0) {
            host.status(id, node.id, AllocationStatus.RUNNING);
            return;
        }
        world.coverage().operation("reserve");
        var placed = host.command(id, node.id, AllocationStatus.RUNNING);
        NodeAnswer answer = FeasibleNodes.in(world.store().snapshot()).on(placed.namespace(), node.id, requests);
        Outcome outcome = world.applyFromHost(Reservation.of(placed, requests));
        if (outcome.accepted() != answer.admitted()) {
            world.reportViolation("I12: " + answer + " and the reservation for " + id + " ended with " + outcome);
        }
        if (!outcome.accepted()) {
            host.status(id, node.id, AllocationStatus.RUNNING);
        }
    }

    /** Placement and the command must decide alike, and no claim may be out of reach (R24). */
    static void checkDecision(SimWorld world, ClaimCommand.TakeClaims take, StateReader before, Outcome outcome) {
        Optional<Allocation> claimant =
                before.allocation(take.allocationId()).filter(allocation -> !allocation.ended());
        boolean holdsClaim = take.requests().stream()
                .anyMatch(request -> before.volume(request.volume())
                        .filter(volume ->
                                volume.claims().get(take.allocationId()).isPresent())
                        .isPresent());
        if (claimant.isEmpty() || holdsClaim) {
            return;
        }
        NodeId nodeId = claimant.get().nodeId();
        NodeAnswer answer = FeasibleNodes.in(before).on(claimant.get().namespace(), nodeId, take.requests());
        if (outcome.accepted() != answer.admitted()) {
            world.reportViolation(
                    "I12: " + answer + " and the claims of " + take.allocationId() + " ended with " + outcome);
        }
        SimNode node = Objects.requireNonNull(world.node(nodeId), "no such node");
        if (outcome.accepted()) {
            take.requests().stream()
                    .map(request -> world.externalId(request.volume()))
                    .filter(id -> id != null && !world.topology().reaches(node, id))
                    .forEach(id -> world.reportViolation(
                            "R24: " + id + " is claimed by " + take.allocationId() + ", out of reach of " + node.id));
        } else if (outcome instanceof Outcome.Rejected rejected
                && rejected.reason() instanceof Rejection.NotAdmitted refused) {
            checkRefusal(world, node, answer, refused);
        }
    }

    private static void checkRefusal(SimWorld world, SimNode node, NodeAnswer answer, Rejection.NotAdmitted refused) {
        if (!refused.decision().equals(answer.refusals().get(refused.key()))) {
            world.reportViolation("I12: " + answer + " and the claims ended with " + refused);
        }
        if (refused.decision() instanceof AdmissionDecision.Never never && never.reason() == NeverReason.OUT_OF_REACH) {
            world.coverage().fault("claim out of reach");
            ExternalVolumeId id = world.externalId(refused.key());
            if (id == null || world.topology().reaches(node, id)) {
                world.reportViolation("R24: " + refused.key() + " is reported out of reach of " + node.id);
            }
        }
    }
}
