package io.csi4j.simulation.internal.world;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.OwnerCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.WithdrawnCreation;
import io.csi4j.core.volume.WorkloadOwner;
import io.csi4j.simulation.internal.time.SimProcess;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks the volumes that claims make from templates: no volume of the provider is lost, no quota is exceeded,
 * and a volume lives as long as its owner. It knows from the host which claims need which volumes, which workloads have
 * ended and which deletions were requested.
 */
public final class SimMadeVolumes {
    /** The longest time from the failure of a claim until its future completes. */
    private static final Duration ANSWER_DELAY = Duration.ofMillis(1);

    private static final Duration LATEST_CAPACITY = Duration.ofSeconds(25);

    /** The attribute that each inline volume gets from its template. */
    public static final String ATTRIBUTE = "role";

    private static final String INLINE_PREFIX = "csi-";

    /** The answers to CreateVolume that leave open whether the volume is made. */
    private static final Set<StatusCode> OPEN = EnumSet.of(
            StatusCode.UNAVAILABLE,
            StatusCode.DEADLINE_EXCEEDED,
            StatusCode.ABORTED,
            StatusCode.INTERNAL,
            StatusCode.UNKNOWN,
            StatusCode.CANCELLED,
            StatusCode.DATA_LOSS);

    private final SimWorld world;
    private final @Nullable SplittableRandom random;
    /** The keys of the volumes with templates that each allocation needs. */
    private final Map<AllocationId, Set<VolumeKey>> needed = new HashMap<>();
    /** The volumes that each allocation has taken at any time. */
    private final Map<AllocationId, Set<VolumeKey>> taken = new HashMap<>();
    /** The names of the volumes that were made for claims, with their keys. */
    private final Map<String, VolumeKey> made = new TreeMap<>();
    /** The names of the volumes that outlive their workload, as their class said when they were made. */
    private final Set<String> retained = new HashSet<>();
    /** The names of the volumes that a claim has taken at any time. */
    private final Set<String> used = new HashSet<>();

    private final Set<VolumeKey> deletions = new TreeSet<>();
    /** The last incarnation of each workload whose end was sent to a server. */
    private final Map<WorkloadName, Long> ending = new TreeMap<>();
    /** The last incarnation of each workload whose end a server has confirmed. */
    private final Map<WorkloadName, Long> ended = new TreeMap<>();
    /** The volumes whose last creation call was refused as if it could never succeed. */
    private final Set<String> refused = new HashSet<>();
    /** The keys of all inline volumes. */
    private final Set<VolumeKey> inline = new TreeSet<>();
    /** The volumes for which a policy was requested, with the number of requests; and those that got another owner. */
    private final Map<VolumeKey, Integer> policies = new TreeMap<>();

    private final Map<VolumeKey, Integer> adoptions = new TreeMap<>();
    /** The free capacity that the plugin said last, by the name of the zone. */
    private final Map<String, Long> reported = new HashMap<>();

    private final boolean inlines;
    private final boolean reportsCapacity;

    SimMadeVolumes(SimWorld world, @Nullable SplittableRandom random) {
        this.world = world;
        this.random = random;
        this.inlines =
                random != null && random.nextInt(3) > 0 && !world.traits().restores();
        this.reportsCapacity = random != null && random.nextBoolean();
    }

    /** Whether some volumes of this run are inline. */
    public boolean inlines() {
        return inlines;
    }

    /** Whether the plugin says how much capacity is free. */
    public boolean reportsCapacity() {
        return reportsCapacity;
    }

    /** Whether a volume of this external id is inline: no provider has it. */
    public static boolean isInline(ExternalVolumeId volume) {
        return volume.value().startsWith(INLINE_PREFIX);
    }

    /** Returns the free capacity that the plugin says: at times what it said before. */
    public long reported(String zone, long actual) {
        Long before = reported.get(zone);
        if (random != null && before != null && world.faults().active() && random.nextInt(3) == 0) {
            if (before != actual) {
                world.coverage().fault("old capacity reported");
            }
            return before;
        }
        reported.put(zone, actual);
        return actual;
    }

