package io.csi4j.core.internal.apply;

import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.access.SecretHash;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.cluster.StorageLoss;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AccessTokenId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeClassName;
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
import io.csi4j.core.internal.command.SnapshotCommand;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.snapshot.SnapshotSpec;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RefusedCreation;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.UnresolvedCall;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Generates random commands with few different ids, so that many commands concern the same rows and many are rejected.
 * The same seed gives the same commands. Not safe for use by several threads.
 */
public final class RandomCommands {
    /** The namespace with which some of the volumes are shared. */
    public static final Namespace SHARED_WITH = Namespace.of("team-b");

    private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");
    private static final VolumeAccessMode[] MODES = {
        VolumeAccessMode.SINGLE_NODE_WRITER,
        VolumeAccessMode.SINGLE_NODE_READER_ONLY,
        VolumeAccessMode.MULTI_NODE_READER_ONLY,
        VolumeAccessMode.MULTI_NODE_SINGLE_WRITER,
        VolumeAccessMode.MULTI_NODE_MULTI_WRITER,
        VolumeAccessMode.SINGLE_NODE_SINGLE_WRITER,
        VolumeAccessMode.SINGLE_NODE_MULTI_WRITER
    };

    private final RandomGenerator random;
    private final RandomGenerator profiles = new Random(7);
    private final RandomGenerator snapshots = new Random(11);
    private final int volumes;
    private final int nodes;
    private final int allocations;
    private long tick;
    private List<Volume> known = List.of();
    private List<VolumeSnapshot> snapshotRows = List.of();
    private List<Volume> inUse = List.of();
    private List<AllocationId> alive = List.of();
    private List<AllocationId> ended = List.of();
    private List<PluginInstance> running = List.of();
    private List<Leftover> leftovers = List.of();
    private List<WithdrawnCreation> withdrawn = List.of();
    private List<NodeId> unreported = List.of();

    private List<NodeId> lost = List.of();
    private List<RequestedClaims> requested = List.of();
    private List<VolumeClass> classes = List.of();

    public RandomCommands(RandomGenerator random) {
        this(random, 12, 5, 30);
    }

    public RandomCommands(RandomGenerator random, int volumes, int nodes, int allocations) {
        this.random = random;
        this.volumes = volumes;
        this.nodes = nodes;
        this.allocations = allocations;
    }

