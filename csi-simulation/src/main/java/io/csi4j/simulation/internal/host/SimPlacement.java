package io.csi4j.simulation.internal.host;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.simulation.PlacementPolicy;
import io.csi4j.simulation.PlacementRequest;
import io.csi4j.simulation.internal.world.AdmissionCheck;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler: it prefers nodes that can reach the volumes. Sometimes it starts an allocation and claims its volumes
 * in one command.
 */
public final class SimPlacement {
    /** So many answers in a row without a node, while a node can take the claims, starve a workload. */
    private static final int STARVING = 12;

    private final SimWorld world;
    private final SimHost host;
    private final SimVolumes volumes;
    private final Map<AllocationId, Integer> refusedFreeNodes = new HashMap<>();
    private final @Nullable PlacementPolicy underTest;
    private final SplittableRandom random;

    public SimPlacement(
            SimWorld world,
            SimHost host,
            SimVolumes volumes,
            @Nullable PlacementPolicy underTest,
            SplittableRandom random) {
        this.underTest = underTest;
        this.world = world;
        this.host = host;
        this.volumes = volumes;
        this.random = random;
    }

    /**
     * Returns the node that the placement under test chooses. If there is no placement under test, returns a random
     * node. Empty: the placement chose no existing node.
     */
    Optional<SimNode> choose(AllocationId id, List<ClaimRequest> requests) {
        return underTest == null ? Optional.of(node(requests)) : placed(underTest, id, requests);
    }

    /** Asks the placement under test, and checks its answer. */
    private Optional<SimNode> placed(PlacementPolicy placement, AllocationId id, List<ClaimRequest> requests) {
        StateReader state = world.store().snapshot();
        Namespace namespace = Namespace.of(SimVolumes.NAMESPACE);
        Optional<NodeId> chosen = world.callScheduler(
                        "placement",
                        () -> placement.place(new PlacementRequest(id, namespace, requests, random), state))
                .flatMap(Function.identity());
        FeasibleNodes feasible = FeasibleNodes.in(state);
        Optional<NodeAnswer> better = feasible.onAll(namespace, requests).stream()
                .filter(NodeAnswer::admitted)
                .findFirst();
        if (chosen.isEmpty()) {
            better.ifPresent(free -> starves(id, free));
            return Optional.empty();
        }
        SimNode node = world.node(chosen.get());
        if (node == null) {
            world.reportViolation("placement: " + id + " is placed on " + chosen.get() + ", which is no node");
            return Optional.empty();
        }
        NodeAnswer answer = feasible.on(namespace, node.id, requests);
        if (!answer.admitted() && better.isPresent()) {
            world.reportViolation("placement: " + id + " is placed on " + node.id + ", which "
                    + (answer.never() ? "can never take its claims; " : "cannot take its claims now; ")
                    + better.get().nodeId() + " can: " + answer);
        }
        return Optional.of(node);
    }

    private void starves(AllocationId id, NodeAnswer free) {
        if (refusedFreeNodes.merge(id, 1, Integer::sum) == STARVING) {
            world.reportViolation("placement: " + id + " starves: it was placed on no node " + STARVING
                    + " times, although a node could take its claims, the last time " + free.nodeId());
        }
    }

    /**
     * Returns a random node, or at times a node on which the first volume is in use, so that several allocations share
     * it.
     */
    private SimNode node(List<ClaimRequest> requests) {
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
     * Starts the allocation, sometimes with a reservation of its volumes. The reservation must succeed if, and only if,
     * the placement admits the volumes on this node.
     */
    public void begin(AllocationId id, SimNode node, List<ClaimRequest> mounts) {
        if (random.nextInt(6) > 0) {
            host.status(id, node.id, AllocationStatus.RUNNING);
            return;
        }
        world.coverage().operation("reserve");
        var placed = host.command(id, node.id, AllocationStatus.RUNNING);
        NodeAnswer answer = FeasibleNodes.in(world.store().snapshot()).on(placed.namespace(), node.id, mounts);
        List<ClaimRequest> claims = ClaimRequest.merged(mounts);
        int before = world.applied().size();
        Outcome outcome = world.applyFromHost(
                new Batch(List.of(placed, new ClaimCommand.TakeClaims(id, claims, placed.at())), placed.at()));
        // Compares with the placement's answer only if no other command was applied in between, because a log under
        // test may have committed other commands first.
        boolean next = world.applied().size() == before + 1;
        if (next && outcome.accepted() != answer.admitted() && !AdmissionCheck.makes(answer, outcome)) {
            world.reportViolation("I12: " + answer + " and the reservation for " + id + " ended with " + outcome);
        }
        if (!outcome.accepted()) {
            host.status(id, node.id, AllocationStatus.RUNNING);
        }
    }
}