    /** Returns how much later than other answers one about the capacity comes; mostly empty. */
    public Optional<Duration> capacityDelay() {
        if (random == null || !world.faults().active() || random.nextInt(4) > 0) {
            return Optional.empty();
        }
        world.coverage().fault("capacity reported late");
        return Optional.of(Duration.ofNanos(random.nextLong(LATEST_CAPACITY.toNanos())));
    }

    /** Whether workloads of this run make volumes from templates. */
    public boolean active() {
        return random != null;
    }

    /** The random numbers of everything that concerns templates. */
    public SplittableRandom random() {
        if (random == null) {
            throw new IllegalStateException("workloads of this run make no volumes");
        }
        return random;
    }

    /** Notes which volumes an allocation needs. */
    public void requested(AllocationId id, List<ClaimRequest> requests) {
        for (ClaimRequest request : requests) {
            if (request.template().isPresent()) {
                needed.computeIfAbsent(id, none -> new TreeSet<>()).add(request.volume());
            }
        }
    }

    /** Notes that the host ends a workload. */
    public void ending(WorkloadOwner workload) {
        ending.merge(workload.name(), workload.incarnation(), Math::max);
    }

    /** Notes that a server has answered that a workload has ended. */
    public void ended(WorkloadOwner workload) {
        ended.merge(workload.name(), workload.incarnation(), Math::max);
    }

    /** Notes that an operator requests the deletion of a volume. */
    public void deletionRequested(VolumeKey key) {
        deletions.add(key);
    }

    /** Notes that the host requests a policy for a volume. */
    public void policyRequested(VolumeKey key) {
        policies.merge(key, 1, Integer::sum);
    }

    /** Notes that the host gives a volume to another owner. */
    public void adoptionRequested(VolumeKey key) {
        adoptions.merge(key, 1, Integer::sum);
    }

    /** Checks an answer that a volume has the requested policy, unless there were other requests. */
    public void policyAnswered(Volume before, ReclaimPolicy policy) {
        if (policies.getOrDefault(before.key(), 0) == 1) {
            unchanged(before)
                    .flatMap(Volume::classOrigin)
                    .filter(origin -> origin.reclaim() != policy)
                    .ifPresent(origin -> world.reportViolation("I19: a policy is not stored: " + before.key() + " has "
                            + origin.reclaim() + " and not " + policy));
        }
    }

    /** Checks an answer that a volume has the requested owner, unless there were other requests. */
    public void adoptionAnswered(Volume before, Optional<WorkloadOwner> workload) {
        if (adoptions.getOrDefault(before.key(), 0) == 1) {
            unchanged(before)
                    .map(SimMadeVolumes::workload)
                    .filter(owner -> !owner.equals(workload))
                    .ifPresent(owner -> world.reportViolation("I19: an owner is not stored: " + before.key()
                            + " belongs to " + owner + " and not to " + workload));
        }
    }

    /** Returns the workload to which a volume belongs. */
    public static Optional<WorkloadOwner> workload(Volume volume) {
        return volume.owner().flatMap(VolumeOwner::ofWorkload).map(VolumeOwner.OfWorkload::workload);
    }

    /** Returns what is now the row of a volume; empty if it has gone. */
    private Optional<Volume> unchanged(Volume before) {
        return world.store()
                .snapshot()
                .volume(before.key())
                .filter(volume -> volume.createIndex() == before.createIndex());
    }

    /** Whether a claim made the volume of this name. */
    public boolean isMade(String name) {
        return made.containsKey(name);
    }