    /** Returns the next command, which often concerns a row of the given state. */
    public Command next(StateReader state) {
        tick++;
        known = state.volumes(VolumeQuery.all()).items();
        snapshotRows = new ArrayList<>();
        state.snapshots().forEach(snapshotRows::add);
        inUse = known.stream().filter(Volume::inUse).toList();
        alive = new ArrayList<>();
        ended = new ArrayList<>();
        state.allocations().forEach(allocation -> {
            (allocation.ended() ? ended : alive).add(allocation.id());
        });
        running = new ArrayList<>();
        state.instances().forEach(running::add);
        leftovers = new ArrayList<>();
        state.leftovers().forEach(leftovers::add);
        withdrawn = new ArrayList<>();
        state.withdrawnCreations().forEach(withdrawn::add);
        unreported = new ArrayList<>();
        state.unsettledNodes().forEach(node -> unreported.add(node.id()));
        lost = new ArrayList<>();
        state.nodes().forEach(node -> {
            if (node.status().lost()) {
                lost.add(node.id());
            }
        });
        classes = new ArrayList<>();
        state.volumeClasses().forEach(classes::add);
        requested = new ArrayList<>();
        state.requestedClaims().forEach(requested::add);
        if (random.nextInt(20) > 0) {
            return single();
        }
        List<Command> commands = new ArrayList<>();
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            commands.add(single());
        }
        return new Batch(commands, at());
    }

    private Command single() {
        int dice = random.nextInt(100);
        if (dice < 14) {
            return volumeCommand();
        }
        if (dice < 36) {
            return take();
        }
        if (dice < 58) {
            return claimCommand();
        }
        if (dice < 74) {
            return attachmentCommand();
        }
        if (dice < 80) {
            return nodeCommand();
        }
        if (dice == 80) {
            return owner();
        }
        return dice < 90 ? allocationCommand() : pluginCommand();
    }

    private <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private Instant at() {
        return EPOCH.plusSeconds(tick);
    }

    private VolumeKey volume() {
        return VolumeKey.of(random.nextInt(3) == 0 ? "batch" : "default", "v" + random.nextInt(volumes));
    }

    private NodeId node() {
        return NodeId.of("n" + random.nextInt(nodes));
    }

    private AllocationId allocation() {
        return AllocationId.of("a" + random.nextInt(allocations));
    }

    /** Returns the node of an allocation, and sometimes another node, which must be rejected. */
    private NodeId nodeOf(AllocationId allocation) {
        return random.nextInt(30) == 0
                ? node()
                : NodeId.of("n" + Integer.parseInt(allocation.value().substring(1)) % nodes);
    }

    private PluginId plugin() {
        return PluginId.of("p" + random.nextInt(4));
    }

    /** Derives the plugin from the volume id, so that registrations and claims of a volume match. */
    private static PluginId pluginOf(VolumeKey key) {
        return PluginId.of("p" + number(key) % 3);
    }

    private VolumeAccessMode modeOf(VolumeKey key) {
        return random.nextInt(12) == 0 ? MODES[random.nextInt(MODES.length)] : MODES[number(key) % MODES.length];
    }

    /** Returns the number of a volume, also of one that was given up or belongs to an allocation. */
    private static int number(VolumeKey key) {
        return Integer.parseInt(key.volumeId().value().replaceFirst("v(\\d+).*", "$1"));
    }

    private Command volumeCommand() {
        VolumeKey key = volume();
        if (random.nextInt(3) == 0 && !(leftovers.isEmpty() && withdrawn.isEmpty())) {
            return withdrawn.isEmpty() || random.nextBoolean() ? removal(key) : withdrawal(key);
        }
        if (random.nextInt(4) == 0) {
            List<Volume> changed = inUse.isEmpty() || random.nextBoolean() ? known : inUse;
            return changeCommand(
                    changed.isEmpty() || random.nextInt(10) == 0
                            ? key
                            : pick(changed).key());
        }
        if (random.nextInt(30) == 0) {
            return fromClass(key);
        }
        if (random.nextInt(5) == 0) {
            return made();
        }
        List<Volume> leaving = known.stream()
                .filter(volume -> volume.phase() == VolumePhase.DELETING && !volume.inUse())
                .toList();
        if (!leaving.isEmpty() && random.nextInt(3) == 0) {
            return new VolumeCommand.DeregisterVolume(pick(leaving).key(), true, at());
        }
        return switch (random.nextInt(10)) {
            case 0, 1, 2 ->
                new VolumeCommand.RegisterVolume(
                        key,
                        spec(key),
                        random.nextInt(4) == 0 ? VolumeOrigin.CREATED : VolumeOrigin.REGISTERED,
                        ProviderFacts.none(),
                        at());
            case 3 -> new VolumeCommand.UpdateVolume(key, spec(key), 0, at());
            case 4, 5 -> new VolumeCommand.RecordProviderFacts(key, facts(key), at());
            case 6 ->
                new VolumeCommand.SetVolumePhase(
                        key,
                        random.nextInt(3) == 0 ? pick(List.of(VolumePhase.values())) : VolumePhase.AVAILABLE,
                        at());
            case 7 ->
                random.nextInt(3) == 0
                        ? removal(key)
                        : new VolumeCommand.SetVolumePhase(key, VolumePhase.AVAILABLE, at());
            case 8 -> random.nextInt(3) == 0 ? withdrawal(key) : phaseCall(key);
            default ->
                switch (random.nextInt(4)) {
                    case 0, 1 -> discard(key);
                    case 2 -> verification(key);
                    default -> new VolumeCommand.MarkForGc(key, at());
                };
        };
    }

    /** Returns the answer to the question whether the storage provider has a volume, if there is such a question. */
    private Command verification(VolumeKey key) {
        List<Volume> asked = known.stream().filter(Volume::toBeVerified).toList();
        if (asked.isEmpty()) {
            return new VolumeCommand.RecordVerified(key, random.nextInt(100), random.nextInt(100), at());
        }
        Volume volume = pick(asked);
        Verification verification = volume.verification().orElseThrow();
        return random.nextInt(4) > 0
                ? new VolumeCommand.RecordVerified(
                        volume.key(), volume.createIndex(), verification.restoredIndex(), at())
                : new CallCommand.RecordCallError(
                        volume.key(),
                        new CallTarget.OfVerification(
                                volume.createIndex(), verification.restoredIndex(), random.nextInt(3)),
                        new Attempt("gone", Optional.of(at())),
                        at());
    }

    /** Returns the end of a volume that was made for a claim, if there is one. */
    private Command discard(VolumeKey key) {
        List<Volume> unused =
                known.stream().filter(volume -> volume.firstClaim().isPresent()).toList();
        Optional<Volume> volume = unused.isEmpty() || random.nextInt(4) == 0
                ? known.stream().filter(there -> there.key().equals(key)).findFirst()
                : Optional.of(pick(unused));
        return new VolumeCommand.DiscardUnused(
                volume.map(Volume::key).orElse(key),
                random.nextInt(10) == 0
                        ? random.nextInt(100)
                        : volume.map(Volume::createIndex).orElse(1L),
                random.nextBoolean()
                        ? Optional.empty()
                        : Optional.of(new RefusedCreation.Reason(Optional.empty(), "full")),
                at());
    }

    private Command withdrawal(VolumeKey key) {
        if (withdrawn.isEmpty() || random.nextInt(4) == 0) {
            // Few volumes can be withdrawn: most commands name one of them.
            List<Volume> uncertain = known.stream()
                    .filter(volume -> volume.phase() == VolumePhase.CREATING
                            && volume.retry().unresolved().isPresent())
                    .toList();
            Optional<Volume> volume = uncertain.isEmpty() || random.nextInt(4) == 0
                    ? known.stream().filter(one -> one.key().equals(key)).findFirst()
                    : Optional.of(pick(uncertain));
            return new VolumeCommand.WithdrawCreation(
                    volume.map(Volume::key).orElse(key),
                    volume.map(Volume::createIndex).orElse(1L),
                    "operator",
                    "random",
                    at());
        }
        WithdrawnCreation row = pick(withdrawn);
        return random.nextBoolean()
                ? new WithdrawnCreationCommand.ForgetWithdrawnCreation(
                        row.key(), row.createIndex(), "operator", "random", at())
                : new WithdrawnCreationCommand.RecordLateAnswer(
                        row.key(),
                        row.createIndex(),
                        row.lastCall(),
                        random.nextBoolean()
                                ? Optional.of(ExternalVolumeId.of(key.volumeId().value()))
                                : Optional.empty(),
                        at());
    }

    private Command removal(VolumeKey key) {
        if (leftovers.isEmpty() || random.nextBoolean()) {
            return random.nextBoolean()
                    ? new VolumeCommand.ForgetVolume(
                            inUse.isEmpty() ? key : pick(inUse).key(), 0, "operator", "random", at())
                    : new VolumeCommand.DeregisterVolume(key, random.nextBoolean(), at());
        }
        List<Leftover> mounted =
                leftovers.stream().filter(one -> !one.claims().isEmpty()).toList();
        Leftover leftover = pick(mounted.isEmpty() ? leftovers : mounted);
        List<Claim> claims = new ArrayList<>();
        leftover.claims().forEach(claims::add);
        if (claims.isEmpty() || random.nextInt(4) == 0) {
            return new LeftoverCommand.OverrideLeftover(
                    leftover.key(),
                    random.nextBoolean() ? leftover.createIndex() : random.nextInt(100),
                    "operator",
                    "random",
                    at());
        }
        Claim claim = pick(claims);
        return new LeftoverCommand.RecordUnmounted(
                leftover.key(), random.nextInt(4) == 0 ? node() : claim.nodeId(), claim.allocationId(), at());
    }

    private Command phaseCall(VolumeKey key) {
        Optional<Volume> volume =
                known.stream().filter(there -> there.key().equals(key)).findFirst();
        long index = random.nextInt(10) == 0
                ? random.nextInt(100)
                : volume.map(Volume::createIndex).orElse(1L);
        VolumePhase phase = random.nextInt(10) == 0
                ? pick(List.of(VolumePhase.values()))
                : volume.map(Volume::phase).orElse(VolumePhase.CREATING);
        long call = volume.map(Volume::retry)
                .flatMap(Retry::unresolved)
                .filter(begun -> random.nextBoolean())
                .map(UnresolvedCall::index)
                .orElse(0L);
        return random.nextBoolean()
                ? new CallCommand.BeginCall(key, new CallTarget.OfVolume(index, phase), at())
                : new CallCommand.RecordCallError(
                        key, new CallTarget.OfVolume(index, phase), new Attempt("busy", Optional.of(at()), call), at());
    }

    private Command changeCommand(VolumeKey key) {
        Optional<Volume> volume =
                known.stream().filter(there -> there.key().equals(key)).findFirst();
        CapacityRange range = volume.flatMap(Volume::expansion)
                .filter(request -> random.nextInt(5) > 0)
                .map(Expansion::range)
                .orElse(CapacityRange.atLeast(random.nextInt(1, 200)));
        long index = random.nextInt(10) == 0
                ? random.nextInt(100)
                : volume.map(Volume::createIndex).orElse(1L);
        Map<String, String> changes = volume.flatMap(Volume::modification)
                .filter(request -> random.nextInt(3) > 0)
                .<Map<String, String>>map(Modification::changes)
                .orElse(Map.of("tier" + random.nextInt(2), "" + random.nextInt(2)));
        Attempt attempt = random.nextInt(3) == 0 ? new Attempt("refused", Optional.empty()) : attempt();
        long requestIndex = random.nextInt(5) == 0
                ? random.nextInt(100)
                : volume.flatMap(Volume::modification).map(Modification::index).orElse(1L);
        return switch (random.nextInt(11)) {
            case 0, 1 -> new ChangeCommand.BeginExpansion(key, range, at());
            case 2 ->
                new ChangeCommand.RecordExpanded(key, index, range, random.nextInt(200), random.nextInt(4) > 0, at());
            case 3 -> new CallCommand.RecordCallError(key, new CallTarget.OfExpansion(range), attempt, at());
            case 4, 5 -> nodeExpansion(key, volume, range, attempt);
            case 6 -> new ChangeCommand.BeginModification(key, changes, at());
            case 7 -> new ChangeCommand.RecordModified(key, index, requestIndex, changes, at());
            case 8 -> new CallCommand.BeginCall(key, new CallTarget.OfModification(requestIndex), at());
            case 9 -> new ChangeCommand.WithdrawExpansion(key, index, range, at());
            default -> new CallCommand.RecordCallError(key, new CallTarget.OfModification(requestIndex), attempt, at());
        };
    }

    private Command nodeExpansion(VolumeKey key, Optional<Volume> volume, CapacityRange range, Attempt attempt) {
        List<Claim> claims = new ArrayList<>();
        volume.ifPresent(there -> there.claims().forEach(claims::add));
        Optional<Claim> claim = claims.isEmpty() ? Optional.empty() : Optional.of(pick(claims));
        AllocationId allocation = claim.map(Claim::allocationId).orElseGet(this::allocation);
        long claimIndex = claim.map(Claim::createIndex).orElse(1L);
        return random.nextBoolean()
                ? new CallCommand.RecordCallError(
                        key, new CallTarget.OfNodeExpansion(allocation, claimIndex, range), attempt, at())
                : new ChangeCommand.RecordNodeExpansion(key, allocation, claimIndex, range, random.nextInt(200), at());
    }

    private VolumeSpec spec(VolumeKey key) {
        VolumeSpec.Builder spec = VolumeSpec.builder(random.nextInt(20) == 0 ? plugin() : pluginOf(key))
                .requestedCapabilities(List.of(
                        RequestedCapability.mount(MODES[number(key) % MODES.length]),
                        RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER)));
        if (random.nextInt(4) == 0) {
            spec.externalVolumeId(ExternalVolumeId.of("ext-" + random.nextInt(volumes)));
        }
        if (random.nextInt(2) == 0) {
            spec.sharedWith(List.of(SHARED_WITH));
        }
        if (random.nextInt(4) == 0) {
            spec.mountOptions(MountOptions.of("ext4", "flag" + random.nextInt(2)));
        }
        if (random.nextInt(4) == 0) {
            spec.capacityRange(CapacityRange.atLeast(random.nextInt(1, 100)));
        }
        if (random.nextInt(6) == 0) {
            spec.accessibilityRequirements(TopologyRequirement.requisite(zone(random.nextInt(2))));
        }
        return spec.build();
    }

    private ProviderFacts facts(VolumeKey key) {
        ProviderFacts.Builder facts = ProviderFacts.builder().capacityBytes(random.nextInt(100));
        if (random.nextBoolean()) {
            facts.externalVolumeId(ExternalVolumeId.of("ext-" + (random.nextInt(5) == 0 ? 0 : number(key))));
        }
        return facts.build();
    }

    /** Returns a zone of nodes, or at times one that no node reports: a lost node can have been the only one in it. */
    private Topology anyZone() {
        return zone(random.nextInt(8) == 0 ? 2 : random.nextInt(2));
    }

    private static Topology zone(int number) {
        return Topology.of("example.com/zone", "z" + number);
    }

    private Command take() {
        AllocationId allocation = alive.isEmpty() || random.nextInt(10) == 0 ? allocation() : pick(alive);
        if (!classes.isEmpty() && random.nextInt(4) == 0) {
            return takeFromTemplates(allocation);
        }
        Map<VolumeKey, ClaimRequest> requests = new TreeMap<>();
        for (int i = random.nextInt(4) == 0 ? 2 : 1; i > 0; i--) {
            List<Volume> usable = random.nextInt(4) == 0
                    ? known
                    : known.stream()
                            .filter(volume -> volume.usableIn(Namespace.of("default"))
                                    && volume.owner().isEmpty()
                                    && volume.phase() == VolumePhase.AVAILABLE)
                            .toList();
            VolumeKey key = usable.isEmpty() || random.nextInt(10) == 0
                    ? volume()
                    : pick(usable).key();
            requests.put(
                    key,
                    new ClaimRequest(
                            key,
                            random.nextInt(5) < 3 ? ClaimMode.READ : ClaimMode.WRITE,
                            random.nextInt(10) == 0
                                    ? RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER)
                                    : RequestedCapability.mount(modeOf(key)),
                            random.nextInt(8) == 0 ? MountOptions.of("", "ro") : MountOptions.none()));
        }
        return stored(allocation, List.copyOf(requests.values()));
    }

    /** Returns a command about claims that make their volumes if they do not exist. */
    private Command takeFromTemplates(AllocationId allocation) {
        List<Volume> unused =
                known.stream().filter(volume -> volume.firstClaim().isPresent()).toList();
        List<Volume> left = unused.stream()
                .filter(volume -> volume.firstClaim().orElseThrow().ended())
                .toList();
        if (!left.isEmpty() && random.nextInt(3) > 0) {
            return takeMade(pick(left), allocation);
        }
        if (!unused.isEmpty() && random.nextInt(3) > 0) {
            return takeMade(pick(unused), allocation);
        }
        Map<VolumeKey, ClaimRequest> requests = new TreeMap<>();
        for (int i = 1 + random.nextInt(3) / 2; i > 0; i--) {
            VolumeClass row = pick(classes);
            VolumeTemplate.Builder template = VolumeTemplate.builder(random.nextInt(20) == 0 ? className() : row.name())
                    .keepUnused(random.nextInt(6) == 0)
                    .nodeTopologyOnly(random.nextInt(6) == 0);
            boolean inline = row.kind() == VolumeKind.INLINE && random.nextInt(8) > 0;
            if (inline) {
                template.keepUnused(false)
                        .nodeTopologyOnly(false)
                        .attributes(Map.of("subject", "s" + random.nextInt(2)));
            } else if (random.nextInt(3) == 0) {
                template.capacityRange(CapacityRange.atLeast(1 + random.nextInt(2)));
            }
            VolumeKey key = random.nextInt(4) == 0
                    ? volume()
                    : VolumeKey.of("default", "v" + (volumes + random.nextInt(volumes)));
            if (!inline && random.nextInt(3) == 0) {
                template.ofWorkload(workload()).reuseRetained(random.nextBoolean());
            } else if (inline || random.nextInt(3) == 0) {
                template.ofAllocation();
                key = VolumeKey.ofAllocation(
                        key.namespace(), allocation, key.volumeId().value());
            }
            requests.put(
                    key,
                    ClaimRequest.writing(key, row.requestedCapabilities().get(0))
                            .madeFrom(template.build()));
        }
        return stored(allocation, List.copyOf(requests.values()));
    }

    private WorkloadOwner workload() {
        // Incarnations that have ended never run again, so later ones take their place.
        return WorkloadOwner.of("w" + random.nextInt(3), 1 + tick / 500 + random.nextInt(3));
    }

    /** Returns a command about a workload to which volumes belong, and what becomes of them. */
    private Command owner() {
        List<Volume> owned = known.stream()
                .filter(volume ->
                        volume.owner().flatMap(VolumeOwner::ofWorkload).isPresent())
                .toList();
        if (owned.isEmpty() || random.nextInt(6) == 0) {
            return new OwnerCommand.EndOwner(Namespace.of("default"), workload(), at());
        }
        Volume volume = pick(owned);
        long createIndex = volume.createIndex() - random.nextInt(20) / 19;
        return random.nextBoolean()
                ? new OwnerCommand.SetReclaim(volume.key(), createIndex, pick(List.of(ReclaimPolicy.values())), at())
                : new OwnerCommand.SetOwner(
                        volume.key(),
                        createIndex,
                        random.nextInt(3) == 0 ? Optional.empty() : Optional.of(workload()),
                        at());
    }

    /** Returns a command that claims a volume that was made for a claim, perhaps one of another allocation. */
    private Command takeMade(Volume volume, AllocationId other) {
        AllocationId first = volume.firstClaim().orElseThrow().allocationId();
        VolumeTemplate.Builder made =
                VolumeTemplate.builder(volume.classOrigin().orElseThrow().name());
        VolumeOwner owner = volume.owner().orElse(null);
        if (owner instanceof VolumeOwner.OfAllocation) {
            made.ofAllocation();
        } else if (owner instanceof VolumeOwner.OfWorkload of) {
            made.ofWorkload(random.nextInt(4) == 0 ? workload() : of.workload()).reuseRetained(random.nextBoolean());
        }
        VolumeTemplate template = made.build();
        return stored(
                volume.firstClaim().orElseThrow().ended()
                                || random.nextInt(owner instanceof VolumeOwner.OfAllocation ? 10 : 2) == 0
                        ? other
                        : first,
                List.of(ClaimRequest.writing(
                                volume.key(),
                                volume.spec().requestedCapabilities().get(0))
                        .madeFrom(template)));
    }

    /** Returns what the provider answers for a volume that is being made, perhaps after the volume was given up. */
    private Command made() {
        List<Volume> unknown = known.stream()
                .filter(volume -> volume.phase() != VolumePhase.AVAILABLE
                        && volume.externalVolumeId().isEmpty())
                .toList();
        if (unknown.isEmpty()) {
            return fromClass(volume());
        }
        Volume volume = pick(unknown);
        VolumeKey key =
                volume.formerKey().filter(former -> random.nextBoolean()).orElse(volume.key());
        if (random.nextInt(3) == 0) {
            return new CallCommand.BeginCall(key, new CallTarget.OfVolume(volume.createIndex(), volume.phase()), at());
        }
        return new VolumeCommand.RecordProviderFacts(
                key,
                ProviderFacts.builder()
                        .externalVolumeId(ExternalVolumeId.of("made-" + volume.createIndex() + "-" + key))
                        .capacityBytes(random.nextInt(4))
                        .accessibleTopology(random.nextBoolean() ? List.of() : List.of(anyZone()))
                        .build(),
                volume.createIndex(),
                at());
    }

    /** Returns a command that takes claims or stores a request, or one about a request that is stored. */
    private Command stored(AllocationId allocation, List<ClaimRequest> requests) {
        RequestedClaims row = requested.isEmpty() ? null : pick(requested);
        return switch (random.nextInt(12)) {
            case 0, 1 -> new ClaimCommand.RequestClaims(allocation, requests, at());
            case 2 ->
                row == null
                        ? new ClaimCommand.TakeClaims(allocation, requests, random.nextInt(100), at())
                        : new ClaimCommand.TakeClaims(row.allocationId(), row.requests(), row.createIndex(), at());
            case 3 ->
                random.nextInt(4) == 0
                        ? new ClaimCommand.WithdrawClaims(allocation, at())
                        : new ClaimCommand.RefuseClaims(
                                row == null ? new RequestedClaims.Key(allocation, random.nextInt(100)) : row.key(),
                                at());
            default -> new ClaimCommand.TakeClaims(allocation, requests, at());
        };
    }

    private Command claimCommand() {
        VolumeKey key = volume();
        AllocationId allocation = allocation();
        List<Volume> claimed =
                inUse.stream().filter(volume -> !volume.claims().isEmpty()).toList();
        if (!claimed.isEmpty() && random.nextInt(5) > 0) {
            Volume volume = pick(claimed);
            List<Claim> claims = new ArrayList<>();
            volume.claims().forEach(claims::add);
            key = volume.key();
            Claim claim = pick(claims);
            allocation = claim.allocationId();
            if (random.nextInt(4) == 0 && claim.state().next().isPresent()) {
                return new ClaimCommand.CheckpointClaim(
                        key, allocation, claim.state().next().get(), at());
            }
        }
        return switch (random.nextInt(10)) {
            case 0, 1, 2, 3 ->
                new ClaimCommand.CheckpointClaim(key, allocation, pick(List.of(ClaimState.values())), at());
            case 4, 5 -> new CallCommand.RecordCallError(key, new CallTarget.OfClaim(allocation, 0), attempt(), at());
            case 6, 7, 8 -> new ClaimCommand.FreeClaim(key, allocation, at());
            default ->
                random.nextInt(3) == 0
                        ? new ClaimCommand.AdoptUses(key, node(), List.of(use(key)), at())
                        : new ClaimCommand.OverrideClaim(key, allocation, "operator", "because", at());
        };
    }

    /** Returns a use of a volume that a node reports. */
    private VolumeUse use(VolumeKey key) {
        Optional<Volume> row =
                known.stream().filter(volume -> volume.key().equals(key)).findFirst();
        return new VolumeUse(
                key,
                row.map(Volume::pluginId).orElse(PluginId.of("p1")),
                row.map(Volume::remoteId).orElse(ExternalVolumeId.of("unknown")),
                allocation(),
                random.nextBoolean() ? ClaimMode.READ : ClaimMode.WRITE,
                RequestedCapability.mount(modeOf(key)),
                random.nextInt(4) == 0);
    }

    private LedgerReport report() {
        return switch (random.nextInt(8)) {
            case 0 -> new LedgerReport(List.of(use(volume())), List.of());
            case 1 -> new LedgerReport(List.of(), List.of(volume()));
            case 2 ->
                new LedgerReport(List.of(use(volume())), List.of(volume()))
                        .of(Map.of(PluginId.of("p1"), ExternalNodeId.of("ext-" + random.nextInt(3))));
            default -> LedgerReport.empty();
        };
    }

    private Attempt attempt() {
        return Attempt.failed("unavailable", at().plusSeconds(random.nextInt(1, 60)));
    }

    private Command attachmentCommand() {
        VolumeKey key = volume();
        NodeId node = node();
        List<Volume> attached =
                inUse.stream().filter(volume -> !volume.attachments().isEmpty()).toList();
        if (!attached.isEmpty() && random.nextInt(5) > 0) {
            Volume volume = pick(attached);
            key = volume.key();
            node = volume.attachments().iterator().next().nodeId();
        }
        if (!known.isEmpty() && random.nextInt(12) == 0) {
            Volume volume = pick(known);
            NodeId somewhere = node();
            return new AttachmentCommand.RecordOrphan(
                    volume.key(),
                    somewhere,
                    ExternalNodeId.of("ext-" + somewhere),
                    random.nextInt(5) == 0 ? volume.modifyIndex() - 1 : volume.modifyIndex(),
                    at());
        }
        return switch (random.nextInt(9)) {
            case 0, 1, 2 ->
                new AttachmentCommand.RecordPublished(
                        key,
                        node,
                        PublishContext.of(Map.of("device", "/dev/sd" + (random.nextInt(9) == 0 ? "b" : "a"))),
                        at());
            case 3, 4 -> new AttachmentCommand.RecordUnpublishing(key, node, at());
            case 5 -> new CallCommand.RecordCallError(key, new CallTarget.OfAttachment(node, 0), attempt(), at());
            case 6, 7 -> new AttachmentCommand.RemoveAttachment(key, node, at());
            default -> new AttachmentCommand.OverrideAttachment(key, node, "operator", "because", at());
        };
    }

    private Command nodeCommand() {
        NodeId node = node();
        if (!unreported.isEmpty() && random.nextInt(4) > 0) {
            return new NodeCommand.RecordLedger(pick(unreported), report(), 0, at());
        }
        if (random.nextInt(60) == 0) {
            return new NodeCommand.RequireLedgers("restored", at());
        }
        if (!lost.isEmpty() && random.nextInt(8) == 0) {
            StorageLoss loss = StorageLoss.of(pick(lost), plugin(), anyZone());
            return new NodeCommand.LoseStorage(
                    random.nextInt(3) == 0 ? loss.naming(List.of(volume())) : loss, "burned", at());
        }
        return switch (random.nextInt(15)) {
            case 14 ->
                new NodeCommand.ResolveFormerMachine(
                        node,
                        plugin(),
                        externalId(node, true),
                        externalId(node, false),
                        pick(List.of(NodeCommand.FormerMachine.values())),
                        "operator",
                        "because",
                        at());
            case 0 -> new NodeCommand.SetNodeStatus(node, NodeStatus.DISCONNECTED, "no heartbeat", at());
            case 1 -> new NodeCommand.SetNodeStatus(node, NodeStatus.DOWN, "no heartbeat", at());
            case 2 -> new NodeCommand.FenceNode(node, "power off", at());
            case 3 -> new NodeCommand.RemoveNode(node, "sold", at());
            case 4, 5, 6, 7 -> new NodeCommand.UpsertNode(node, at());
            default -> new NodeCommand.SetNodeStatus(node, NodeStatus.READY, "", at());
        };
    }

    /** Returns the external id of a node, or that of the machine that stands in for it at times. */
    private static ExternalNodeId externalId(NodeId node, boolean other) {
        return ExternalNodeId.of("ext-" + node + (other ? "-b" : ""));
    }

    private Command allocationCommand() {
        // ENDED is final; without the removal of ended allocations, none could claim volumes any more.
        if (!ended.isEmpty() && random.nextInt(3) > 0) {
            return new AllocationCommand.RemoveAllocation(pick(ended), at());
        }
        AllocationId allocation = allocation();
        if (random.nextInt(10) == 0) {
            return new AllocationCommand.RemoveAllocation(allocation, at());
        }
        AllocationStatus status =
                random.nextInt(4) == 0 ? pick(List.of(AllocationStatus.values())) : AllocationStatus.RUNNING;
        return new AllocationCommand.UpsertAllocation(
                allocation, Namespace.of("default"), nodeOf(allocation), Optional.empty(), status, at());
    }

    private Command pluginCommand() {
        return switch (random.nextInt(14)) {
            case 0, 1, 2, 3, 4, 5 -> fingerprint();
            case 13 -> quotaCommand();
            case 11 -> tokenOrOtherCommand();
            case 12 -> classCommand();
            case 6 ->
                new PluginCommand.RemoveInstance(
                        running.isEmpty()
                                ? instanceKey(node(), plugin(), PluginType.NODE)
                                : pick(running).key(),
                        at());
            case 7 ->
                new PluginCommand.UpsertDeployment(
                        PluginDeployment.of(
                                deployment(),
                                Map.of(plugin(), new ExpectedInstances(random.nextInt(2), random.nextInt(3)))),
                        at());
            case 8 -> new PluginCommand.RemoveDeployment(deployment(), at());
            case 9 -> setProvider();
            default -> new PluginCommand.DeletePlugin(random.nextBoolean() ? plugin() : PluginId.of("p9"), at());
        };
    }

    private Command classCommand() {
        VolumeClassName name = className();
        if (random.nextInt(4) == 0) {
            return new VolumeClassCommand.RemoveVolumeClass(
                    name, random.nextBoolean() ? 0 : random.nextLong(tick + 1), at());
        }
        VolumeClass row = VolumeClass.builder(name, random.nextBoolean() ? PluginId.of("p2") : plugin())
                .requestedCapabilities(List.of(
                        RequestedCapability.mount(pick(List.of(
                                VolumeAccessMode.SINGLE_NODE_WRITER, VolumeAccessMode.MULTI_NODE_MULTI_WRITER))),
                        RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .leastBytes(random.nextInt(3))
                .greatestBytes(random.nextInt(5))
                .reclaim(pick(List.of(ReclaimPolicy.values())))
                .namespaces(random.nextInt(3) == 0 ? List.of(Namespace.of("batch")) : List.of())
                .restore();
        if (random.nextInt(10) == 0) {
            row = VolumeClass.builder(name, row.pluginId())
                    .kind(VolumeKind.INLINE)
                    .requestedCapabilities(List.of(row.requestedCapabilities().get(0)))
                    .attributeKeys(List.of("subject"))
                    .ephemeral(random.nextInt(4) > 0)
                    .restore();
        }
        return new VolumeClassCommand.PutVolumeClass(row, random.nextInt(6) == 0 ? random.nextLong(tick + 1) : 0, at());
    }

    private Command quotaCommand() {
        Namespace namespace = Namespace.of(random.nextInt(3) == 0 ? "batch" : "default");
        QuotaKey key = random.nextBoolean() ? QuotaKey.of(namespace) : QuotaKey.of(namespace, className());
        // Most limits are soon removed again, so that the other commands reach their states.
        if (random.nextInt(3) > 0) {
            return new QuotaCommand.RemoveQuota(key, random.nextInt(3) > 0 ? 0 : random.nextLong(tick + 1), at());
        }
        OptionalLong count =
                random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(random.nextLong(-1, volumes));
        OptionalLong bytes = random.nextInt(3) > 0 ? OptionalLong.empty() : OptionalLong.of(random.nextLong(60));
        return new QuotaCommand.PutQuota(
                new VolumeQuota(key, count, bytes), random.nextInt(6) == 0 ? random.nextLong(tick + 1) : 0, at());
    }

    private Command tokenOrOtherCommand() {
        return switch (snapshots.nextInt(3)) {
            case 0 -> snapshotCommand(tokenCommand());
            default -> profiles.nextBoolean() ? profileCommand(tokenCommand()) : tokenCommand();
        };
    }

    /** Returns a command about a profile in place of another one, so that the other random choices stay as they are. */
    private Command profileCommand(Command replaced) {
        PluginId plugin = PluginId.of("p" + profiles.nextInt(2));
        if (profiles.nextInt(3) == 0) {
            return new PluginProfileCommand.RemovePluginProfile(
                    plugin, profiles.nextBoolean() ? 0 : profiles.nextLong(tick + 1), replaced.at());
        }
        return new PluginProfileCommand.PutPluginProfile(
                PluginProfile.builder(plugin)
                        .workloadInfo(profiles.nextBoolean())
                        .extraMetadata(profiles.nextBoolean())
                        .snapshotMetadata(profiles.nextBoolean())
                        .republishInterval(Duration.ofSeconds(profiles.nextInt(4) == 0 ? 60 : 0))
                        .ownershipFixed(tick % 3 == 0)
                        .ownershipExcludes(tick % 3 == 1 ? List.of(".snapshot") : List.of())
                        .build(),
                profiles.nextInt(6) == 0 ? profiles.nextLong(tick + 1) : 0,
                replaced.at());
    }

    /** Returns a command about a snapshot in place of another one, so that the other random choices stay as they are. */
    private Command snapshotCommand(Command replaced) {
        SnapshotKey key = SnapshotKey.of(snapshots.nextBoolean() ? "default" : "batch", "s" + snapshots.nextInt(4));
        Instant now = replaced.at();
        Optional<VolumeSnapshot> row =
                snapshotRows.stream().filter(known -> known.key().equals(key)).findFirst();
        long index = row.map(VolumeSnapshot::createIndex).orElseGet(() -> snapshots.nextLong(tick + 1));
        if (row.isEmpty() && !known.isEmpty() && snapshots.nextInt(4) > 0) {
            Volume source = known.get(snapshots.nextInt(known.size()));
            ExternalVolumeId id = source.externalVolumeId().orElse(ExternalVolumeId.of("none"));
            return new SnapshotCommand.CreateSnapshot(
                    key,
                    new SnapshotSpec(
                            source.key(), source.createIndex(), source.pluginId(), id, "name-" + tick, Map.of()),
                    now);
        }
        boolean failsForGood = snapshots.nextBoolean();
        return switch (snapshots.nextInt(6)) {
            case 0, 1 -> new SnapshotCommand.BeginSnapshot(key, index, now);
            case 2 ->
                new SnapshotCommand.RecordSnapshot(
                        key,
                        index,
                        Snapshot.builder(SnapshotId.of("s-" + tick), ExternalVolumeId.of("e"))
                                .readyToUse(snapshots.nextBoolean())
                                .build(),
                        now);
            case 3 ->
                new SnapshotCommand.RecordSnapshotError(
                        key,
                        index,
                        snapshots.nextBoolean(),
                        failsForGood
                                ? new Attempt(
                                        "refused", Optional.empty(), snapshots.nextBoolean() ? unsettledCall(row) : 0)
                                : Attempt.failed("unavailable", now.plusSeconds(5)),
                        now);
            case 4 -> new SnapshotCommand.DeleteSnapshot(key, snapshots.nextBoolean() ? 0 : index, now);
            default ->
                snapshots.nextInt(4) == 0
                        ? new SnapshotCommand.ForgetSnapshot(key, index, new OperatorOverride("ann", "gone", now))
                        : new SnapshotCommand.RemoveSnapshot(key, index, now);
        };
    }

    private static long unsettledCall(Optional<VolumeSnapshot> row) {
        return row.flatMap(known -> known.retry().unresolved())
                .map(UnresolvedCall::index)
                .orElse(0L);
    }

    private VolumeClassName className() {
        return VolumeClassName.of("c" + random.nextInt(3));
    }

    private Command fromClass(VolumeKey key) {
        VolumeTemplate.Builder template = VolumeTemplate.builder(className());
        if (random.nextBoolean()) {
            template.capacityRange(CapacityRange.atLeast(1 + random.nextInt(4)));
        }
        if (random.nextInt(3) == 0) {
            template.requestedCapabilities(List.of(RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER)));
        }
        return new VolumeCommand.CreateFromClass(key, template.build(), at());
    }

    private Command tokenCommand() {
        int number = random.nextInt(4);
        AccessTokenId id = AccessTokenId.of("t" + number);
        return random.nextInt(3) == 0
                ? new AccessTokenCommand.RevokeAccessToken(id, at())
                : new AccessTokenCommand.CreateAccessToken(
                        id,
                        AccessTokenRequest.of("token", List.of("policy")),
                        SecretHash.of(new byte[SecretHash.LENGTH]),
                        "operator",
                        random.nextInt(4) == 0,
                        random.nextBoolean() ? EPOCH : at());
    }

    private DeploymentId deployment() {
        return DeploymentId.of("default", "job" + random.nextInt(3));
    }

    private InstanceKey instanceKey(NodeId node, PluginId plugin, PluginType type) {
        return new InstanceKey(
                node, plugin, type, random.nextInt(4) == 0 ? Optional.of(allocation()) : Optional.empty());
    }

    private Command setProvider() {
        PluginId plugin = plugin();
        String provider = random.nextInt(50) == 0 ? "other.example.com" : plugin + ".example.com";
        return new PluginCommand.SetProvider(plugin, provider, "ann", "renamed", at());
    }

    private Command fingerprint() {
        NodeId node = node();
        TreeMap<InstanceKey, PluginInstance> instances = new TreeMap<>();
        for (int number = 0; number < 4; number++) {
            if (random.nextInt(number == 3 ? 2 : 6) > 0) {
                InstanceKey key = instanceKey(node, PluginId.of("p" + number), PluginType.MONOLITH);
                instances.put(key, instance(key, number));
            }
        }
        return new PluginCommand.FingerprintNode(node, List.copyOf(instances.values()), at());
    }

    /**
     * Creates an instance whose capabilities depend on the plugin number. Plugins 0 and 1 publish volumes, plugin 1
     * with fewer capabilities. Plugin 2 has a controller that does not publish, and a limit of volumes per node.
     * Plugin 3 has no controller and no volumes, and is often unhealthy. Half of the unhealthy instances have not answered
     * yet.
     */
    private PluginInstance instance(InstanceKey key, int number) {
        boolean healthy = random.nextInt(number == 3 ? 2 : 8) > 0;
        PluginInstance.Builder instance = PluginInstance.builder(key, EPOCH.plusSeconds(random.nextInt(100)))
                .health(healthy, healthy ? "" : "does not answer")
                .updatedAt(at());
        if (!healthy) {
            return instance.proved(random.nextBoolean()).build();
        }
        Capabilities served = Capabilities.unknown().withServices(PluginService.CONTROLLER_SERVICE);
        Capabilities offered = switch (number) {
            case 0 ->
                served.withController(
                        ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
                        ControllerCapability.PUBLISH_READONLY,
                        ControllerCapability.CREATE_DELETE_SNAPSHOT,
                        ControllerCapability.SINGLE_NODE_MULTI_WRITER);
            case 1 -> served.withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
            case 3 -> Capabilities.unknown().withServices();
            default ->
                served.withServices(PluginService.CONTROLLER_SERVICE, PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS)
                        .withController(
                                ControllerCapability.CREATE_DELETE_VOLUME, ControllerCapability.CREATE_DELETE_SNAPSHOT);
        };
        int nodeNumber = Integer.parseInt(key.nodeId().value().substring(1));
        return instance.provider(random.nextInt(200) == 0 ? "other.example.com" : "p" + number + ".example.com")
                .vendorVersion("1." + random.nextInt(2))
                .capabilities(
                        offered.withNode(NodeCapability.STAGE_UNSTAGE_VOLUME, NodeCapability.SINGLE_NODE_MULTI_WRITER))
                .nodeInfo(new NodeInfo(
                        externalId(key.nodeId(), random.nextInt(8) == 0),
                        number == 2 ? 2 : 0,
                        Optional.of(zone(nodeNumber % 2))))
                .build();
    }
}
