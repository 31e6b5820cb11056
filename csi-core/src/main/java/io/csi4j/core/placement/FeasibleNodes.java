package io.csi4j.core.placement;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.command.Admission;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.PlacementFacts;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.state.Placement;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * On which nodes an allocation that is not placed yet could have its volumes, as of one state and with what
 * the same plan of the scheduler places before it. Immutable as far as its state is: take a snapshot.
 */
public final class FeasibleNodes {
    /** Stands for the allocation that is asked about. */
    private static final AllocationId TRIAL = AllocationId.of("-");

    private final StateReader state;
    /** Volumes as they would be once all that is proposed is claimed. */
    private final Map<VolumeKey, Volume> proposed;

    private FeasibleNodes(StateReader state, Map<VolumeKey, Volume> proposed) {
        this.state = state;
        this.proposed = proposed;
    }

    /**
     * As of a state, with nothing proposed.
     *
     * @param state a snapshot
     * @return the check
     */
    public static FeasibleNodes in(StateReader state) {
        Objects.requireNonNull(state, "state");
        return new FeasibleNodes(state, Map.of());
    }

    /**
     * The same, with one more allocation of the same plan placed. What it cannot claim there does not count:
     * the transaction would refuse it.
     *
     * @param placement what is proposed
     * @return another check
     */
    public FeasibleNodes with(ProposedPlacement placement) {
        Objects.requireNonNull(placement, "placement");
        Map<VolumeKey, Volume> after = new HashMap<>(proposed);
        FeasibleNodes next = new FeasibleNodes(state, after);
        if (next.claims(placement, after).isEmpty()) {
            return next;
        }
        return this;
    }

    /**
     * The same, once an allocation has stopped and its claims are released: one that the same plan replaces, or
     * preempts. What is admitted only because of that cannot be reserved yet, for the transaction goes by the claims
     * there are; place it, have it ask for its claims, and it waits for the release in its turn.
     *
     * @param allocationId who is to stop; one that claims nothing changes nothing
     * @return another check
     */
    public FeasibleNodes without(AllocationId allocationId) {
        Objects.requireNonNull(allocationId, "allocationId");
        Map<VolumeKey, Volume> after = new HashMap<>(proposed);
        for (VolumeKey key : state.volumesClaimedBy(allocationId)) {
            volume(key).ifPresent(volume -> after.put(key, volume));
        }
        after.replaceAll((key, volume) -> released(volume, allocationId));
        return new FeasibleNodes(state, after);
    }

