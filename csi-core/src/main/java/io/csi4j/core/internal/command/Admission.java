package io.csi4j.core.internal.command;

import io.csi4j.core.call.Problem;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.StateRestore;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeTemplate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether an allocation may claim a volume. The host uses this class before it places an allocation, and the
 * state uses it when the claim is taken, so both follow the same rules. If there is a reason to wait and a reason for
 * which the claim can never be granted, the decision is that the claim can never be granted.
 */
public final class Admission {
    private static final AdmissionDecision NEW = new AdmissionDecision.Admitted(false);
    private static final AdmissionDecision HELD = new AdmissionDecision.Admitted(true);

    private final Volume volume;
    private final ClaimRequest request;
    private final Namespace namespace;
    private final PlacementFacts facts;
    private final @Nullable AllocationId claimant;

    private Admission(
            Volume volume,
            ClaimRequest request,
            Namespace namespace,
            PlacementFacts facts,
            @Nullable AllocationId claimant) {
        this.claimant = claimant;
        this.volume = volume;
        this.request = request;
        this.namespace = namespace;
        this.facts = facts;
    }

    /**
     * Decides whether an allocation may claim a volume now.
     *
     * @param volume the volume with its current claims
     * @param facts the facts about the allocation's node and the plugin
     */
    public static AdmissionDecision decide(
            Volume volume, ClaimRequest request, AllocationId claimant, Namespace namespace, PlacementFacts facts) {
        Admission admission = new Admission(volume, request, namespace, facts, claimant);
        Optional<Claim> own = volume.claims().get(claimant);
        return own.isPresent()
                ? decideRepeated(
                        volume,
                        request,
                        own.get(),
                        Optional.of(namespace),
                        facts.node(),
                        facts.unsettledNode(),
                        facts.unverified())
                : admission.decide();
    }

    /**
     * Decides whether an allocation that is not placed yet could claim a volume.
     *
     * @param volume the volume with its current claims, and with those of allocations that are to be placed at the same
     *     time
     * @param facts the facts about the node and the plugin
     */
    public static AdmissionDecision decide(
            Volume volume, ClaimRequest request, Namespace namespace, PlacementFacts facts) {
        return new Admission(volume, request, namespace, facts, null).decide();
    }

    private AdmissionDecision decide() {
        AdmissionDecision decision = checkNamespace();
        decision = decision == null ? checkOwner() : decision;
        decision = decision == null ? checkRequest() : decision;
        decision = decision == null ? checkNode() : decision;
        decision = decision == null ? checkPlugin() : decision;
        decision = decision == null ? checkTopology() : decision;
        decision = decision == null ? checkLedgers() : decision;
        decision = decision == null ? checkExpansion() : decision;
        decision = decision == null ? checkMachine() : decision;
        decision = decision == null ? checkClaims() : decision;
        decision = decision == null ? checkStaging() : decision;
        decision = decision == null ? checkAttachments() : decision;
        decision = decision == null ? checkCapacity() : decision;
        decision = decision == null ? checkVerification() : decision;
        return decision == null ? NEW : decision;
    }

    private @Nullable AdmissionDecision checkNamespace() {
        return volume.usableIn(namespace) ? null : refuseNamespace(volume, namespace);
    }

    /**
     * Returns the refusal for an allocation whose namespace may not use the volume. The text of the refusal names both
     * namespaces and the remedy.
     */
    public static AdmissionDecision.Never refuseNamespace(Volume volume, Namespace namespace) {
        return new AdmissionDecision.Never(
                NeverReason.OTHER_NAMESPACE,
                "the allocation is of namespace " + namespace + ", and the volume is of namespace "
                        + volume.key().namespace() + " and not shared with " + namespace
                        + "; claim a volume of namespace " + namespace + ", or add " + namespace
                        + " to sharedWith of the volume");
    }