    /** Returns the size of a volume of the provider. It is mostly what was asked for, at times more, and rarely less. */
    public long sizeOf(ExternalVolumeId volume, long required) {
        if (random == null) {
            return required;
        }
        long known = world.provider().size(volume);
        if (known > 0) {
            return known;
        }
        long bytes = required;
        int choice = random.nextInt(16);
        if (choice == 0 && world.faults().active() && required > 1) {
            world.coverage().fault("volume created in wrong size");
            bytes = required - 1;
        } else if (choice < 3) {
            bytes = required + 5;
        }
        return world.provider().expand(volume, bytes);
    }

    /**
     * Returns the answer to a call that is refused before the plugin works on it. A plugin may refuse once what it has made or
     * is making, but not twice in a row: then the engine may believe it.
     */
    public StatusCode refusal(Rpc rpc, String subject, StatusCode code) {
        if (random == null || rpc != Rpc.CREATE_VOLUME) {
            return code;
        }
        if (OPEN.contains(code)) {
            refused.remove(subject);
            return code;
        }
        boolean known = world.provider().created().contains(subject)
                || world.provider().locks().isHeld(subject);
        return !refused.add(subject) && known ? StatusCode.UNAVAILABLE : code;
    }

    /**
     * Returns the failure of a call that was done. A plugin says RESOURCE_EXHAUSTED of a creation only if it has made nothing,
     * because a claim believes it.
     */
    public StatusCode lost(Rpc rpc, StatusCode code) {
        return random != null && rpc == Rpc.CREATE_VOLUME && code == StatusCode.RESOURCE_EXHAUSTED
                ? StatusCode.UNAVAILABLE
                : code;
    }

    /** Checks that the state has each volume that the provider has made. */
    public void afterStep(StateReader state) {
        Set<String> created = world.provider().created();
        if (created.isEmpty()) {
            return;
        }
        Set<String> known = known(state);
        world.orphans().afterStep(known);
        for (String id : created) {
            if (!known.contains(id) && !world.orphans().isOrphan(id)) {
                world.reportViolation("I14: the provider has a volume without a row: " + id);
            }
        }
    }

    /** Returns the provider's ids of the volumes that a state has, or may have. */
    static Set<String> known(StateReader state) {
        Set<String> known = new HashSet<>();
        state.volumes(VolumeQuery.all())
                .items()
                .forEach(volume -> known.add(SimWorld.idOf(volume).value()));
        state.withdrawnCreations()
                .forEach(creation -> known.add(SimProvider.idOf(creation.name()).value()));
        return known;
    }

    /** Forgets what the lost states had: the policies of volumes, and which workloads have ended. */
    void restored(StateReader state) {
        ended.clear();
        for (Volume volume : state.volumes(VolumeQuery.all()).items()) {
            volume.classOrigin().ifPresent(origin -> {
                if (origin.reclaim() == ReclaimPolicy.RETAIN) {
                    retained.add(volume.name());
                } else {
                    retained.remove(volume.name());
                }
            });
        }
    }

    /** Returns the last incarnation of each workload whose end was sent to a server. */
    public List<WorkloadOwner> endings() {
        return ending.entrySet().stream()
                .map(entry -> new WorkloadOwner(entry.getKey(), entry.getValue()))
                .toList();
    }

    /** Checks the effects of an accepted command. */
    void accepted(
            @Nullable SimProcess leader,
            Command command,
            Outcome.Accepted outcome,
            StateReader before,
            StateReader after) {
        if (random == null) {
            return;
        }
        for (Effect effect : outcome.effects()) {
            if (effect instanceof Effect.VolumeStored one) {
                stored(one, before, after);
            } else if (effect instanceof Effect.ClaimTaken one) {
                taken(one, before);
            } else if (effect instanceof Effect.DeletionBegun one) {
                after.volume(one.key()).ifPresent(this::givenUp);
            }
        }
        ends(leader, command, before, after);
        quotas(command, before, after);
        policies(command, after);
        inlineHeld(after);
    }

