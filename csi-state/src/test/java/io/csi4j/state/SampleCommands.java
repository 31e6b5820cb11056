package io.csi4j.state;

import io.csi4j.core.call.Problem;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.cluster.StorageLoss;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AccountName;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AccessTokenCommand;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.LeftoverCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.OwnerCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.PluginProfileCommand;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WithdrawnCreation;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One command, effect and rejection of each type, which use all fields. The sample files contain their encodings. */
final class SampleCommands {
    static final VolumeKey KEY = RichState.FULL;
    static final AllocationId ALLOCATION = AllocationId.of("a1");
    static final NodeId NODE = NodeId.of("n1");
    private static final Instant AT = Instant.parse("2026-11-01T12:00:00.123456789Z");
    private static final RequestedCapability WRITER =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final CapacityRange RANGE = CapacityRange.between(10, 20);
    private static final Attempt ATTEMPT = new Attempt("UNAVAILABLE", Optional.of(AT.plusSeconds(3)), 41);
    private static final InstanceKey INSTANCE =
            new InstanceKey(NODE, PluginId.of("p1"), PluginType.MONOLITH, Optional.of(AllocationId.of("a9")));
    private static final DeploymentId DEPLOYMENT = DeploymentId.of("default", "csi");
    private static final Holder HOLDER = new Holder(ALLOCATION, NODE, ClaimMode.WRITE, ClaimState.NODE_DETACHED);
    private static final List<Problem> PROBLEMS = List.of(new Problem("capacityRange", "is too small", "raise it"));

    private SampleCommands() {}

    static Map<String, Command> commands() {
        Map<String, Command> all = new LinkedHashMap<>();
        for (List<? extends Command> group : List.of(
                volumes(),
                changes(),
                claims(),
                attachments(),
                nodesAndAllocations(),
                plugins(),
                leftovers(),
                tokens(),
                classes())) {
            group.forEach(command -> all.put(name(command), command));
        }
        all.put("RecordLedger, of a machine", new NodeCommand.RecordLedger(NODE, RichState.reportOfMachine(), 9, AT));
        all.put(
                "UpsertAllocation, with an account",
                new AllocationCommand.UpsertAllocation(
                        ALLOCATION,
                        Namespace.of("default"),
                        NODE,
                        Optional.empty(),
                        AllocationStatus.PENDING,
                        Optional.of(AccountName.of("builder")),
                        AT));
        all.put(
                "PutPluginProfile, of calls",
                new PluginProfileCommand.PutPluginProfile(RichState.callsProfile(), 0, AT));
        all.put(
                "PutPluginProfile, of snapshots",
                new PluginProfileCommand.PutPluginProfile(RichState.namingProfile(), 0, AT));
        all.put(
                "PutPluginProfile, with excludes",
                new PluginProfileCommand.PutPluginProfile(RichState.excludingProfile(), 0, AT));
        all.put(
                "PutPluginProfile, of fixed ownership",
                new PluginProfileCommand.PutPluginProfile(RichState.fixedProfile(), 0, AT));
        all.put(
                "DeregisterVolume, refused",
                new VolumeCommand.DeregisterVolume(KEY, true, 7, Optional.of(RichState.REFUSED), AT));
        all.put(
                "TakeClaims, from templates",
                new ClaimCommand.TakeClaims(ALLOCATION, RichState.requestsFromTemplates(), 7, AT));
        all.put(
                "RequestClaims, from templates",
                new ClaimCommand.RequestClaims(ALLOCATION, RichState.requestsFromTemplates(), AT));
        all.put(
                "CreateFromClass, each field of the template",
                new VolumeCommand.CreateFromClass(KEY, RichState.template(), AT));
        all.put(
                "CreateFromClass with a snapshot",
                new VolumeCommand.CreateFromClass(KEY, SampleSnapshots.template(), AT));
        all.put(
                "RegisterVolume with a snapshot",
                new VolumeCommand.RegisterVolume(
                        KEY, SampleSnapshots.restored().spec(), VolumeOrigin.CREATED, ProviderFacts.none(), AT));
        SampleSnapshots.commands().forEach(command -> all.put(command.getClass().getSimpleName(), command));
        all.put("Batch", new Batch(List.of(claims().get(2), attachments().get(0)), AT.plusSeconds(1)));
        return all;
    }