    /**
     * Decides about a further request of an allocation that already has a claim on the volume. An allocation whose
     * namespace may not use the volume any more keeps its claim, but cannot claim again.
     *
     * @param own the claim of the allocation
     * @param namespace the allocation's namespace; empty if the host removed the allocation
     * @param node the row of the claim's node; empty if the node is not known
     * @param unsettledNode a node that may use the volume without a claim, because the state was restored
     * @param unverified the restore of the state since which the volume is not verified
     * @return admitted, with {@code alreadyHeld}, if the claim equals the request and is not being released
     */
    public static AdmissionDecision decideRepeated(
            Volume volume,
            ClaimRequest request,
            Claim own,
            Optional<Namespace> namespace,
            Optional<Node> node,
            Optional<NodeId> unsettledNode,
            Optional<StateRestore> unverified) {
        if (namespace.filter(of -> !volume.usableIn(of)).isPresent()) {
            return refuseNamespace(volume, namespace.get());
        }
        if (own.state() != ClaimState.TAKEN) {
            return new AdmissionDecision.Wait(
                    WaitReason.OWN_CLAIM_RELEASING,
                    List.of(Holder.of(own)),
                    "its former claim on the volume is still being released");
        }
        if (node.isPresent() && node.get().isFormer(volume.pluginId(), own.externalNodeId())) {
            return MachineConflict.replaced(
                    node.get(), volume.pluginId(), own.externalNodeId(), List.of(Holder.of(own)));
        }
        if (!own.adopted()) {
            // After a restore, the claim may have been released since the backup, and another allocation may use the
            // volume now.
            if (unsettledNode.isPresent()) {
                return ledgerNotKnown(unsettledNode.get());
            }
            if (volume.claims().adopted() > 0) {
                Volume others = volume.toBuilder()
                        .claims(volume.claims().without(own.allocationId()))
                        .build();
                AdmissionDecision conflict = ClaimConflict.find(others, request, own.nodeId());
                if (conflict != null) {
                    return conflict;
                }
            }
        }
        boolean otherAttributes = volume.isInline()
                && request.template()
                        .filter(template ->
                                !template.attributes().equals(volume.spec().parameters()))
                        .isPresent();
        if (otherAttributes) {
            return new AdmissionDecision.Never(
                    NeverReason.TEMPLATE_DIFFERS,
                    "it holds a claim on the inline volume with other attributes; release that one first");
        }
        // The mount options of an adopted claim are not known to the servers; the node compares them.
        boolean same = own.mode() == request.mode()
                && own.capability().equals(request.capability())
                && (own.adopted() || own.mountOptions().equals(request.mountOptions()));
        if (same && !own.adopted() && unverified.isPresent()) {
            return notVerified(volume, unverified.get());
        }
        return same
                ? HELD
                : new AdmissionDecision.Never(
                        NeverReason.CLAIMED_DIFFERENTLY,
                        "it holds a claim on the volume with another mode, capability or other mount options;"
                                + " release that one first");
    }

    /** Checks that the volume belongs to no other allocation, and was made from the template of the request. */
    private @Nullable AdmissionDecision checkOwner() {
        Optional<AllocationId> owner = volume.owner().flatMap(VolumeOwner::ofAllocation);
        if (owner.isPresent() && !owner.get().equals(claimant)) {
            return never(
                    NeverReason.OWNED_BY_ALLOCATION,
                    "the volume belongs to allocation " + owner.get()
                            + ", and is deleted when that one has ended; use another one");
        }
        if (request.template().isEmpty() || isMissing()) {
            return null;
        }
        VolumeTemplate template = request.template().get();
        Optional<Instant> retained =
                volume.owner().flatMap(VolumeOwner::ofWorkload).flatMap(VolumeOwner.OfWorkload::endedAt);
        boolean reused = retained.isPresent() && template.workload().isPresent();
        if (reused && !template.reuseRetained()) {
            return never(
                    NeverReason.RETAINED_VOLUME_EXISTS,
                    "the volume is retained since " + retained.get() + ", when "
                            + volume.owner()
                                    .flatMap(VolumeOwner::ofWorkload)
                                    .get()
                                    .workload()
                            + " ended; say reuseRetained to use it with its data, let it be adopted, or delete it");
        }
        // A volume that is used again gets the workload of the claim as its owner.
        List<Problem> differences = TemplateDifference.of(volume, template).stream()
                .filter(problem -> !reused || !problem.field().equals(TemplateDifference.WORKLOAD))
                .toList();
        return differences.isEmpty()
                ? null
                : never(
                        NeverReason.TEMPLATE_DIFFERS,
                        "the volume exists and was not made from this template: "
                                + differences.stream().map(Problem::toString).collect(Collectors.joining("; ")));
    }

