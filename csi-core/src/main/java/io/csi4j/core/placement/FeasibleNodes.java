package io.csi4j.core.placement;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.Placement;
import io.csi4j.core.internal.apply.TemplateVolumes;
import io.csi4j.core.internal.apply.Verifications;
import io.csi4j.core.internal.capacity.CapacityRule;
import io.csi4j.core.internal.capacity.CapacityUse;
import io.csi4j.core.internal.command.Admission;
import io.csi4j.core.internal.command.PlacementFacts;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.StorageCapacity;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Finds the nodes on which an allocation could claim its volumes. The answers are based on one given state, and on the
 * placements that the scheduler has already proposed in the same plan. Immutable if the given state is a snapshot.
 */
public final class FeasibleNodes {
    /** A placeholder for the id of the allocation that is to be placed. */
    private static final AllocationId TRIAL = AllocationId.of("-");

    private final StateReader state;
    /** The volumes as they would be after all proposed placements. */
    private final Map<VolumeKey, Volume> proposed;

    private final StorageCapacity capacity;
    /** The volumes that are being made, and those that the proposed placements would make. */
    private final CapacityUse use;
    /** The nodes that do not exist yet. */
    private final SortedMap<NodeId, NodeDescription> described;

    private FeasibleNodes(
            StateReader state,
            Map<VolumeKey, Volume> proposed,
            StorageCapacity capacity,
            CapacityUse use,
            SortedMap<NodeId, NodeDescription> described) {
        this.state = state;
        this.proposed = proposed;
        this.capacity = capacity;
        this.use = use;
        this.described = described;
    }

    /**
     * Creates an object that checks whether claims can be granted on the nodes of the given state. It does not take any
     * proposed placements into account.
     *
     * @param state a snapshot
     */
    public static FeasibleNodes in(StateReader state) {
        Objects.requireNonNull(state, "state");
        return new FeasibleNodes(
                state, Map.of(), StorageCapacity.unknown(), CapacityUse.of(state), Collections.emptySortedMap());
    }

    /**
     * Returns a copy of this object that knows the free capacity for volumes that claims make from templates. It counts for
     * the order of {@link #ranked}; for classes with {@link io.csi4j.core.volume.CapacityCheck#REQUIRED} it also excludes
     * nodes, with {@link io.csi4j.core.command.NeverReason#NO_CAPACITY_IN_TOPOLOGY}. Volumes that are being made, or that
     * proposed placements make, are subtracted.
     *
     * @param known {@code cluster().storageCapacity()} of the engine that leads; that of another one knows nothing
     */
    public FeasibleNodes withCapacity(StorageCapacity known) {
        return new FeasibleNodes(state, proposed, Objects.requireNonNull(known, "known"), use, described);
    }

    /**
     * Returns a copy of this object in which there is one more node, which does not exist yet. An autoscaler uses it to find
     * out whether a new node would help. The answers for it have the same reasons as those for other nodes.
     *
     * @throws IllegalArgumentException if there is a node with this id
     */
    public FeasibleNodes withNode(NodeDescription node) {
        Objects.requireNonNull(node, "node");
        if (described.containsKey(node.nodeId()) || state.node(node.nodeId()).isPresent()) {
            throw new IllegalArgumentException(
                    "FeasibleNodes: node " + node.nodeId() + " exists; describe the new one with another id");
        }
        SortedMap<NodeId, NodeDescription> more = new TreeMap<>(described);
        more.put(node.nodeId(), node);
        return new FeasibleNodes(state, proposed, capacity, use, Collections.unmodifiableSortedMap(more));
    }

    private FeasibleNodes after(Map<VolumeKey, Volume> placements, CapacityUse made) {
        return new FeasibleNodes(state, placements, capacity, made, described);
    }

    /**
     * Returns a copy of this object that takes one more proposed placement into account. A placement with a claim that
     * cannot be taken is ignored, because the transaction would reject the whole placement.
     */
    public FeasibleNodes with(ProposedPlacement placement) {
        Objects.requireNonNull(placement, "placement");
        Map<VolumeKey, Volume> after = new HashMap<>(proposed);
        FeasibleNodes next = after(after, use.copy());
        if (next.applyClaims(placement, after).isEmpty()) {
            return next;
        }
        return this;
    }