    /**
     * Returns the commands in files of older versions. Those wrote a failure on a node, and of a release, as a kind of
     * progress.
     */
    static Map<String, Command> olderCommands() {
        Map<String, Command> all = commandsBeforeRequestedClaims();
        all.put(
                "RecordNodeExpansion",
                new CallCommand.RecordCallError(
                        KEY, new CallTarget.OfNodeExpansion(ALLOCATION, 8, RANGE), ATTEMPT, AT));
        return all;
    }

    /** Returns the commands in files from before stored requests for claims. */
    static Map<String, Command> commandsBeforeRequestedClaims() {
        Map<String, Command> all = commands();
        all.put("TakeClaims", new ClaimCommand.TakeClaims(ALLOCATION, requests(), AT));
        return all;
    }

    /** Returns the name of a sample. Commands about calls have the names of their messages in the format. */
    private static String name(Command command) {
        String name = command.getClass().getSimpleName();
        if (command instanceof CallCommand call && !(call.target() instanceof CallTarget.OfVolume)) {
            if (call instanceof CallCommand.BeginCall) {
                return "BeginModificationCall";
            } else if (call.target() instanceof CallTarget.OfExpansion) {
                return "RecordExpansionError";
            } else if (call.target() instanceof CallTarget.OfModification) {
                return "RecordModificationError";
            } else if (call.target() instanceof CallTarget.OfAttachment) {
                return "RecordAttachmentError";
            }
            return name + ", " + call.target().getClass().getSimpleName();
        }
        return name;
    }

    static Map<String, Outcome> outcomes() {
        Map<String, Outcome> all = new LinkedHashMap<>();
        effects()
                .forEach(effect ->
                        all.put(effect.getClass().getSimpleName(), new Outcome.Accepted(true, List.of(effect))));
        all.put("Accepted", new Outcome.Accepted(false, List.of()));
        for (List<Rejection> group : List.of(rejectionsOfVolumes(), rejectionsOfClaims(), rejectionsOfCluster())) {
            group.forEach(reason -> all.put(reason.getClass().getSimpleName(), new Outcome.Rejected(reason)));
        }
        all.put(
                "NotAdmitted, never",
                new Outcome.Rejected(new Rejection.NotAdmitted(
                        KEY, ALLOCATION, new AdmissionDecision.Never(NeverReason.OUT_OF_REACH, "other zone"))));
        all.put(
                "NotAdmitted, admitted",
                new Outcome.Rejected(new Rejection.NotAdmitted(KEY, ALLOCATION, new AdmissionDecision.Admitted(true))));
        return all;
    }

    private static Volume volume() {
        return RichState.full();
    }

