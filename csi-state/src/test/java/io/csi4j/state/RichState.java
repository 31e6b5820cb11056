package io.csi4j.state;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.access.SecretHash;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRule;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.cluster.StateRestore;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.AccessTokenId;
import io.csi4j.core.id.AccountName;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.WritableState;
import io.csi4j.core.plugin.CallSettings;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.state.RowType;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.CapacityCheck;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.CreationForecast;
import io.csi4j.core.volume.EndedOwner;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RefusedCreation;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.core.volume.UnresolvedCall;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeBinding;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeKind;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.core.volume.WithdrawnCreation;
import io.csi4j.core.volume.WorkloadOwner;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** A small state that uses each field of each row. */
final class RichState {
    static final VolumeKey FULL = VolumeKey.of("default", "full");
    static final Map<String, String> SECRET = Map.of("password", "correct horse battery staple");
    private static final Instant AT = Instant.parse("2026-11-01T12:00:00.123456789Z");

    private static final CapabilitySet<PluginService> SERVICES =
            CapabilitySet.of(PluginService.class, List.of(PluginService.CONTROLLER_SERVICE));
    private static final CapabilitySet<ControllerCapability> CONTROLLER = CapabilitySet.fromNumbers(
            ControllerCapability.class, List.of(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME.number(), 4711));
    private static final CapabilitySet<NodeCapability> NODE = CapabilitySet.of(NodeCapability.class, List.of());

    private RichState() {}