    /**
     * Returns a copy of this object that assumes that an allocation has stopped and that its claims are released. A
     * scheduler uses it for an allocation that it replaces or preempts. Until the claims are released, a
     * {@linkplain ProposedPlacement#reservation reservation} for a new allocation that needs the same volumes is
     * rejected. Place the new allocation
     * without a reservation; its claims then wait for the release.
     *
     * @param allocationId the allocation to stop; an allocation without claims changes nothing
     */
    public FeasibleNodes without(AllocationId allocationId) {
        Objects.requireNonNull(allocationId, "allocationId");
        Map<VolumeKey, Volume> after = new HashMap<>(proposed);
        for (VolumeKey key : state.volumesClaimedBy(allocationId)) {
            volume(key).ifPresent(volume -> after.put(key, volume));
        }
        after.replaceAll((key, volume) -> released(volume, allocationId));
        return after(after, use);
    }

    /**
     * Returns whether an allocation could claim all its volumes on a node. Ignores waiting claims: another request that
     * waits may get a free volume first.
     *
     * @param namespace the allocation's namespace
     * @param requests the claim requests; may be empty; several requests for one volume are {@link ClaimRequest#merged}
     * @return whether the node is feasible, and the reason for each volume that could not be claimed
     */
    public NodeAnswer on(Namespace namespace, NodeId nodeId, List<ClaimRequest> requests) {
        return scored(namespace, nodeId, requests).answer();
    }