    /** Takes over the policies that the host has requested. */
    private void policies(Command command, StateReader after) {
        if (command instanceof OwnerCommand.SetReclaim change && policies.containsKey(change.key())) {
            after.volume(change.key()).ifPresent(volume -> {
                if (change.reclaim() == ReclaimPolicy.RETAIN) {
                    retained.add(volume.name());
                } else {
                    retained.remove(volume.name());
                }
            });
        }
    }

    /** Checks that no row of an inline volume outlives its claim. One may wait for the other volumes of its claim. */
    private void inlineHeld(StateReader after) {
        for (VolumeKey key : inline) {
            after.volume(key)
                    .filter(volume -> volume.claims().isEmpty() && !volume.isUnused())
                    .ifPresent(volume ->
                            world.reportViolation("I19: an inline volume stays without a claim: " + volume.key()));
        }
    }

    private void stored(Effect.VolumeStored stored, StateReader before, StateReader after) {
        Volume volume = stored.volume();
        Optional<FirstClaim> claim = volume.firstClaim();
        if (stored.created() && volume.isInline()) {
            inline.add(volume.key());
            world.mapExternalId(volume.key(), volume.remoteId());
        }
        if (stored.created() && claim.isPresent()) {
            made.put(volume.name(), volume.key());
            volume.classOrigin()
                    .filter(origin -> origin.reclaim() == ReclaimPolicy.RETAIN)
                    .ifPresent(origin -> retained.add(volume.name()));
            for (VolumeKey key : needed.getOrDefault(claim.get().allocationId(), Set.of())) {
                if (after.volume(key).isEmpty()) {
                    world.reportViolation("I14: a set is made in part: " + volume.key() + " for "
                            + claim.get().allocationId() + " without " + key);
                }
            }
            volume.owner().flatMap(VolumeOwner::ofWorkload).ifPresent(owner -> {
                long last = ended.getOrDefault(owner.workload().name(), 0L);
                if (owner.workload().incarnation() <= last) {
                    world.reportViolation(
                            "I19: a volume is made for an ended owner: " + volume.key() + " for " + owner.workload());
                }
            });
        }
        boolean late = volume.formerKey().isPresent()
                && before.volume(volume.key())
                        .filter(known -> known.externalVolumeId().isEmpty())
                        .isPresent()
                && volume.externalVolumeId().isPresent();
        if (late) {
            world.coverage().fault("late answer for a volume that was given up");
        }
    }

    private void taken(Effect.ClaimTaken claim, StateReader before) {
        Volume volume = claim.volume();
        used.add(volume.name());
        taken.computeIfAbsent(claim.claim().allocationId(), none -> new TreeSet<>())
                .add(volume.key());
        boolean again =
                before.volume(volume.key()).flatMap(Volume::retainedSince).isPresent()
                        && volume.retainedSince().isEmpty();
        if (again) {
            world.coverage().fault("retained volume used again");
        }
    }

    /** Follows a volume to the key under which it is deleted. */
    private void givenUp(Volume volume) {
        volume.formerKey().ifPresent(former -> {
            world.coverage().fault("volume given up");
            if (volume.externalVolumeId().isEmpty()) {
                world.coverage().fault("attempt of unknown outcome given up");
            }
            world.moveExternalId(former, volume.key(), SimProvider.idOf(volume.name()));
        });
    }

    /** Checks what a command ends that gives up a volume or removes its row. */
    private void ends(@Nullable SimProcess leader, Command command, StateReader before, StateReader after) {
        if (command instanceof Batch batch) {
            batch.commands().forEach(one -> ends(leader, one, before, after));
        } else if (command instanceof VolumeCommand.DiscardUnused discard) {
            before.volume(discard.key()).ifPresent(volume -> together(volume, after));
            if (discard.refusal().isEmpty()) {
                world.coverage().step(RemainingWork.Kind.DISCARD_UNUSED);
            }
            if (discard.refusal().isEmpty() && leader != null && !world.hasLogUnderTest()) {
                notAwaited(leader, discard.key());
            }
        } else if (command instanceof VolumeCommand.DeregisterVolume removal) {
            // A volume that was deleted on request says nothing about the others of its set.
            before.volume(removal.key())
                    .filter(volume -> volume.phase() != VolumePhase.DELETING)
                    .ifPresent(volume -> together(volume, after));
        }
    }