    /**
     * Whether an allocation could have all its volumes on a node. It does not ask who waits for them: what is free may be
     * somebody else's next.
     *
     * @param namespace the allocation's namespace
     * @param nodeId the node
     * @param requests what it would claim; possibly nothing; several of one volume are {@link ClaimRequest#merged}
     * @return admitted, or what is in the way, for each volume
     */
    public NodeAnswer on(Namespace namespace, NodeId nodeId, List<ClaimRequest> requests) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(requests, "requests");
        Set<VolumeKey> missing = missing(requests);
        List<ClaimRequest> merged = ClaimRequest.merged(requests);
        Map<VolumeKey, AdmissionDecision> refusals = new TreeMap<>(Admission.conflictingRequests(merged));
        refusals.keySet().removeAll(missing);
        FeasibleNodes trial = new FeasibleNodes(state, new HashMap<>(proposed));
        for (ClaimRequest request : merged) {
            trial.volume(request.volume()).ifPresent(volume -> {
                PlacementFacts facts = trial.facts(volume, nodeId);
                AdmissionDecision decision = Admission.decide(volume, request, namespace, facts);
                if (!decision.admitted()) {
                    refusals.putIfAbsent(request.volume(), decision);
                }
                // Counted in any case, so that what is said about the next volume holds once this one is to be had.
                trial.proposed.put(volume.key(), claimed(volume, request, facts, TRIAL));
            });
        }
        return new NodeAnswer(nodeId, missing, refusals);
    }

    /**
     * The answers for all nodes the host told of.
     *
     * @param namespace the allocation's namespace
     * @param requests what the allocation would claim; possibly nothing
     * @return one answer for each node, in the order of their ids
     */
    public List<NodeAnswer> onAll(Namespace namespace, List<ClaimRequest> requests) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(requests, "requests");
        List<NodeAnswer> answers = new ArrayList<>();
        for (Node node : state.nodes()) {
            answers.add(on(namespace, node.id(), requests));
        }
        return List.copyOf(answers);
    }

    /**
     * Which volumes are not known: no node will do before they are registered. What is answered is what to
     * wait for.
     *
     * @param requests what the allocation would claim
     * @return their keys in order
     */
    public Set<VolumeKey> missing(List<ClaimRequest> requests) {
        Objects.requireNonNull(requests, "requests");
        Set<VolumeKey> missing = new TreeSet<>();
        for (ClaimRequest request : requests) {
            if (volume(request.volume()).isEmpty()) {
                missing.add(request.volume());
            }
        }
        return missing;
    }

    private Optional<Volume> volume(VolumeKey key) {
        Volume known = proposed.get(key);
        return known == null ? state.volume(key) : Optional.of(known);
    }

    /** The facts of the transaction, and what is proposed: attachments to be, or to go, count on the node too (B12). */
    private PlacementFacts facts(Volume volume, NodeId nodeId) {
        PlacementFacts facts = Placement.facts(state, volume, nodeId);
        boolean limited = facts.nodeInfo()
                .map(NodeInfo::maxVolumesPerNode)
                .filter(most -> most > 0)
                .isPresent();
        if (!limited) {
            return facts;
        }
        long others = facts.otherVolumes();
        for (Volume other : proposed.values()) {
            if (!other.key().equals(volume.key()) && other.pluginId().equals(volume.pluginId())) {
                boolean now =
                        state.volume(other.key()).filter(is -> is.isOn(nodeId)).isPresent();
                others += (other.isOn(nodeId) ? 1 : 0) - (now ? 1 : 0);
            }
        }
        return new PlacementFacts(
                facts.nodeId(), facts.node(), facts.nodeInstance(), facts.plugin(), facts.healthyController(), others);
    }

    /** Claims for a placement as the transaction does; answers why not, or nothing. */
    private Optional<AdmissionDecision> claims(ProposedPlacement placement, Map<VolumeKey, Volume> after) {
        List<ClaimRequest> requests = ClaimRequest.merged(placement.requests());
        Optional<AdmissionDecision> never =
                Admission.conflictingRequests(requests).values().stream().findFirst();
        if (never.isPresent()) {
            return never;
        }
        for (ClaimRequest request : requests) {
            Optional<Volume> volume = volume(request.volume());
            if (volume.isEmpty()) {
                return Optional.of(new AdmissionDecision.Admitted(false));
            }
            PlacementFacts facts = facts(volume.get(), placement.nodeId());
            AdmissionDecision decision =
                    Admission.decide(volume.get(), request, placement.allocationId(), placement.namespace(), facts);
            if (!decision.admitted()) {
                return Optional.of(decision);
            }
            if (decision.equals(new AdmissionDecision.Admitted(false))) {
                after.put(request.volume(), claimed(volume.get(), request, facts, placement.allocationId()));
            }
        }
        return Optional.empty();
    }

    /** The volume with one more claim, and with the attachment that goes with it. */
    private static Volume claimed(
            Volume volume, ClaimRequest request, PlacementFacts facts, AllocationId allocationId) {
        Claim claim = Claim.builder(allocationId, facts.nodeId(), request.mode(), request.capability())
                .mountOptions(request.mountOptions())
                .build();
        Volume.Builder builder = volume.toBuilder().claims(volume.claims().with(claim));
        if (facts.controllerNeed() == ControllerNeed.REQUIRED
                && volume.attachments().on(facts.nodeId()).isEmpty()) {
            builder.attachments(volume.attachments()
                    .with(Attachment.builder(facts.nodeId(), request.capability())
                            .readonly(facts.attachReadonly(request))
                            .build()));
        }
        return builder.build();
    }

    /** The volume with one claim less, and without the attachment that nobody else uses. */
    private static Volume released(Volume volume, AllocationId allocationId) {
        Optional<Claim> claim = volume.claims().get(allocationId);
        if (claim.isEmpty()) {
            return volume;
        }
        NodeId nodeId = claim.get().nodeId();
        Claims claims = volume.claims().without(allocationId);
        Volume.Builder builder = volume.toBuilder().claims(claims);
        if (claims.on(nodeId).isEmpty()) {
            builder.attachments(volume.attachments().without(nodeId));
        }
        return builder.build();
    }
}