    /** Returns whether the volume is one that the claim would make, and not in the state yet. */
    private boolean isMissing() {
        return volume.createIndex() == 0;
    }

    private @Nullable AdmissionDecision checkRequest() {
        if (volume.phase() == VolumePhase.DELETING) {
            return never(NeverReason.VOLUME_LEAVING, "the volume is being deleted; use another one");
        }
        Optional<AdmissionDecision> lost = facts.unverified().flatMap(this::lost);
        if (lost.isPresent()) {
            return lost.get();
        }
        if (!volume.spec().requestedCapabilities().contains(request.capability())) {
            return never(
                    NeverReason.CAPABILITY_NOT_REQUESTED,
                    request.capability() + " is not among the volume's requested capabilities; use one of "
                            + volume.spec().requestedCapabilities() + " or register it with this one too");
        }
        VolumeAccessMode mode = request.capability().accessMode();
        if (request.mode() == ClaimMode.WRITE && mode.readerOnly()) {
            return never(
                    NeverReason.WRITE_IN_READER_MODE, "access mode " + mode + " allows no writer; claim it to read");
        }
        if (request.capability().attachmentMode() == AttachmentMode.BLOCK
                && !request.mountOptions().isEmpty()) {
            return never(NeverReason.MOUNT_OPTIONS_ON_BLOCK, "a block device takes no mount options; leave them out");
        }
        if (volume.phase() != VolumePhase.CREATING) {
            return null;
        }
        return facts.unverified().isPresent()
                ? notVerified(volume, facts.unverified().get())
                : waitFor(WaitReason.VOLUME_NOT_READY, "the volume is being created");
    }

    private @Nullable AdmissionDecision checkNode() {
        String name = "node " + facts.nodeId();
        if (facts.node().isEmpty()) {
            return waitFor(WaitReason.NODE_NOT_READY, name + " is not known; the host has to report it");
        }
        return switch (facts.node().get().status()) {
            case READY -> null;
            case DISCONNECTED, DOWN ->
                waitFor(
                        WaitReason.NODE_NOT_READY,
                        name + " is " + facts.node().get().status());
            case FENCED, GONE ->
                never(
                        NeverReason.NODE_LOST,
                        name + " is " + facts.node().get().status() + "; place the allocation elsewhere");
        };
    }

    private @Nullable AdmissionDecision checkPlugin() {
        String name = "plugin " + volume.pluginId();
        if (facts.providerConflict()) {
            return waitFor(
                    WaitReason.PROVIDER_CONFLICT,
                    name + " on node " + facts.nodeId() + " runs driver "
                            + facts.nodeInstance()
                                    .flatMap(PluginInstance::provider)
                                    .orElse("")
                            + ", and its volumes belong to driver "
                            + facts.plugin().flatMap(PluginFacts::provider).orElse("")
                            + "; start the right driver there, or say that the other name is right (csi plugin set-provider,"
                            + " setProvider in Java)");
        }
        if (facts.nodeInstance().filter(PluginInstance::healthy).isEmpty()) {
            return waitFor(
                    WaitReason.NO_HEALTHY_NODE_PLUGIN,
                    name + " has no healthy node instance on node " + facts.nodeId());
        }
        ControllerNeed need = facts.controllerNeed(volume);
        if (need == ControllerNeed.UNKNOWN) {
            return waitFor(
                    WaitReason.PLUGIN_NOT_KNOWN,
                    name + " has not reported yet whether its controller publishes volumes");
        }
        if (need == ControllerNeed.REQUIRED && facts.nodeInfo().isEmpty()) {
            return waitFor(
                    WaitReason.PLUGIN_NOT_KNOWN,
                    name + " has not reported yet the external id of node " + facts.nodeId());
        }
        if (need == ControllerNeed.REQUIRED && !facts.healthyController()) {
            return waitFor(
                    WaitReason.NO_HEALTHY_CONTROLLER,
                    name + " has no healthy controller instance that attaches volumes on a node that is ready");
        }
        return checkPluginCapabilities();
    }