    /** Checks that the unused volumes of a set do not outlive one of them that is given up. */
    private void together(Volume volume, StateReader after) {
        FirstClaim claim = volume.firstClaim().orElse(null);
        if (claim == null) {
            return;
        }
        for (VolumeKey key : claim.together()) {
            boolean stays = after.volume(key)
                    .filter(Volume::isUnused)
                    .flatMap(Volume::firstClaim)
                    .filter(other -> other.allocationId().equals(claim.allocationId()))
                    .isPresent();
            if (stays) {
                world.reportViolation("I14: a set stays in part: " + key + " without " + volume.key());
            }
        }
    }

    private void notAwaited(SimProcess leader, VolumeKey key) {
        if (world.order().isAwaited(leader, key)) {
            world.scheduler().after(ANSWER_DELAY, () -> {
                if (world.order().isAwaited(leader, key)) {
                    world.reportViolation("I19: an awaited volume is given up: " + key);
                }
            });
        }
    }

    /** Checks that a command does not lift the use of a quota above its limit. The answers of the provider may. */
    private void quotas(Command command, StateReader before, StateReader after) {
        List<Command> all = command instanceof Batch batch ? batch.commands() : List.of(command);
        boolean answer = all.stream().anyMatch(VolumeCommand.RecordProviderFacts.class::isInstance);
        for (VolumeQuota quota : after.quotas()) {
            if (answer || before.index() == after.index()) {
                return;
            }
            exceeded(quota.key(), "volumes", quota.volumes(), count(before, quota.key()), count(after, quota.key()));
            exceeded(quota.key(), "bytes", quota.bytes(), bytes(before, quota.key()), bytes(after, quota.key()));
        }
    }

    private void exceeded(QuotaKey key, String what, OptionalLong limit, long before, long after) {
        if (limit.isPresent() && after > before && after > limit.getAsLong()) {
            world.reportViolation("I15: a quota is exceeded: " + key + " has " + after + " " + what + " and allows "
                    + limit.getAsLong());
        }
    }

    private static List<Volume> counted(StateReader state, QuotaKey key) {
        return state.volumes(VolumeQuery.builder().namespace(key.namespace()).build()).items().stream()
                .filter(volume -> key.className().isEmpty()
                        || key.className().equals(volume.classOrigin().map(ClassOrigin::name)))
                .toList();
    }

    private static long count(StateReader state, QuotaKey key) {
        long withdrawn = 0;
        for (WithdrawnCreation creation : state.withdrawnCreations()) {
            withdrawn += creation.isCountedBy(key) ? 1 : 0;
        }
        return counted(state, key).size() + withdrawn;
    }

    private static long bytes(StateReader state, QuotaKey key) {
        return counted(state, key).stream().mapToLong(SimMadeVolumes::bytes).sum();
    }

    private static long bytes(Volume volume) {
        long asked =
                volume.spec().capacityRange().map(CapacityRange::requiredBytes).orElse(0L);
        long target = volume.expansion()
                .map(Expansion::range)
                .map(CapacityRange::requiredBytes)
                .orElse(0L);
        long unsettled = volume.unsettledTargets().stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
        return Math.max(
                Math.max(asked, target), Math.max(unsettled, volume.facts().capacityBytes()));
    }