    private static Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("tier", "gold");
        parameters.put("iops", "\u00e4\u4e00\ud83d\ude00");
        return parameters;
    }

    private static List<Command> volumes() {
        return List.of(
                new VolumeCommand.RegisterVolume(KEY, volume().spec(), VolumeOrigin.CREATED, volume().facts(), AT),
                new VolumeCommand.UpdateVolume(KEY, volume().spec(), 7, AT),
                new VolumeCommand.RecordProviderFacts(KEY, volume().facts(), 7, AT),
                new VolumeCommand.SetVolumePhase(KEY, VolumePhase.DELETING, 7, AT),
                new VolumeCommand.DeregisterVolume(KEY, true, 7, AT),
                new CallCommand.BeginCall(KEY, new CallTarget.OfVolume(7, VolumePhase.CREATING), AT),
                new CallCommand.RecordCallError(KEY, new CallTarget.OfVolume(7, VolumePhase.CREATING), ATTEMPT, AT),
                new VolumeCommand.MarkForGc(KEY, AT),
                new VolumeCommand.ForgetVolume(KEY, 7, "ann", "array replaced", AT),
                new VolumeCommand.WithdrawCreation(KEY, 7, "ann", "no room", AT));
    }

    private static List<Command> changes() {
        return List.of(
                new ChangeCommand.BeginExpansion(KEY, RANGE, AT),
                new ChangeCommand.RecordExpanded(KEY, 7, RANGE, 12, true, AT),
                new CallCommand.RecordCallError(KEY, new CallTarget.OfExpansion(RANGE), ATTEMPT, AT),
                new ChangeCommand.WithdrawExpansion(KEY, 7, RANGE, AT),
                new ChangeCommand.RecordNodeExpansion(KEY, ALLOCATION, 8, RANGE, 12, AT),
                new CallCommand.RecordCallError(KEY, new CallTarget.OfNodeExpansion(ALLOCATION, 8, RANGE), ATTEMPT, AT),
                new ChangeCommand.BeginModification(KEY, parameters(), AT),
                new ChangeCommand.RecordModified(KEY, 7, 9, parameters(), AT),
                new CallCommand.BeginCall(KEY, new CallTarget.OfModification(9), AT),
                new CallCommand.RecordCallError(KEY, new CallTarget.OfModification(9), ATTEMPT, AT));
    }

    private static List<ClaimRequest> requests() {
        return List.of(
                new ClaimRequest(
                        KEY, ClaimMode.WRITE, WRITER, new MountOptions("ext4", MountFlags.of("noatime"), "1000")),
                ClaimRequest.of(VolumeKey.of("default", "plain"), ClaimMode.READ, WRITER));
    }

    private static List<Command> claims() {
        return List.of(
                new ClaimCommand.TakeClaims(ALLOCATION, requests(), 7, AT),
                new ClaimCommand.CheckpointClaim(KEY, ALLOCATION, 8, ClaimState.NODE_DETACHED, AT),
                new ClaimCommand.FreeClaim(KEY, ALLOCATION, 8, AT),
                new ClaimCommand.OverrideClaim(KEY, ALLOCATION, 8, "ann", "disk pulled", AT),
                new ClaimCommand.AdoptUses(KEY, NODE, RichState.report().uses(), AT),
                new CallCommand.RecordCallError(KEY, new CallTarget.OfClaim(ALLOCATION, 8), ATTEMPT, AT),
                new ClaimCommand.RequestClaims(ALLOCATION, requests(), AT),
                new ClaimCommand.WithdrawClaims(ALLOCATION, AT),
                new ClaimCommand.RefuseClaims(new RequestedClaims.Key(ALLOCATION, 7), AT));
    }

    private static List<Command> attachments() {
        return List.of(
                new AttachmentCommand.RecordPublished(
                        KEY, NODE, 8, PublishContext.of(Map.of("device", "/dev/sdb")), AT),
                new AttachmentCommand.RecordUnpublishing(KEY, NODE, 8, AT),
                new AttachmentCommand.RecordOrphan(KEY, NODE, ExternalNodeId.of("i-1"), 9, AT),
                new CallCommand.RecordCallError(KEY, new CallTarget.OfAttachment(NODE, 8), ATTEMPT, AT),
                new AttachmentCommand.RemoveAttachment(KEY, NODE, 8, AT),
                new AttachmentCommand.OverrideAttachment(KEY, NODE, 8, "ann", "disk pulled", AT));
    }

    private static List<Command> nodesAndAllocations() {
        return List.of(
                new NodeCommand.UpsertNode(NODE, AT),
                new NodeCommand.SetNodeStatus(NODE, NodeStatus.DISCONNECTED, "no heartbeat", AT),
                new NodeCommand.FenceNode(NODE, "power off", AT),
                new NodeCommand.RemoveNode(NODE, "scrapped", AT),
                new NodeCommand.ResolveFormerMachine(
                        NODE,
                        PluginId.of("p1"),
                        ExternalNodeId.of("i-1"),
                        ExternalNodeId.of("i-2"),
                        NodeCommand.FormerMachine.RENAMED,
                        "ann",
                        "driver upgrade",
                        AT),
                new NodeCommand.RequireLedgers("restored from tape", AT),
                new NodeCommand.LoseStorage(
                        StorageLoss.of(NODE, PluginId.of("p1"), Topology.of("example.com/node", "n1"))
                                .naming(List.of(KEY)),
                        "disk burned",
                        AT),
                new NodeCommand.RecordLedger(NODE, RichState.report(), 9, AT),
                new AllocationCommand.UpsertAllocation(
                        ALLOCATION,
                        Namespace.of("default"),
                        NODE,
                        Optional.of(DEPLOYMENT),
                        AllocationStatus.RUNNING,
                        AT),
                new AllocationCommand.RemoveAllocation(ALLOCATION, AT));
    }

    private static List<Command> plugins() {
        PluginInstance instance = RichState.instance();
        PluginDeployment deployment = RichState.deployment();
        return List.of(
                new PluginCommand.FingerprintNode(NODE, List.of(instance), 77, AT),
                new PluginCommand.RemoveInstance(INSTANCE, AT),
                new PluginCommand.UpsertDeployment(deployment, AT),
                new PluginCommand.RemoveDeployment(DEPLOYMENT, AT),
                new PluginCommand.DeletePlugin(PluginId.of("p1"), AT),
                new PluginCommand.SetProvider(PluginId.of("p1"), "example.com", "ann", "renamed", AT));
    }

    private static List<Command> leftovers() {
        WithdrawnCreation.Key name = new WithdrawnCreation.Key(PluginId.of("p1"), "vol-abc");
        Leftover.Key key = new Leftover.Key(PluginId.of("p1"), ExternalVolumeId.of("vol-1"));
        return List.of(
                new LeftoverCommand.RecordUnmounted(key, NODE, ALLOCATION, AT),
                new LeftoverCommand.OverrideLeftover(key, 7, "ann", "disk pulled", AT),
                new WithdrawnCreationCommand.RecordLateAnswer(
                        name, 7, 8, Optional.of(ExternalVolumeId.of("vol-1")), AT),
                new WithdrawnCreationCommand.ForgetWithdrawnCreation(name, 7, "ann", "array replaced", AT));
    }

    private static List<Command> tokens() {
        return List.of(
                new AccessTokenCommand.CreateAccessToken(
                        RichState.token().id(),
                        RichState.token().request(),
                        RichState.token().hash(),
                        "root",
                        true,
                        AT),
                new AccessTokenCommand.RevokeAccessToken(RichState.token().id(), AT));
    }

    private static final Rejection.QuotaExceeded.Excess EXCESS = new Rejection.QuotaExceeded.Excess(
            RichState.quota().key(), Rejection.QuotaExceeded.Excess.Unit.BYTES, 30_000, 29_000, 2_000);

    private static List<Command> classes() {
        VolumeTemplate template = VolumeTemplate.builder(RichState.volumeClass().name())
                .capacityRange(RANGE)
                .requestedCapabilities(List.of(WRITER))
                .build();
        return List.of(
                new VolumeClassCommand.PutVolumeClass(RichState.volumeClass(), 12, AT),
                new VolumeClassCommand.RemoveVolumeClass(RichState.volumeClass().name(), 11, AT),
                new VolumeCommand.CreateFromClass(KEY, template, AT),
                new VolumeCommand.DiscardUnused(KEY, 7, Optional.of(RichState.REFUSED), AT),
                new VolumeCommand.RecordVerified(KEY, 7, 30, AT),
                new CallCommand.RecordCallError(KEY, new CallTarget.OfVerification(7, 30, 1), ATTEMPT, AT),
                new QuotaCommand.PutQuota(RichState.quota(), 12, AT),
                new QuotaCommand.RemoveQuota(RichState.quota().key(), 11, AT),
                new OwnerCommand.EndOwner(Namespace.of("default"), RichState.WORKLOAD, AT),
                new OwnerCommand.SetReclaim(KEY, 7, ReclaimPolicy.RETAIN, AT),
                new OwnerCommand.SetOwner(KEY, 7, Optional.of(RichState.WORKLOAD), AT),
                new PluginProfileCommand.PutPluginProfile(RichState.pluginProfile(), 32, AT),
                new PluginProfileCommand.RemovePluginProfile(PluginId.of("p1"), 31, AT));
    }

    private static List<Effect> effects() {
        Claim claim = Claim.builder(ALLOCATION, NODE, ClaimMode.WRITE, WRITER)
                .mountOptions(MountOptions.of("", "ro"))
                .createIndex(7)
                .takenIndex(9)
                .build();
        return List.of(
                new Effect.VolumeStored(volume(), true),
                new Effect.VolumeRemoved(KEY, List.of(HOLDER), List.of(NODE, NodeId.of("n2"))),
                new Effect.DeletionBegun(KEY),
                new Effect.SnapshotStored(SampleSnapshots.row()),
                new Effect.ClaimTaken(volume(), claim, Optional.of(attachment()), true),
                new Effect.ClaimReleasable(KEY, ALLOCATION),
                new Effect.ClaimFreed(KEY, ALLOCATION, NODE),
                new Effect.NodeRemoved(NODE),
                new Effect.PluginRemoved(PluginId.of("p1")),
                new Effect.QuotaOverrun(KEY, EXCESS));
    }

    private static Attachment attachment() {
        return Attachment.builder(NODE, WRITER)
                .externalNodeId(ExternalNodeId.of("i-1"))
                .state(AttachmentState.PUBLISHED)
                .mountOptions(MountOptions.of("ext4", "noatime"))
                .publishContext(PublishContext.of(Map.of("device", "/dev/sdb")))
                .createIndex(7)
                .build();
    }

    private static List<Rejection> rejectionsOfVolumes() {
        return List.of(
                new Rejection.InvalidRequest("volume default/full", PROBLEMS),
                new Rejection.VolumeNotFound(KEY),
                new Rejection.VolumeInUse(KEY, List.of(HOLDER), List.of(NODE)),
                new Rejection.ConflictingFields(KEY, PROBLEMS),
                new Rejection.ExternalIdTaken(
                        KEY, PluginId.of("p1"), ExternalVolumeId.of("vol-1"), VolumeKey.of("other", "full")),
                new Rejection.VolumeChanged(KEY, 7, 8),
                new Rejection.WrongPhase(KEY, VolumePhase.DELETING, VolumePhase.AVAILABLE),
                new Rejection.CreationUnfinished(KEY),
                new Rejection.DeletionUnfinished(KEY));
    }

    private static List<Rejection> rejectionsOfClaims() {
        return List.of(
                new Rejection.NotAdmitted(
                        KEY,
                        ALLOCATION,
                        new AdmissionDecision.Wait(WaitReason.WRITER_OR_CLAIM_TAKEN, List.of(HOLDER), "it is used up")),
                new Rejection.AllocationNotFound(ALLOCATION),
                new Rejection.AllocationEnded(ALLOCATION),
                new Rejection.AllocationMoved(ALLOCATION, NODE, NodeId.of("n2")),
                new Rejection.ClaimNotFound(KEY, ALLOCATION),
                new Rejection.ClaimStateSkipped(KEY, ALLOCATION, ClaimState.TAKEN, ClaimState.READY_TO_FREE),
                new Rejection.ClaimStillAttached(KEY, ALLOCATION, attachment()),
                new Rejection.AttachmentNotFound(KEY, NODE),
                new Rejection.AttachmentInUse(KEY, NODE, List.of(HOLDER)),
                new Rejection.WrongAttachmentState(KEY, NODE, AttachmentState.PUBLISHED, AttachmentState.UNPUBLISHING),
                new Rejection.PublishContextChanged(KEY, NODE));
    }

    private static List<Rejection> rejectionsOfCluster() {
        return List.of(
                new Rejection.FingerprintOutdated(NODE, 76, 77),
                new Rejection.AccessTokensExist(),
                new Rejection.VolumeClassChanged(RichState.volumeClass().name(), 12, 14),
                new Rejection.QuotaChanged(RichState.quota().key(), 12, 14),
                new Rejection.QuotaExceeded(KEY, List.of(EXCESS)),
                new Rejection.SnapshotNotFound(SampleSnapshots.KEY),
                new Rejection.PluginProfileChanged(PluginId.of("p1"), 32, 34),
                new Rejection.NodeNotFound(NODE),
                new Rejection.NodeLost(NODE, NodeStatus.FENCED),
                new Rejection.NodeMachineChanged(
                        NODE, PluginId.of("p1"), ExternalNodeId.of("i-2"), Optional.of(ExternalNodeId.of("i-3"))),
                new Rejection.PluginInUse(PluginId.of("p1"), List.of(INSTANCE), List.of(DEPLOYMENT), Optional.of(KEY)),
                new Rejection.InBatch(1, new Rejection.VolumeNotFound(KEY)));
    }
}