    /**
     * Checks the capabilities that the claim needs from the node service and, if there is one, the controller service
     * (R42).
     */
    private @Nullable AdmissionDecision checkPluginCapabilities() {
        VolumeAccessMode mode = request.capability().accessMode();
        boolean alphaMode =
                mode == VolumeAccessMode.SINGLE_NODE_SINGLE_WRITER || mode == VolumeAccessMode.SINGLE_NODE_MULTI_WRITER;
        AdmissionDecision decision =
                alphaMode ? checkNodeCapability(NodeCapability.SINGLE_NODE_MULTI_WRITER, "access mode " + mode) : null;
        if (decision == null && alphaMode) {
            decision = checkControllerAlphaModes(mode);
        }
        return decision == null ? GroupConflict.find(volume, request, facts) : decision;
    }

    private @Nullable AdmissionDecision checkNodeCapability(NodeCapability capability, String purpose) {
        Optional<CapabilitySet<NodeCapability>> offered = facts.capabilities().node();
        if (offered.isEmpty()) {
            return waitFor(
                    WaitReason.PLUGIN_NOT_KNOWN,
                    "plugin " + volume.pluginId() + " has not reported its node capabilities yet");
        }
        return offered.get().has(capability) ? null : missingCapability(purpose, capability);
    }

    private @Nullable AdmissionDecision checkControllerAlphaModes(VolumeAccessMode mode) {
        Capabilities known = facts.capabilities();
        return !known.has(PluginService.CONTROLLER_SERVICE) || known.has(ControllerCapability.SINGLE_NODE_MULTI_WRITER)
                ? null
                : missingCapability("access mode " + mode, ControllerCapability.SINGLE_NODE_MULTI_WRITER);
    }

    private AdmissionDecision missingCapability(String purpose, Enum<?> capability) {
        return never(
                NeverReason.PLUGIN_CANNOT,
                "plugin " + volume.pluginId() + " does not offer " + capability + ", which " + purpose
                        + " needs; claim it otherwise");
    }

    /**
     * Checks that the node is within the volume's topology (R24). A node without a reported topology can use only
     * volumes without a topology.
     */
    private @Nullable AdmissionDecision checkTopology() {
        if (volume.facts().accessibleTopology().isEmpty()) {
            return null;
        }
        Optional<NodeInfo> info = facts.nodeInfo();
        if (info.isEmpty()) {
            return waitFor(
                    WaitReason.PLUGIN_NOT_KNOWN,
                    "plugin " + volume.pluginId() + " has not reported yet the topology of node " + facts.nodeId());
        }
        boolean within = info.get()
                .accessibleTopology()
                .filter(topology -> topology.containsAny(volume.facts().accessibleTopology()))
                .isPresent();
        return within
                ? null
                : never(
                        NeverReason.OUT_OF_REACH,
                        "node " + facts.nodeId() + " is not in "
                                + volume.facts().accessibleTopology() + "; place the allocation there");
    }

    /** Makes a claim wait while a node may use the volume without a claim. */
    private @Nullable AdmissionDecision checkLedgers() {
        return facts.unsettledNode().map(Admission::ledgerNotKnown).orElse(null);
    }

    /**
     * Makes a claim wait while the storage provider has not confirmed a volume of a restored state. It is the last check,
     * because the provider is asked only if nothing else keeps the claim waiting.
     */
    private @Nullable AdmissionDecision checkVerification() {
        return facts.unverified().map(restore -> notVerified(volume, restore)).orElse(null);
    }

    private Optional<AdmissionDecision> lost(StateRestore restore) {
        return lost(volume, restore);
    }

    private static Optional<AdmissionDecision> lost(Volume volume, StateRestore restore) {
        return volume.verification()
                .filter(known -> known.restoredIndex() == restore.index() && known.stage() == Verification.Stage.LOST)
                .map(known -> never(
                        NeverReason.VOLUME_LOST,
                        "plugin " + volume.pluginId() + " has answered " + known.notFound()
                                + " times that the storage provider does not have the volume, the last time at "
                                + known.decidedAt().map(Instant::toString).orElse("an unknown time")
                                + "; the state was restored at " + restore.at() + " (" + restore.reason()
                                + "), and the volume may have been deleted after the backup; "
                                + known.remedy().orElse("")));
    }

    private static AdmissionDecision notVerified(Volume volume, StateRestore restore) {
        Optional<AdmissionDecision> lost = lost(volume, restore);
        if (lost.isPresent()) {
            return lost.get();
        }
        return waitFor(
                WaitReason.NOT_VERIFIED,
                volume.phase() == VolumePhase.CREATING
                        ? "the volume was being created when the state was restored at " + restore.at()
                                + ", and may have been made and deleted since; request its creation again, or delete it"
                        : "the state was restored at " + restore.at() + ", and plugin " + volume.pluginId()
                                + " has not said since that the storage provider has the volume");
    }