    /** Returns a report that does not say which machine it is about. */
    static LedgerReport report() {
        return new LedgerReport(
                List.of(new VolumeUse(
                        FULL,
                        PluginId.of("p1"),
                        ExternalVolumeId.of("vol-1"),
                        AllocationId.of("a7"),
                        ClaimMode.WRITE,
                        RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER),
                        true)),
                List.of(VolumeKey.of("other", "unclear")));
    }

    /** Returns a report that uses each field. */
    static LedgerReport reportOfMachine() {
        return report().of(
                        Map.of(PluginId.of("p2"), ExternalNodeId.of("x"), PluginId.of("p1"), ExternalNodeId.of("i-1")));
    }

    static void write(WritableState state) {
        writeBeforeSourceSnapshots(state);
        state.put(RowType.PLUGIN_PROFILES, excludingProfile().stored(55, 56));
        state.put(RowType.PLUGIN_PROFILES, fixedProfile().stored(57, 57));
        state.put(RowType.SNAPSHOTS, SampleSnapshots.measured());
        state.putVolume(SampleSnapshots.restored());
        ClaimRequest restored = ClaimRequest.writing(
                        VolumeKey.of("default", "from-template"),
                        RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER))
                .madeFrom(SampleSnapshots.template());
        state.putRequestedClaims(new RequestedClaims(AllocationId.of("a9"), List.of(restored), 54, AT));
    }

    static void writeBeforeSourceSnapshots(WritableState state) {
        writeBeforeSnapshots(state);
        state.put(RowType.PLUGIN_PROFILES, namingProfile().stored(41, 41));
        SampleSnapshots.rows().forEach(row -> state.put(RowType.SNAPSHOTS, row));
    }

    static void writeBeforeSnapshots(WritableState state) {
        writeBeforeRepublish(state);
        state.put(RowType.PLUGIN_PROFILES, republishingProfile().stored(34, 34));
        state.put(
                RowType.PLUGIN_PROFILES,
                PluginProfile.builder(PluginId.of("p3"))
                        .tokenAudiences(List.of("a"))
                        .tokensOnlyAtMount(true)
                        .build()
                        .stored(35, 36));
        state.put(RowType.PLUGIN_PROFILES, callsProfile().stored(36, 36));
        state.putAllocation(new Allocation(
                AllocationId.of("a3"),
                Namespace.of("default"),
                NodeId.of("n1"),
                Optional.empty(),
                AllocationStatus.RUNNING,
                Optional.of(AccountName.of("builder")),
                37,
                38));
        state.putVolume(Volume.builder(
                        VolumeKey.of("team-a", "labelled"),
                        VolumeSpec.builder(PluginId.of("p1"))
                                .requestedCapabilities(volumeClass().requestedCapabilities())
                                .build(),
                        39,
                        AT)
                .claims(Claims.of(List.of(Claim.builder(
                                AllocationId.of("a3"),
                                NodeId.of("n1"),
                                ClaimMode.WRITE,
                                volumeClass().requestedCapabilities().get(0))
                        .mountOptions(new MountOptions(
                                "",
                                MountFlags.empty(),
                                "1000",
                                new OwnershipOptions(GroupChangePolicy.ON_ROOT_MISMATCH, OptionalLong.empty(), true),
                                Optional.of(new SecurityLabel("system_u:object_r:container_file_t:s0:c1,c2"))))
                        .createIndex(40)
                        .takenIndex(41)
                        .build())))
                .build());
    }

    static void writeBeforeRepublish(WritableState state) {
        writeBeforePluginProfiles(state);
        state.put(RowType.PLUGIN_PROFILES, pluginProfile().stored(31, 32));
        state.putVolume(Volume.builder(
                        VolumeKey.of("team-a", "described"),
                        VolumeSpec.builder(PluginId.of("p1"))
                                .name("csi-described")
                                .requestedCapabilities(volumeClass().requestedCapabilities())
                                .mountOptions(new MountOptions(
                                        "",
                                        MountFlags.empty(),
                                        "1000",
                                        new OwnershipOptions(GroupChangePolicy.ALWAYS, OptionalLong.of(1001))))
                                .build(),
                        33,
                        AT)
                .origin(VolumeOrigin.CREATED)
                .phase(VolumePhase.CREATING)
                .extraMetadata(true)
                .build());
    }

    /** Returns a profile that uses each field. */
    static PluginProfile pluginProfile() {
        return PluginProfile.builder(PluginId.of("p1"))
                .workloadInfo(true)
                .extraMetadata(true)
                .securityLabel(true)
                .build();
    }

    /** Returns a profile that uses each setting of calls. */
    static PluginProfile namingProfile() {
        return PluginProfile.builder(PluginId.of("p5")).snapshotMetadata(true).build();
    }

    static PluginProfile excludingProfile() {
        return PluginProfile.builder(PluginId.of("p6"))
                .ownershipExcludes(List.of(".snapshot", "lost+found"))
                .build();
    }

    static PluginProfile fixedProfile() {
        return PluginProfile.builder(PluginId.of("p7")).ownershipFixed(true).build();
    }

    static PluginProfile callsProfile() {
        return PluginProfile.builder(PluginId.of("p4"))
                .calls(CallSettings.builder()
                        .callsInFlight(4)
                        .callsPerVolume(2)
                        .controllersByPlace(true)
                        .rules(CallRules.defaults()
                                .withNotFoundAsDone()
                                .with(
                                        Rpc.DELETE_VOLUME,
                                        StatusCode.ABORTED,
                                        CallRule.elsewhere(CallOutcome.RETRY_AFTER_CAUSE, "not the leader"))
                                .with(
                                        Rpc.CREATE_VOLUME,
                                        StatusCode.RESOURCE_EXHAUSTED,
                                        CallRule.here(CallOutcome.RETRY_AFTER_CAUSE, "throttled")))
                        .build())
                .build();
    }

    /** Returns a profile that uses each field of its options for tokens. */
    static PluginProfile republishingProfile() {
        return PluginProfile.builder(PluginId.of("p2"))
                .republishInterval(Duration.ofMinutes(10))
                .tokenAudiences(List.of("", "sts.example.com"))
                .tokenExpiry(Duration.ofHours(1))
                .tokenDelivery(RepublishOptions.Delivery.VOLUME_CONTEXT)
                .build();
    }

    static void writeBeforePluginProfiles(WritableState state) {
        writeBeforeVerifications(state);
        state.put(RowType.RESTORES, RESTORE);
        for (Verification verification : verifications()) {
            VolumeKey key = VolumeKey.of("team-a", "restored-" + verification.stage());
            state.putVolume(Volume.builder(
                            key,
                            inlineClass()
                                    .spec(inlineRequests().get(1).template().orElseThrow()),
                            27,
                            AT)
                    .verification(verification)
                    .build());
        }
    }

    static void writeBeforeVerifications(WritableState state) {
        writeBeforeInline(state);
        state.put(RowType.VOLUME_CLASSES, inlineClass().stored(22, 23));
        state.put(RowType.VOLUME_CLASSES, exactClass().stored(26, 26));
        state.putRequestedClaims(new RequestedClaims(AllocationId.of("a8"), inlineRequests(), 24, AT));
        VolumeTemplate template = inlineRequests().get(0).template().orElseThrow();
        VolumeSpec spec = inlineClass().spec(template).toBuilder()
                .externalVolumeId(ExternalVolumeId.of("csi-1"))
                .restore();
        state.putVolume(Volume.builder(VolumeKey.of("team-a", "certificate"), spec, 25, AT)
                .origin(VolumeOrigin.INLINE)
                .classOrigin(new ClassOrigin(inlineClass().name(), 22, 23, ReclaimPolicy.DELETE))
                .owner(new VolumeOwner.OfAllocation(AllocationId.of("a8")))
                .build());
    }

    /** Returns a class of inline volumes. */
    static VolumeClass inlineClass() {
        return VolumeClass.builder(VolumeClassName.of("certificates"), PluginId.of("p1"))
                .kind(VolumeKind.INLINE)
                .requestedCapabilities(volumeClass().requestedCapabilities())
                .parameters(Map.of("issuer", "internal"))
                .attributeKeys(List.of("subject", "days"))
                .ephemeral(true)
                .build();
    }

    /** Returns requests for an inline volume, and for a volume with the content of a snapshot. */
    static List<ClaimRequest> inlineRequests() {
        RequestedCapability mount = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
        return List.of(
                ClaimRequest.writing(VolumeKey.of("team-a", "certificate"), mount)
                        .madeFrom(VolumeTemplate.builder(inlineClass().name())
                                .ofAllocation()
                                .attributes(Map.of("subject", "web"))
                                .build()),
                ClaimRequest.writing(VolumeKey.of("team-a", "restored"), mount)
                        .madeFrom(VolumeTemplate.builder(volumeClass().name())
                                .contentSource(VolumeContentSource.snapshot(SnapshotId.of("snap-1")))
                                .build()));
    }

    /** The last restore of the state. */
    static final StateRestore RESTORE = new StateRestore(30, "restored from monday", AT);

    /** Returns verifications that use each field. */
    static List<Verification> verifications() {
        Verification asked = Verification.asked(RESTORE.index())
                .notFound(1, new Attempt("NOT_FOUND", Optional.of(AT.plusSeconds(3))), AT);
        return List.of(
                asked,
                asked.notFound(2, new Attempt("NOT_FOUND", Optional.of(AT.plusSeconds(9))), AT),
                Verification.confirmed(RESTORE.index(), AT));
    }

    static void writeBeforeInline(WritableState state) {
        writeBeforeTemplates(state);
        VolumeSpec spec = volumeClass().spec(template());
        ClassOrigin origin = new ClassOrigin(volumeClass().name(), 11, 12, ReclaimPolicy.RETAIN);
        state.putVolume(Volume.builder(MADE, spec, 19, AT)
                .origin(VolumeOrigin.CREATED)
                .phase(VolumePhase.CREATING)
                .classOrigin(origin)
                .firstClaim(new FirstClaim(
                        AllocationId.of("a7"),
                        NodeId.of("n4"),
                        List.of(MADE, VolumeKey.of("team-a", "made-too")),
                        true,
                        true))
                .owner(new VolumeOwner.OfAllocation(AllocationId.of("a7")))
                .build());
        state.putVolume(Volume.builder(VolumeKey.of("team-a", "made~18"), spec, 18, AT)
                .origin(VolumeOrigin.CREATED)
                .phase(VolumePhase.DELETING)
                .classOrigin(origin)
                .formerKey(MADE)
                .build());
        state.putRequestedClaims(new RequestedClaims(AllocationId.of("a7"), requestsFromTemplates(), 20, AT));
        state.put(RowType.ENDED_OWNERS, new EndedOwner(Namespace.of("team-a"), WORKLOAD, AT));
        state.putVolume(Volume.builder(VolumeKey.of("team-a", "retained"), spec, 21, AT)
                .origin(VolumeOrigin.CREATED)
                .classOrigin(origin)
                .owner(new VolumeOwner.OfWorkload(WORKLOAD, Optional.of(AT)))
                .build());
    }

    /** A workload to which volumes belong. */
    static final WorkloadOwner WORKLOAD = WorkloadOwner.of("web", 3);

    /** The key of a volume that is made for a claim. */
    static final VolumeKey MADE = VolumeKey.of("team-a", "made");

    /** Returns a template that uses each field. */
    static VolumeTemplate template() {
        return VolumeTemplate.builder(volumeClass().name())
                .capacityRange(new CapacityRange(2_500, 2_600))
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .ofAllocation()
                .nodeTopologyOnly(true)
                .keepUnused(true)
                .build();
    }

    /** Returns requests for volumes that their claims make. */
    static List<ClaimRequest> requestsFromTemplates() {
        return List.of(
                ClaimRequest.writing(MADE, RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER))
                        .madeFrom(template()),
                ClaimRequest.of(
                                VolumeKey.of("team-a", "made-too"),
                                ClaimMode.READ,
                                RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER))
                        .madeFrom(VolumeTemplate.builder(volumeClass().name())
                                .ofWorkload(WORKLOAD)
                                .reuseRetained(true)
                                .build()));
    }

    static void writeBeforeTemplates(WritableState state) {
        writeBeforeQuotas(state);
        state.put(RowType.QUOTAS, quota().stored(14, 15));
        state.put(
                RowType.QUOTAS,
                new VolumeQuota(QuotaKey.of(Namespace.of("team-a")), OptionalLong.empty(), OptionalLong.of(0), 16, 16));
        state.putVolume(Volume.builder(
                        VolumeKey.of("team-a", "growing"),
                        VolumeSpec.builder(PluginId.of("p1"))
                                .requestedCapabilities(volumeClass().requestedCapabilities())
                                .build(),
                        17,
                        AT)
                .unsettledTargets(List.of(3_000L, 5_000L))
                .build());
        state.putWithdrawnCreation(new WithdrawnCreation(
                PluginId.of("p1"),
                "withdrawn-2",
                VolumeKey.of("team-a", "withdrawn"),
                18,
                0,
                Optional.empty(),
                CreationForecast.UNCLEAR,
                4_000,
                Optional.of(volumeClass().name()),
                new OperatorOverride("admin", "stuck", AT)));
    }

    /** Returns a quota that uses each field. */
    static VolumeQuota quota() {
        return new VolumeQuota(
                QuotaKey.of(Namespace.of("team-a"), volumeClass().name()),
                OptionalLong.of(20),
                OptionalLong.of(30_000));
    }

    static void writeBeforeQuotas(WritableState state) {
        writeBeforeVolumeClasses(state);
        state.put(RowType.VOLUME_CLASSES, volumeClass().stored(11, 12));
        state.put(
                RowType.VOLUME_CLASSES,
                VolumeClass.builder(VolumeClassName.of("archive"), PluginId.of("p9"))
                        .requestedCapabilities(volumeClass().requestedCapabilities())
                        .build()
                        .stored(9, 9));
        state.putVolume(Volume.builder(
                        VolumeKey.of("team-a", "of-class"),
                        volumeClass().spec(VolumeTemplate.of(volumeClass().name())),
                        13,
                        AT)
                .origin(VolumeOrigin.CREATED)
                .phase(VolumePhase.CREATING)
                .classOrigin(new ClassOrigin(volumeClass().name(), 11, 12, ReclaimPolicy.RETAIN))
                .build());
    }

    /** Returns a volume class that uses each field. */
    static VolumeClass volumeClass() {
        return VolumeClass.builder(VolumeClassName.of("fast"), PluginId.of("p1"))
                .parameters(Map.of("pool", "ssd"))
                .mutableParameters(Map.of("iops", "100"))
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .mountOptions(MountOptions.of("ext4", "noatime"))
                .defaultCapacity(new CapacityRange(2_000, 3_000))
                .leastBytes(1_000)
                .greatestBytes(9_000)
                .allowedTopologies(
                        List.of(Topology.of("example.com/zone", "z1"), Topology.of("example.com/zone", "z2")))
                .binding(VolumeBinding.AT_PLACEMENT)
                .reclaim(ReclaimPolicy.RETAIN)
                .fencingPolicy(FencingPolicy.afterGrace(Duration.ofSeconds(90)))
                .secrets(Secrets.of(SECRET))
                .namespaces(List.of(Namespace.of("team-b"), Namespace.of("team-a")))
                .build();
    }

    /** Returns a class whose known capacity counts otherwise than by default, and of which claims make no volumes. */
    static VolumeClass exactClass() {
        return VolumeClass.builder(VolumeClassName.of("exact"), PluginId.of("p1"))
                .requestedCapabilities(volumeClass().requestedCapabilities())
                .capacityCheck(CapacityCheck.REQUIRED)
                .useByTemplate(false)
                .build();
    }

    static void writeBeforeVolumeClasses(WritableState state) {
        writeBeforeRefusedCreations(state);
        state.put(RowType.REFUSED_CREATIONS, new RefusedCreation(9, FULL, REFUSED, AT));
        // The second index has more digits than the first one, and sorts after it.
        state.put(
                RowType.REFUSED_CREATIONS,
                new RefusedCreation(10, FULL, new RefusedCreation.Reason(Optional.empty(), "it is taken"), AT));
    }

    /** The reason of a refused creation that uses each field. */
    static final RefusedCreation.Reason REFUSED = new RefusedCreation.Reason(
            Optional.of(StatusCode.OUT_OF_RANGE), "CreateVolume for full at plugin p1 failed (OUT_OF_RANGE)");

    static void writeBeforeRefusedCreations(WritableState state) {
        writeBeforeAccessTokens(state);
        state.put(RowType.ACCESS_TOKENS, token());
        state.put(
                RowType.ACCESS_TOKENS,
                new AccessToken(
                        AccessTokenId.of("00f1c2d3e4a5b697"),
                        AccessTokenRequest.management("root"),
                        hash(7),
                        "csi4j",
                        AT));
    }

    /** Returns an access token that uses each field, except that it is no management token. */
    static AccessToken token() {
        return new AccessToken(
                AccessTokenId.of("5f0c7a91e2d84b36"),
                AccessTokenRequest.of("ann", List.of("team-b", "team-a")).expiringAt(AT.plusSeconds(60)),
                hash(1),
                "root",
                AT.plusSeconds(5));
    }

    private static SecretHash hash(int first) {
        byte[] bytes = new byte[SecretHash.LENGTH];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (first + 9 * i);
        }
        return SecretHash.of(bytes);
    }

    static void writeBeforeAccessTokens(WritableState state) {
        writeBeforeRequestedClaims(state);
        // The second index has more digits than the first one, and sorts after it.
        for (long index : List.of(8L, 9L, 10L)) {
            state.putRequestedClaims(new RequestedClaims(
                    AllocationId.of("a7"),
                    List.of(
                            new ClaimRequest(
                                    FULL,
                                    ClaimMode.WRITE,
                                    RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER),
                                    new MountOptions("ext4", MountFlags.of("secret=" + index), "1000")),
                            ClaimRequest.of(
                                    VolumeKey.of("default", "plain"),
                                    ClaimMode.READ,
                                    RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER))),
                    index,
                    AT));
        }
    }

    static void writeBeforeRequestedClaims(WritableState state) {
        writeBeforeLeftovers(state);
        PluginFacts facts = state.facts(PluginId.of("p1")).orElseThrow();
        state.putFacts(new PluginFacts(
                facts.pluginId(),
                facts.provider(),
                facts.vendorVersion(),
                facts.capabilities(),
                Optional.of(new OperatorOverride("ann", "renamed", AT))));
        state.putNode(new Node(
                NodeId.of("n4"),
                NodeStatus.DOWN,
                AT,
                "was FENCED",
                9,
                78,
                List.of(),
                new NodeLedger(8, List.of(report(), reportOfMachine()))));
        state.putVolume(Volume.builder(
                        VolumeKey.of("default", "adopted"),
                        VolumeSpec.builder(PluginId.of("p1"))
                                .requestedCapabilities(
                                        List.of(RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER)))
                                .build(),
                        7,
                        AT)
                .claims(Claims.of(List.of(Claim.builder(
                                AllocationId.of("a7"),
                                NodeId.of("n4"),
                                ClaimMode.WRITE,
                                RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER))
                        .createIndex(9)
                        .adopted(true)
                        .build())))
                .build());
        RequestedCapability writer = RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER);
        OperatorOverride word = new OperatorOverride("ann", "array replaced", AT.plusSeconds(4));
        Claim left = Claim.builder(AllocationId.of("a3"), NodeId.of("n1"), ClaimMode.WRITE, writer)
                .state(ClaimState.UNPUBLISHING)
                .createIndex(7)
                .formerVolume(VolumeKey.of("default", "forgotten"))
                .build();
        state.putVolume(Volume.builder(
                        VolumeKey.of("default", "taken-over"),
                        VolumeSpec.builder(PluginId.of("p1"))
                                .requestedCapabilities(List.of(writer))
                                .build(),
                        9,
                        AT)
                .claims(Claims.of(List.of(left)))
                .build());
        state.putVolume(Volume.builder(
                        VolumeKey.of("default", "without-room"),
                        VolumeSpec.builder(PluginId.of("p1"))
                                .name("without-room-1")
                                .requestedCapabilities(List.of(writer))
                                .build(),
                        9,
                        AT)
                .origin(VolumeOrigin.CREATED)
                .phase(VolumePhase.CREATING)
                .retry(Retry.of(1, "no room", AT.plusSeconds(3)).unresolved(new UnresolvedCall(8, true, true, true)))
                .build());
        state.putLeftover(new Leftover(
                PluginId.of("p1"),
                ExternalVolumeId.of("vol-9"),
                VolumeKey.of("default", "forgotten"),
                Claims.of(List.of(left)),
                Attachments.of(List.of(Attachment.builder(NodeId.of("n1"), writer)
                        .state(AttachmentState.UNPUBLISHING)
                        .createIndex(7)
                        .build())),
                word,
                8));
        state.putWithdrawnCreation(new WithdrawnCreation(
                PluginId.of("p1"),
                "withdrawn-1",
                VolumeKey.of("default", "withdrawn"),
                7,
                8,
                Optional.of(ExternalVolumeId.of("vol-10")),
                CreationForecast.NO_ROOM,
                0,
                Optional.empty(),
                word));
        state.putNode(new Node(
                NodeId.of("n3"),
                NodeStatus.READY,
                AT,
                "",
                8,
                5,
                List.of(new NodeMachine(
                        PluginId.of("p1"),
                        ExternalNodeId.of("i-4"),
                        true,
                        List.of(new NodeMachine.Former(ExternalNodeId.of("i-3"), true)),
                        Optional.of(word))),
                NodeLedger.settled()));
    }

    /** Writes a state of format 3 without leftovers, withdrawn creations, machines of nodes, and the fields that came with them. */
    static void writeBeforeLeftovers(WritableState state) {
        writeFormat2(state);
        state.putVolume(Volume.builder(
                        VolumeKey.of("default", "uncertain"),
                        VolumeSpec.builder(PluginId.of("p1"))
                                .requestedCapabilities(
                                        List.of(RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER)))
                                .build(),
                        7,
                        AT)
                .origin(VolumeOrigin.CREATED)
                .phase(VolumePhase.CREATING)
                .retry(Retry.of(1, "timeout", AT.plusSeconds(3)).unresolved(new UnresolvedCall(8, true)))
                .build());
    }

    /** Writes a state that format 2 can express: without retries of volumes and without unresolved calls in retries. */
    static void writeFormat2(WritableState state) {
        plugins(state);
        state.putNode(new Node(NodeId.of("n1"), NodeStatus.READY, AT, "", 3));
        state.putNode(new Node(
                NodeId.of("n2"),
                NodeStatus.FENCED,
                AT.plusSeconds(1),
                "power off",
                4,
                77,
                List.of(),
                NodeLedger.settled()));
        state.putAllocation(new Allocation(
                AllocationId.of("a1"),
                Namespace.of("default"),
                NodeId.of("n1"),
                Optional.of(DeploymentId.of("default", "web")),
                AllocationStatus.RUNNING,
                5));
        state.putAllocation(new Allocation(
                AllocationId.of("a2"),
                Namespace.of("default"),
                NodeId.of("n2"),
                Optional.empty(),
                AllocationStatus.ENDED,
                6));
        state.putVolume(full());
        state.putVolume(Volume.builder(
                        VolumeKey.of("default", "plain"),
                        VolumeSpec.builder(PluginId.of("p1"))
                                .requestedCapabilities(
                                        List.of(RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER)))
                                .fencingPolicy(FencingPolicy.onFence())
                                .build(),
                        8,
                        AT)
                .build());
        state.putVolume(Volume.builder(
                        VolumeKey.of("other", "full"),
                        VolumeSpec.builder(PluginId.of("p2"))
                                .requestedCapabilities(
                                        List.of(RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY)))
                                .contentSource(VolumeContentSource.volume(ExternalVolumeId.of("vol-7")))
                                .fencingPolicy(FencingPolicy.waitForConfirmation())
                                .build(),
                        9,
                        AT)
                .origin(VolumeOrigin.CREATED)
                .phase(VolumePhase.CREATING)
                .build());
    }

    private static void plugins(WritableState state) {
        state.putFacts(new PluginFacts(
                PluginId.of("p1"),
                Optional.of("example.com"),
                Optional.of("1.2"),
                instance().capabilities(),
                Optional.empty()));
        state.putFacts(PluginFacts.none(PluginId.of("p2")));
        state.putDeployment(deployment());
        state.putInstance(instance());
        state.putInstance(PluginInstance.builder(
                        new InstanceKey(NodeId.of("n2"), PluginId.of("p2"), PluginType.NODE, Optional.empty()), AT)
                .build());
    }

    /** Writes an instance that has not answered yet; the state of {@link #write} is older than such rows. */
    static void writeUnproved(WritableState state) {
        state.putInstance(unproved());
    }

    static PluginInstance unproved() {
        return PluginInstance.builder(
                        new InstanceKey(NodeId.of("n2"), PluginId.of("p3"), PluginType.NODE, Optional.empty()), AT)
                .health(false, "its socket is missing")
                .proved(false)
                .build();
    }

    static PluginDeployment deployment() {
        return PluginDeployment.of(
                DeploymentId.of("default", "csi"),
                Map.of(PluginId.of("p1"), new ExpectedInstances(2, 3), PluginId.of("p2"), new ExpectedInstances(0, 1)));
    }

    static PluginInstance instance() {
        return PluginInstance.builder(
                        new InstanceKey(
                                NodeId.of("n1"),
                                PluginId.of("p1"),
                                PluginType.MONOLITH,
                                Optional.of(AllocationId.of("a9"))),
                        AT)
                .health(false, "does not answer")
                .updatedAt(AT.plusSeconds(9))
                .provider("example.com")
                .vendorVersion("1.2")
                .capabilities(Capabilities.unknown()
                        .withServices(SERVICES)
                        .withController(CONTROLLER)
                        .withNode(NODE)
                        .withVolumeExpansion(VolumeExpansion.OFFLINE))
                .nodeInfo(
                        new NodeInfo(ExternalNodeId.of("i-1"), 16, Optional.of(Topology.of("example.com/zone", "z1"))))
                .build();
    }

    static Volume full() {
        RequestedCapability shared = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("z", "kept in this order");
        parameters.put("a", "\u00e4\u4e00\ud83d\ude00");
        VolumeSpec spec = VolumeSpec.builder(PluginId.of("p1"))
                .name("Full")
                .externalVolumeId(ExternalVolumeId.of("vol-1"))
                .requestedCapabilities(List.of(shared, RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .mountOptions(new MountOptions("ext4", MountFlags.of("noatime", "discard"), "1000"))
                .secrets(Secrets.of(SECRET))
                .parameters(parameters)
                .mutableParameters(Map.of("iops", "100"))
                .volumeContext(VolumeContext.of(Map.of("share", "//nas")))
                .capacityRange(CapacityRange.between(10, 20))
                .contentSource(VolumeContentSource.snapshot(SnapshotId.of("snap-1")))
                .accessibilityRequirements(new TopologyRequirement(
                        List.of(Topology.of("example.com/zone", "z1"), Topology.of("example.com/zone", "z2")),
                        List.of(Topology.of("example.com/zone", "z1"))))
                .fencingPolicy(FencingPolicy.afterGrace(Duration.ofMillis(90_500)))
                .sharedWith(List.of(Namespace.of("team-b"), Namespace.of("team-a")))
                .build();
        OperatorOverride word = new OperatorOverride("ann", "disk pulled", AT.plusSeconds(5));
        Claim taken = Claim.builder(AllocationId.of("a1"), NodeId.of("n1"), ClaimMode.WRITE, shared)
                .externalNodeId(ExternalNodeId.of("i-1"))
                .mountOptions(MountOptions.of("", "ro"))
                .createIndex(7)
                .takenIndex(9)
                .build();
        Claim releasing = Claim.builder(AllocationId.of("a2"), NodeId.of("n2"), ClaimMode.READ, shared)
                .state(ClaimState.NODE_DETACHED)
                .retry(Retry.of(3, "unavailable", AT.plusSeconds(60)))
                .operatorOverride(word)
                .createIndex(8)
                .build();
        Attachment published = Attachment.builder(NodeId.of("n1"), shared)
                .externalNodeId(ExternalNodeId.of("i-1"))
                .state(AttachmentState.PUBLISHED)
                .publishContext(PublishContext.of(Map.of("device", "/dev/sdb")))
                .createIndex(7)
                .build();
        Attachment going = Attachment.builder(NodeId.of("n2"), shared)
                .readonly(true)
                .mountOptions(MountOptions.of("ext4"))
                .state(AttachmentState.UNPUBLISHING)
                .retry(Retry.of(1, null, null))
                .operatorOverride(word)
                .createIndex(8)
                .build();
        return Volume.builder(FULL, spec, 7, AT)
                .origin(VolumeOrigin.CREATED)
                .facts(ProviderFacts.builder()
                        .externalVolumeId(ExternalVolumeId.of("vol-1"))
                        .capacityBytes(12)
                        .accessibleTopology(List.of(Topology.of("example.com/zone", "z1")))
                        .volumeContext(VolumeContext.of(Map.of("pool", "fast")))
                        .contentSource(VolumeContentSource.snapshot(SnapshotId.of("snap-1")))
                        .build())
                .claims(Claims.of(List.of(taken, releasing)))
                .attachments(Attachments.of(List.of(published, going)))
                .expansion(growing())
                .modification(Modification.restore(
                        Map.of(
                                "tier", new Modification.RequestedChange("gold", 7, 6),
                                "iops", new Modification.RequestedChange("100", 8, 8)),
                        9,
                        Retry.of(2, "unavailable", AT.plusSeconds(9))))
                .modified(8, AT.plusSeconds(8))
                .build();
    }

    private static Expansion growing() {
        SortedMap<AllocationId, Expansion.OnNode> nodes = new TreeMap<>();
        nodes.put(AllocationId.of("a1"), new Expansion.OnNode(7, true, 200, Retry.none()));
        nodes.put(AllocationId.of("a2"), new Expansion.OnNode(8, false, 0, Retry.of(1, "in use", null)));
        return new Expansion(
                CapacityRange.between(200, 300), Expansion.Stage.NODES, Retry.of(1, "later", AT.plusSeconds(1)), nodes);
    }
}