    /** Returns the answer for a node, with what is known about the capacity there. */
    private RankedNode scored(Namespace namespace, NodeId nodeId, List<ClaimRequest> requests) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(requests, "requests");
        Set<VolumeKey> missing = missing(requests);
        Allocation allocation = placed(TRIAL, namespace, nodeId);
        List<ClaimRequest> merged = ClaimRequest.merged(requests);
        Map<VolumeKey, AdmissionDecision> refusals = new TreeMap<>(ClaimRequest.conflicts(merged));
        refusals.keySet().removeAll(missing);
        FeasibleNodes trial = after(new HashMap<>(proposed), use.copy());
        List<CapacityRule.Verdict> verdicts = new ArrayList<>();
        for (ClaimRequest request : merged) {
            Optional<TemplateVolumes.Answer> made = trial.made(allocation, request);
            made.map(TemplateVolumes.Answer::decision)
                    .filter(decision -> !decision.admitted())
                    .ifPresent(decision -> refusals.putIfAbsent(request.volume(), decision));
            made.map(TemplateVolumes.Answer::volume)
                    .orElseGet(() -> trial.volume(request.volume())
                            .map(volume -> Verifications.asVerified(state, volume, request)))
                    .ifPresent(volume -> {
                        PlacementFacts facts = trial.facts(volume, nodeId);
                        AdmissionDecision decision = Admission.decide(volume, request, TRIAL, namespace, facts);
                        if (TemplateVolumes.isBeingMade(decision) && makes(allocation, merged)) {
                            decision = TemplateVolumes.furtherReason(decision, volume, request, allocation, facts);
                        }
                        if (!decision.admitted()) {
                            refusals.putIfAbsent(request.volume(), decision);
                        } else if (made.isPresent()) {
                            CapacityRule.Verdict verdict = trial.check(volume, request, facts);
                            verdict.refusal().ifPresent(refusal -> refusals.putIfAbsent(request.volume(), refusal));
                            verdicts.add(verdict);
                        }
                        // Adds the claim even if it was refused. The next volume is then checked as if this claim were
                        // granted,
                        // because the workload needs all its volumes on the same node.
                        trial.proposed.put(volume.key(), claimed(volume, request, facts, TRIAL));
                    });
        }
        return RankedNode.of(new NodeAnswer(nodeId, missing, refusals), verdicts);
    }

    private CapacityRule.Verdict check(Volume volume, ClaimRequest request, PlacementFacts facts) {
        return new CapacityRule(state, capacity).check(volume, request, facts, use);
    }

    /**
     * Returns the answer for each node of the state.
     *
     * @param namespace the allocation's namespace
     * @param requests the claim requests; may be empty
     * @return one answer for each node, in the order of the ids
     */
    public List<NodeAnswer> onAll(Namespace namespace, List<ClaimRequest> requests) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(requests, "requests");
        List<NodeAnswer> answers = new ArrayList<>();
        nodeIds().forEach(nodeId -> answers.add(on(namespace, nodeId, requests)));
        return List.copyOf(answers);
    }

    private SortedSet<NodeId> nodeIds() {
        SortedSet<NodeId> ids = new TreeSet<>(described.keySet());
        for (Node node : state.nodes()) {
            ids.add(node.id());
        }
        return ids;
    }

    /**
     * Returns the answer for each node, the best one first: the nodes on which all volumes can be claimed now, then those on
     * which they may be claimed later, then the others. Among them, first those where the known capacity does not speak
     * against the volumes; then those with the fewest volumes of the workload, if the preference spreads it; then by free
     * capacity, those where it is not known last; then by id.
     *
     * @param namespace the allocation's namespace
     * @param requests the claim requests; may be empty
     */
    public List<RankedNode> ranked(Namespace namespace, List<ClaimRequest> requests, NodePreference preference) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(requests, "requests");
        Objects.requireNonNull(preference, "preference");
        Spread spread = Spread.of(state, namespace, preference, proposed, this::topology);
        List<PluginId> plugins = plugins(requests);
        List<RankedNode> nodes = new ArrayList<>();
        for (NodeId nodeId : nodeIds()) {
            RankedNode node = scored(namespace, nodeId, requests);
            nodes.add(spread.isEmpty() ? node : node.with(spread.on(plugin -> topology(plugin, nodeId), plugins)));
        }
        nodes.sort(preference.order());
        return List.copyOf(nodes);
    }

    /** Returns the plugins of the requested volumes. */
    private List<PluginId> plugins(List<ClaimRequest> requests) {
        Set<PluginId> plugins = new TreeSet<>();
        for (ClaimRequest request : requests) {
            volume(request.volume())
                    .map(Volume::pluginId)
                    .or(() -> request.template()
                            .flatMap(template -> state.volumeClass(template.className()))
                            .map(VolumeClass::pluginId))
                    .ifPresent(plugins::add);
        }
        return List.copyOf(plugins);
    }

    /** Returns the topology of a node for the volumes of a plugin; empty if the plugin has not reported one. */
    private Optional<Topology> topology(PluginId plugin, NodeId nodeId) {
        NodeDescription node = described.get(nodeId);
        return node == null
                ? Placement.nodeInstance(state, nodeId, plugin)
                        .flatMap(PluginInstance::nodeInfo)
                        .flatMap(NodeInfo::accessibleTopology)
                : node.topology(plugin);
    }

    /**
     * Returns the requested volumes that are not registered in the state, and that the claim does not make from a
     * template. No node is feasible before they are registered.
     */
    public Set<VolumeKey> missing(List<ClaimRequest> requests) {
        Objects.requireNonNull(requests, "requests");
        Set<VolumeKey> missing = new TreeSet<>();
        for (ClaimRequest request : requests) {
            if (request.template().isEmpty() && volume(request.volume()).isEmpty()) {
                missing.add(request.volume());
            }
        }
        return missing;
    }

    private static Allocation placed(AllocationId id, Namespace namespace, NodeId nodeId) {
        return new Allocation(id, namespace, nodeId, Optional.empty(), AllocationStatus.PENDING, 0);
    }

    /** Returns the answer for a volume that the claim makes; empty if it is there, or proposed already. */
    private Optional<TemplateVolumes.Answer> made(Allocation allocation, ClaimRequest request) {
        if (proposed.containsKey(request.volume())) {
            return Optional.empty();
        }
        List<Volume> coming =
                proposed.values().stream().filter(FeasibleNodes::isNew).toList();
        return TemplateVolumes.answer(state, allocation, volume -> facts(volume, allocation.nodeId()), coming, request);
    }

    private boolean makes(Allocation allocation, List<ClaimRequest> requests) {
        return requests.stream().anyMatch(request -> made(allocation, request).isPresent());
    }

    /** Returns whether a proposed claim makes the volume. */
    private static boolean isNew(Volume proposed) {
        return proposed.createIndex() == 0;
    }

    private Optional<Volume> volume(VolumeKey key) {
        Volume known = proposed.get(key);
        return known == null ? state.volume(key) : Optional.of(known);
    }

    /**
     * Returns the facts on which a claim transaction would decide, with the proposed placements added. Volumes that the
     * proposed placements would attach to the node count towards its volume limit. A volume of a restored state that no
     * claim has needed yet counts as verified: the claim makes it be verified, so no node would be feasible otherwise.
     */
    private PlacementFacts facts(Volume volume, NodeId nodeId) {
        PlacementFacts known = nodeFacts(volume, nodeId);
        PlacementFacts facts = Verifications.mayAsk(state, volume) ? known.verified() : known;
        boolean limited = facts.nodeInfo()
                .map(NodeInfo::maxVolumesPerNode)
                .filter(max -> max > 0)
                .isPresent();
        if (!limited) {
            return facts;
        }
        boolean made = Admission.isMadeFor(volume, nodeId);
        long others = facts.otherVolumes();
        for (Volume other : proposed.values()) {
            if (!other.key().equals(volume.key()) && other.pluginId().equals(volume.pluginId())) {
                boolean now = state.volume(other.key())
                        .filter(is -> counts(is, nodeId, made))
                        .isPresent();
                others += (counts(other, nodeId, made) ? 1 : 0) - (now ? 1 : 0);
            }
        }
        return new PlacementFacts(
                facts.nodeId(),
                facts.node(),
                facts.nodeInstance(),
                facts.plugin(),
                facts.healthyController(),
                others,
                facts.unsettledNode(),
                facts.unverified());
    }

    /** Returns whether a volume takes a slot of a node from another one, which may be made for a claim there. */
    private static boolean counts(Volume volume, NodeId nodeId, boolean otherIsMade) {
        return otherIsMade ? Admission.isUsedOn(volume, nodeId) : volume.isOn(nodeId);
    }

    private PlacementFacts nodeFacts(Volume volume, NodeId nodeId) {
        PlacementFacts facts = Placement.facts(state, volume, nodeId);
        NodeDescription node = described.get(nodeId);
        return node == null ? facts : node.facts(volume.pluginId(), facts);
    }

    /**
     * Applies the claims of a placement as the transaction would. Returns the first refusal; empty if all claims could
     * be taken.
     */
    private Optional<AdmissionDecision> applyClaims(ProposedPlacement placement, Map<VolumeKey, Volume> after) {
        List<ClaimRequest> requests = ClaimRequest.merged(placement.requests());
        Map<VolumeKey, AdmissionDecision.Never> conflicts = ClaimRequest.conflicts(requests);
        if (!conflicts.isEmpty()) {
            return Optional.of(conflicts.values().iterator().next());
        }
        Map<VolumeKey, Volume> before = Map.copyOf(after);
        Map<VolumeKey, Volume> begun = new HashMap<>();
        for (ClaimRequest request : requests) {
            Optional<TemplateVolumes.Answer> made =
                    made(placed(placement.allocationId(), placement.namespace(), placement.nodeId()), request);
            if (made.isPresent() && !made.get().decision().admitted()) {
                return Optional.of(made.get().decision());
            }
            Optional<Volume> volume = made.map(TemplateVolumes.Answer::volume)
                    .orElseGet(() ->
                            volume(request.volume()).map(known -> Verifications.asVerified(state, known, request)));
            volume(request.volume())
                    .filter(known -> Verifications.mayBegin(state, known, request))
                    .ifPresent(known -> begun.put(known.key(), Verifications.afterBegin(state, known)));
            if (volume.isEmpty()) {
                return Optional.of(new AdmissionDecision.Admitted(false));
            }
            PlacementFacts facts = facts(volume.get(), placement.nodeId());
            AdmissionDecision decision =
                    Admission.decide(volume.get(), request, placement.allocationId(), placement.namespace(), facts);
            if (!decision.admitted()) {
                return Optional.of(decision);
            }
            if (made.isPresent()) {
                // The transaction does not know the capacity, so it takes the placement also where there is none.
                new CapacityRule(state, capacity).add(volume.get(), request, facts, use);
            }
            if (decision.equals(new AdmissionDecision.Admitted(false))) {
                after.put(request.volume(), claimed(volume.get(), request, facts, placement.allocationId()));
            }
        }
        if (!begun.isEmpty()) {
            // The transaction takes no claim until the volumes are verified.
            after.clear();
            after.putAll(before);
            after.putAll(begun);
        }
        return Optional.empty();
    }

    /** Returns the volume with one more claim, and with the attachment that the claim needs. */
    private static Volume claimed(
            Volume volume, ClaimRequest request, PlacementFacts facts, AllocationId allocationId) {
        Claim claim = Claim.builder(allocationId, facts.nodeId(), request.mode(), request.capability())
                .mountOptions(request.mountOptions())
                .build();
        Volume.Builder builder = volume.toBuilder().claims(volume.claims().with(claim));
        if (facts.controllerNeed(volume) == ControllerNeed.REQUIRED
                && volume.attachments().on(facts.nodeId()).isEmpty()) {
            builder.attachments(volume.attachments()
                    .with(Attachment.builder(facts.nodeId(), request.capability())
                            .readonly(facts.attachReadonly(request))
                            .build()));
        }
        return builder.build();
    }

    /** Returns the volume without the claim of an allocation, and without its attachment if no other claim needs it. */
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