    /** Checks a call that deletes a volume: its owner has ended, no claim has used it, or an operator has asked for it. */
    public void deletes(Volume volume) {
        VolumeKey key = made.get(volume.name());
        ExternalVolumeId id = SimWorld.idOf(volume);
        if (key == null && !world.orphans().wasOrphan(id.value())) {
            return;
        }
        if (key != null && !isDeletable(volume)) {
            world.reportViolation("I19: a volume is deleted without a reason: " + volume);
        }
        for (SimNode node : world.machines()) {
            for (SimNode.Mount mount : node.mounts()) {
                if (id.equals(world.idOn(node, mount.volume()))
                        && !world.allowedViolations().allowsMount(mount.volume(), mount.allocationId())) {
                    world.reportViolation("I19: a mounted volume is deleted: " + volume.key() + " on " + node.id
                            + " for " + mount.allocationId());
                }
            }
        }
    }

    /** Whether the provider made a volume of another size than it was asked for, or in another place. */
    private boolean isWrong(Volume volume) {
        ExternalVolumeId id = SimProvider.idOf(volume.name());
        long asked =
                volume.spec().capacityRange().map(CapacityRange::requiredBytes).orElse(0L);
        List<Topology> zones = world.topology().of(id);
        boolean elsewhere = volume.spec()
                .accessibilityRequirements()
                .filter(topology -> !topology.requisite().containsAll(zones))
                .isPresent();
        return !used.contains(volume.name()) && (elsewhere || world.provider().size(id) < asked);
    }

    private boolean isDeletable(Volume volume) {
        if (volume.formerKey().isPresent()) {
            return !used.contains(volume.name());
        }
        VolumeOwner owner = volume.owner().orElse(null);
        boolean ends = owner instanceof VolumeOwner.OfAllocation of
                && world.store()
                        .snapshot()
                        .allocation(of.allocationId())
                        .map(Allocation::ended)
                        .orElse(true);
        if (owner instanceof VolumeOwner.OfWorkload of) {
            ends = ending.getOrDefault(of.workload().name(), 0L)
                            >= of.workload().incarnation()
                    && !retained.contains(volume.name());
        }
        return ends || deletions.contains(volume.key()) || isWrong(volume);
    }

    /** Checks that no volume of a set is published before an allocation has taken all of them. */
    public void publishes(Volume volume, NodeId nodeId) {
        if (random == null) {
            return;
        }
        for (Claim claim : volume.claims().on(nodeId)) {
            Set<VolumeKey> all = needed.getOrDefault(claim.allocationId(), Set.of());
            if (claim.state() == ClaimState.TAKEN
                    && !taken.getOrDefault(claim.allocationId(), Set.of()).containsAll(all)) {
                world.reportViolation("I14: a set is published in part: " + volume.key() + " of " + all + " for "
                        + claim.allocationId());
            }
        }
    }

    /** Checks that a granted volume has the size that its template asks for. */
    public void granted(ClaimRequest request, Volume volume) {
        long asked = request.template()
                .flatMap(template -> template.capacityRange())
                .map(CapacityRange::requiredBytes)
                .orElse(0L);
        long size = world.provider().size(volume.remoteId());
        if (asked > size) {
            world.reportViolation(
                    "R55: a granted volume is too small: " + volume.key() + " has " + size + " bytes of " + asked);
        }
    }

    /** The rows of volumes that claims made, and of volumes of a class. */
    public List<Volume> rows() {
        return world.store().snapshot().volumes(VolumeQuery.all()).items().stream()
                .filter(volume -> volume.classOrigin().isPresent())
                .toList();
    }

    /**
     * Returns whether only a request can end the volume: no claim uses it, and it is retained or has no owner. After a
     * restore that may be one whose creation nobody requests again.
     */
    public boolean isLeft(Volume volume) {
        boolean ends = volume.phase() == VolumePhase.AVAILABLE
                || (volume.phase() == VolumePhase.CREATING && world.backup().restores() > 0);
        return ends
                && !volume.inUse()
                && !volume.isUnused()
                && (volume.owner().isEmpty() || volume.retainedSince().isPresent());
    }

    /** The namespace of all volumes. */
    public static Namespace namespace() {
        return Namespace.of(SimVolumes.NAMESPACE);
    }
}