    private static AdmissionDecision ledgerNotKnown(NodeId node) {
        return waitFor(
                WaitReason.LEDGER_NOT_KNOWN,
                "node " + node + " may use the volume without a claim: it has not reported its mounts since the state"
                        + " was restored, or it reports the volume for no allocation that the state knows. If the node does"
                        + " not come back, fence it or remove it");
    }

    /**
     * Makes a claim wait for a requested expansion if the plugin expands only unused volumes. If the volume has no
     * claim yet, the call to the plugin may already be in flight, so the new claim waits. If the volume has a claim,
     * the call is not sent, so the new claim does not wait. An attachment without a claim does not count as use: it may
     * be an orphan that was found while the call was in flight.
     */
    private @Nullable AdmissionDecision checkExpansion() {
        boolean offlineOnly =
                facts.plugin().filter(PluginFacts::expandsOfflineOnly).isPresent();
        return offlineOnly && volume.toBeExpanded() && volume.claims().isEmpty()
                ? waitFor(
                        WaitReason.EXPANDING_OFFLINE,
                        "an expansion of the volume is requested, and plugin " + volume.pluginId()
                                + " expands a volume only while it is not in use")
                : null;
    }

    private @Nullable AdmissionDecision checkMachine() {
        return MachineConflict.find(volume, facts);
    }

    private @Nullable AdmissionDecision checkClaims() {
        for (Claim claim : volume.claims().takenOver() > 0 ? volume.claims() : Claims.empty()) {
            if (claim.formerVolume().isPresent()) {
                return new AdmissionDecision.Wait(
                        WaitReason.LEFT_ON_NODE,
                        List.of(Holder.of(claim)),
                        "node " + claim.nodeId() + " may still have it mounted for allocation " + claim.allocationId()
                                + " as " + former(claim.formerVolume().get())
                                + ", its former name; it is free when the node has unmounted it, is fenced or"
                                + " removed, or the claim is overridden");
            }
        }
        return ClaimConflict.find(volume, request, facts.nodeId());
    }

    /** Returns the former key of the volume for a text; another namespace is not named. */
    private String former(VolumeKey key) {
        return key.namespace().equals(volume.key().namespace()) ? "volume " + key : "a volume of another namespace";
    }

    private @Nullable AdmissionDecision checkStaging() {
        AdmissionDecision label = LabelConflict.find(volume, request, facts.nodeId());
        return label == null ? StagingConflict.find(volume, request, facts) : label;
    }

    private @Nullable AdmissionDecision checkAttachments() {
        return AttachmentConflict.find(volume, request, facts.nodeId());
    }

    /** Returns whether a volume is made for a claim on a node that may still take it. */
    public static boolean isMadeFor(Volume volume, NodeId nodeId) {
        return volume.firstClaim()
                .filter(claim -> !claim.ended() && claim.nodeId().equals(nodeId))
                .isPresent();
    }

    /** Returns whether a volume takes a slot of a node: it has a claim or an attachment there, and is not only made for one. */
    public static boolean isUsedOn(Volume volume, NodeId nodeId) {
        return !volume.claims().on(nodeId).isEmpty()
                || volume.attachments().on(nodeId).isPresent();
    }

    private @Nullable AdmissionDecision checkCapacity() {
        long max = facts.nodeInfo().map(NodeInfo::maxVolumesPerNode).orElse(0L);
        return max > 0 && !isUsedOn(volume, facts.nodeId()) && facts.otherVolumes() >= max
                ? waitFor(
                        WaitReason.NODE_FULL,
                        "node " + facts.nodeId() + " has " + facts.otherVolumes() + " volumes of plugin "
                                + volume.pluginId() + " and can take " + max)
                : null;
    }

    private static AdmissionDecision waitFor(WaitReason reason, String detail) {
        return new AdmissionDecision.Wait(reason, List.of(), detail);
    }

    private static AdmissionDecision never(NeverReason reason, String detail) {
        return new AdmissionDecision.Never(reason, detail);
    }
}
