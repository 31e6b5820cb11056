package io.csi4j.simulation.internal.host;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.volume.CapacityCheck;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeKind;
import io.csi4j.core.volume.VolumeLifetime;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.world.SimConfig;
import io.csi4j.simulation.internal.world.SimMadeVolumes;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * The workloads whose claims make their volumes: persistent ones that several workloads share, those of an allocation, those of a
 * workload that is removed and started again, and sets of two. Meanwhile classes change and are removed, quotas come and go, and
 * zones are full. All choices come from random numbers of their own.
 */
public final class SimTemplates {
    private static final VolumeClassName GOES = VolumeClassName.of("goes");
    private static final VolumeClassName STAYS = VolumeClassName.of("stays");
    private static final VolumeClassName INLINE_LOCAL = VolumeClassName.of(SimVolumes.inlineOf(SimVolumes.LOCAL));
    private static final VolumeClassName INLINE_ATTACHING =
            VolumeClassName.of(SimVolumes.inlineOf(SimVolumes.ATTACHING));
    private static final Map<VolumeClassName, PluginId> INLINE =
            new TreeMap<>(Map.of(INLINE_LOCAL, SimVolumes.LOCAL, INLINE_ATTACHING, SimVolumes.ATTACHING));
    /** Stands in a refusal that the plugin was not asked for. */
    private static final String KNOWN = " were free there ";

    private static final VolumeClassName LAST = VolumeClassName.of("last");

    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final RequestedCapability SHARED =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final int NAMES = 2;
    private static final int MOST_PLACES = 3;
    private static final int CHANGES = 8;
    private static final int OWNER_CHANGES = 10;
    private static final Duration RETRY = Duration.ofSeconds(20);
    private static final Duration POLL = Duration.ofMinutes(1);
    private static final Duration CLASS_IS_AWAY = Duration.ofSeconds(30);
    private static final long BYTES = 10;

    /** The refusals after which the host places the workload on another node. */
    private static final Map<NeverReason, String> ELSEWHERE = Map.of(
            NeverReason.NO_CAPACITY_IN_TOPOLOGY, "no capacity in topology",
            NeverReason.WRONG_PLACE, "volume in wrong place refused",
            NeverReason.CREATION_REFUSED, "creation refused",
            NeverReason.CREATION_UNSETTLED, "creation unsettled");

    private static final Map<NeverReason, String> SEEN = Map.of(
            NeverReason.TEMPLATE_DIFFERS, "claim of another template",
            NeverReason.OWNER_ENDED, "claim of an ended workload",
            NeverReason.RETAINED_VOLUME_EXISTS, "volume retained");

    private final SimWorld world;
    private final SimServer server;
    private final SplittableRandom random;
    /** The present incarnation of each workload. */
    private final Map<WorkloadName, Long> incarnations = new TreeMap<>();
    /** The number of nodes on which a workload was placed, by its first allocation. */
    private final Map<AllocationId, Integer> places = new LinkedHashMap<>();

    private final Map<AllocationId, AllocationId> first = new LinkedHashMap<>();
    private final Set<WorkloadOwner> unconfirmed = new LinkedHashSet<>();

    SimTemplates(SimWorld world, SimServer server) {
        this.world = world;
        this.server = server;
        this.random = world.made().random();
        for (int i = 0; i < NAMES; i++) {
            incarnations.put(WorkloadName.of("w" + i), 1L);
        }
    }

    /**
     * Puts a class with which nothing was made so far, and returns the requests for a volume of it and, at times, for an
     * inline volume. The plugin has to have capacity for the volume, if it says how much it has.
     */
    public static List<ClaimRequest> lastRequests(SimWorld world, AllocationId id) {
        world.applyFromHost(new VolumeClassCommand.PutVolumeClass(
                VolumeClass.builder(LAST, SimVolumes.ATTACHING)
                        .requestedCapabilities(List.of(WRITER))
                        .fencingPolicy(FencingPolicy.waitForConfirmation())
                        .defaultCapacity(CapacityRange.atLeast(BYTES))
                        .capacityCheck(world.made().reportsCapacity() ? CapacityCheck.REQUIRED : CapacityCheck.ADVISE)
                        .build(),
                0,
                world.clocks().report()));
        List<VolumeRequest> requests = new ArrayList<>();
        requests.add(of(
                LAST.value(),
                WRITER,
                VolumeTemplate.builder(LAST)
                        .ofAllocation()
                        .nodeTopologyOnly(world.traits().zones())
                        .build()));
        boolean inline = world.made().inlines()
                && world.store().snapshot().volumeClass(INLINE_LOCAL).isPresent();
        if (inline) {
            requests.add(inlineRequest(INLINE_LOCAL, "reader"));
        }
        return requests.stream()
                .map(request -> request.claimOf(SimMadeVolumes.namespace(), id, 0))
                .toList();
    }

    void begin(SimConfig options) {
        put(GOES);
        put(STAYS);
        if (world.made().inlines()) {
            INLINE.keySet().forEach(this::put);
        }
        limitZones();
        long max = options.chaos().toNanos();
        for (int i = 0; i < CHANGES; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(max)), this::change);
        }
        for (int i = 0; i < OWNER_CHANGES; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(max)), this::changeOwner);
        }
    }

    private void change() {
        if (!world.faults().active()) {
            return;
        }
        switch (random.nextInt(6)) {
            case 0, 1 -> endOwner();
            case 2 -> {
                world.coverage().operation("change a class");
                put(someClass());
            }
            case 3 -> removeClass();
            case 4 -> putQuota();
            default -> limitZones();
        }
    }

    /** Changes to whom a volume belongs and what becomes of it, or deletes one that is retained. */
    private void changeOwner() {
        if (!world.faults().active()) {
            return;
        }
        switch (random.nextInt(4)) {
            case 0, 1 -> adopt();
            case 2 -> setReclaim();
            default -> deleteRetained();
        }
    }

    private VolumeClassName someClass() {
        if (world.made().inlines() && random.nextInt(3) == 0) {
            return random.nextBoolean() ? INLINE_LOCAL : INLINE_ATTACHING;
        }
        return random.nextBoolean() ? GOES : STAYS;
    }

    /** Gives a volume to a workload, or to none. */
    private void adopt() {
        volume(volume -> volume.owner().flatMap(VolumeOwner::ofAllocation).isEmpty())
                .ifPresent(volume -> {
                    WorkloadName name = name();
                    Optional<WorkloadOwner> owner =
                            Optional.of(new WorkloadOwner(name, incarnations.getOrDefault(name, 1L)));
                    if (random.nextInt(3) == 0 || owner.equals(SimMadeVolumes.workload(volume))) {
                        owner = Optional.empty();
                    }
                    adopt(volume, owner);
                });
    }

    private void adopt(Volume volume, Optional<WorkloadOwner> owner) {
        world.trace().note("host", volume.key() + " is given to " + owner);
        world.made().adoptionRequested(volume.key());
        var unused = server.request("adopt a volume", engine -> engine.volumes().adopt(volume.key(), owner))
                .thenRun(() -> world.made().adoptionAnswered(volume, owner));
    }

    private void setReclaim() {
        volume(volume -> true).ifPresent(volume -> {
            ReclaimPolicy policy = volume.classOrigin().orElseThrow().reclaim() == ReclaimPolicy.DELETE
                    ? ReclaimPolicy.RETAIN
                    : ReclaimPolicy.DELETE;
            world.trace().note("host", volume.key() + " gets the policy " + policy);
            world.made().policyRequested(volume.key());
            var unused = server.request(
                            "change a policy", engine -> engine.volumes().setReclaim(volume.key(), policy))
                    .thenRun(() -> world.made().policyAnswered(volume, policy));
        });
    }

    private void deleteRetained() {
        volume(volume -> volume.retainedSince().isPresent()).ifPresent(volume -> {
            world.trace().note("host", volume.key() + " is not retained any longer");
            delete(volume);
        });
    }

    /** A random one of the volumes that claims have made. */
    private Optional<Volume> volume(Predicate<Volume> wanted) {
        List<Volume> found = world.made().rows().stream()
                .filter(volume -> !volume.isInline())
                .filter(wanted)
                .toList();
        return found.isEmpty() ? Optional.empty() : Optional.of(found.get(random.nextInt(found.size())));
    }

    private void put(VolumeClassName name) {
        PluginId inline = INLINE.get(name);
        if (inline != null) {
            putInline(name, inline);
            return;
        }
        world.applyFromHost(new VolumeClassCommand.PutVolumeClass(
                VolumeClass.builder(name, SimVolumes.ATTACHING)
                        .parameters(Map.of("revision", "" + random.nextInt(100)))
                        .requestedCapabilities(List.of(WRITER, SHARED))
                        .fencingPolicy(
                                random.nextBoolean() ? FencingPolicy.waitForConfirmation() : FencingPolicy.onFence())
                        .defaultCapacity(CapacityRange.atLeast(BYTES + random.nextInt(10)))
                        .greatestBytes(10 * BYTES)
                        .capacityCheck(random.nextInt(3) == 0 ? CapacityCheck.ADVISE : CapacityCheck.REQUIRED)
                        .reclaim(name.equals(GOES) ? ReclaimPolicy.DELETE : ReclaimPolicy.RETAIN)
                        .build(),
                0,
                world.clocks().report()));
    }

    private void putInline(VolumeClassName name, PluginId plugin) {
        world.applyFromHost(new VolumeClassCommand.PutVolumeClass(
                VolumeClass.builder(name, plugin)
                        .kind(VolumeKind.INLINE)
                        .ephemeral(plugin.equals(SimVolumes.ATTACHING))
                        .parameters(Map.of("revision", "" + random.nextInt(100)))
                        .attributeKeys(Set.of(SimMadeVolumes.ATTRIBUTE))
                        .requestedCapabilities(List.of(WRITER))
                        .fencingPolicy(
                                random.nextBoolean() ? FencingPolicy.waitForConfirmation() : FencingPolicy.onFence())
                        .build(),
                0,
                world.clocks().report()));
    }

    /** Removes a class, and puts another one with its name some time later. */
    private void removeClass() {
        VolumeClassName name = someClass();
        world.store().snapshot().volumeClass(name).ifPresent(row -> {
            world.coverage().operation("remove a class");
            world.applyFromHost(new VolumeClassCommand.RemoveVolumeClass(
                    name, row.createIndex(), world.clocks().report()));
            world.scheduler().after(Duration.ofNanos(random.nextLong(CLASS_IS_AWAY.toNanos())), () -> put(name));
        });
    }

    /** Limits the volumes of a class for a while, at times below what there is. */
    private void putQuota() {
        QuotaKey key = QuotaKey.of(SimMadeVolumes.namespace(), random.nextBoolean() ? GOES : STAYS);
        boolean ofBytes = random.nextBoolean();
        world.coverage().operation("put a quota");
        world.applyFromHost(new QuotaCommand.PutQuota(
                new VolumeQuota(
                        key,
                        OptionalLong.of(1 + random.nextInt(4)),
                        ofBytes ? OptionalLong.of(BYTES * (1 + random.nextInt(5))) : OptionalLong.empty()),
                0,
                world.clocks().report()));
        world.scheduler()
                .after(Duration.ofNanos(random.nextLong(RETRY.multipliedBy(6).toNanos())), () -> removeQuota(key));
    }

    private void removeQuota(QuotaKey key) {
        for (VolumeQuota quota : world.store().snapshot().quotas()) {
            if (quota.key().equals(key)) {
                world.applyFromHost(new QuotaCommand.RemoveQuota(
                        key, quota.createIndex(), world.clocks().report()));
            }
        }
    }

    private void limitZones() {
        if (random.nextBoolean()) {
            world.topology().limitZones(() -> BYTES * (1 + random.nextInt(6)));
        } else {
            world.topology().endLimits();
        }
    }

    /** Ends a workload, at times once more or late: its next incarnation may run already, or claims of this one still come. */
    private void endOwner() {
        WorkloadName name = name();
        long now = incarnations.getOrDefault(name, 1L);
        boolean late = now > 1 && random.nextInt(3) == 0;
        end(new WorkloadOwner(name, late ? now - 1 : now));
        if (!late && random.nextInt(3) > 0) {
            incarnations.put(name, now + 1);
        } else if (!late) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(POLL.toNanos())), () -> {
                if (incarnations.getOrDefault(name, 1L) == now) {
                    incarnations.put(name, now + 1);
                }
            });
        }
    }

    private WorkloadName name() {
        return List.copyOf(incarnations.keySet()).get(random.nextInt(incarnations.size()));
    }

    /** Says that a workload has ended, and repeats this until a server has confirmed it. */
    private void end(WorkloadOwner workload) {
        world.trace().note("host", "workload " + workload + " ends");
        world.made().ending(workload);
        unconfirmed.add(workload);
        sendEnd(workload);
        if (random.nextInt(3) == 0) {
            sendEnd(workload);
        }
    }

    private void sendEnd(WorkloadOwner workload) {
        CompletableFuture<Void> answer = server.request(
                "end a workload", engine -> engine.cluster().ownerEnded(SimMadeVolumes.namespace(), workload));
        var unused = answer.whenComplete((done, failure) -> {
            if (failure == null) {
                unconfirmed.remove(workload);
                world.made().ended(workload);
            }
        });
        world.scheduler().after(RETRY, () -> {
            if (unconfirmed.contains(workload)) {
                sendEnd(workload);
            }
        });
    }

    /** The requests of a workload that makes its volumes; empty for one that uses other volumes. */
    Optional<List<ClaimRequest>> requests(AllocationId id) {
        if (random.nextBoolean()) {
            return Optional.empty();
        }
        Map<VolumeKey, ClaimRequest> requests = new LinkedHashMap<>();
        for (int i = random.nextInt(3) == 0 ? 2 : 1; i > 0; i--) {
            ClaimRequest request = request().claimOf(SimMadeVolumes.namespace(), id, 0);
            requests.putIfAbsent(request.volume(), request);
        }
        return Optional.of(List.copyOf(requests.values()));
    }

    private VolumeRequest request() {
        if (world.made().inlines() && random.nextInt(4) == 0) {
            return inlineRequest();
        }
        int kind = random.nextInt(8);
        if (kind < 2) {
            int number = random.nextInt(2);
            return of(
                    "shared" + number,
                    number == 0 ? SHARED : WRITER,
                    template(GOES).build());
        }
        if (kind < 5) {
            return of(
                    "scratch" + random.nextInt(2),
                    WRITER,
                    template(GOES).ofAllocation().build());
        }
        WorkloadName name = name();
        boolean stays = random.nextBoolean();
        WorkloadOwner owner = new WorkloadOwner(name, incarnations.getOrDefault(name, 1L));
        return of(
                name + (stays ? "-stays" : "-goes"),
                random.nextBoolean() ? SHARED : WRITER,
                template(stays ? STAYS : GOES)
                        .ofWorkload(owner)
                        .reuseRetained(random.nextBoolean())
                        .build());
    }

    private VolumeRequest inlineRequest() {
        VolumeClassName name = random.nextBoolean() ? INLINE_LOCAL : INLINE_ATTACHING;
        return inlineRequest(name, random.nextBoolean() ? "reader" : "writer");
    }

    private static VolumeRequest inlineRequest(VolumeClassName name, String role) {
        return of(
                name.value(),
                WRITER,
                VolumeTemplate.builder(name)
                        .ofAllocation()
                        .attributes(Map.of(SimMadeVolumes.ATTRIBUTE, role))
                        .build());
    }

    private VolumeTemplate.Builder template(VolumeClassName name) {
        return VolumeTemplate.builder(name)
                .capacityRange(
                        random.nextInt(4) == 0
                                ? null
                                : CapacityRange.atLeast(random.nextInt(8) == 0 ? BYTES + 3 : BYTES))
                .nodeTopologyOnly(random.nextInt(3) == 0 && world.traits().zones())
                .keepUnused(random.nextInt(6) == 0);
    }

    private static VolumeRequest of(String source, RequestedCapability capability, VolumeTemplate template) {
        return new VolumeRequest(source, false, capability, MountOptions.none(), false).madeFrom(template);
    }

    /** The same requests for another allocation of the workload. */
    List<ClaimRequest> requestsOf(AllocationId id, List<ClaimRequest> former) {
        List<ClaimRequest> requests = new ArrayList<>();
        for (ClaimRequest request : former) {
            boolean own = request.template()
                    .filter(template -> template.lifetime() == VolumeLifetime.ALLOCATION)
                    .isPresent();
            requests.add(
                    own
                            ? new ClaimRequest(
                                    VolumeKey.ofAllocation(
                                            SimMadeVolumes.namespace(), id, nameOf(request, requests.size())),
                                    request.mode(),
                                    request.capability(),
                                    request.mountOptions(),
                                    request.template())
                            : request);
        }
        return requests;
    }

    private static String nameOf(ClaimRequest request, int number) {
        VolumeClassName className = request.template().orElseThrow().className();
        return INLINE.containsKey(className) ? className.value() : "scratch" + number;
    }

    /** Returns whether a refusal is about the place, so that the workload is placed on another node. */
    boolean isElsewhere(SimWorkload workload, Throwable failure) {
        if (!(failure instanceof RejectedException rejected)) {
            return false;
        }
        if (rejected.reason() instanceof Rejection.QuotaExceeded) {
            world.coverage().fault("claim over a quota");
        }
        if (!(rejected.reason() instanceof Rejection.NotAdmitted refused)
                || !(refused.decision() instanceof AdmissionDecision.Never never)) {
            return false;
        }
        Optional.ofNullable(SEEN.get(never.reason())).ifPresent(world.coverage()::fault);
        String place = ELSEWHERE.get(never.reason());
        if (place == null) {
            return false;
        }
        world.coverage().fault(place);
        if (never.detail().contains(KNOWN)) {
            world.coverage().fault("claim refused by known capacity");
        }
        // Some workloads claim once more on the same node.
        return random.nextInt(4) > 0;
    }

    /** The next allocation of a workload; empty if it was placed often enough. */
    Optional<AllocationId> next(SimWorkload workload) {
        AllocationId one = first.getOrDefault(workload.id, workload.id);
        int place = places.merge(one, 1, Integer::sum);
        if (place > MOST_PLACES) {
            return Optional.empty();
        }
        AllocationId next = AllocationId.of(one.value() + "." + place);
        first.put(next, one);
        return Optional.of(next);
    }

    /**
     * After all faults have ended: ends all workloads, and deletes the volumes that nothing else ends. The volumes of allocations
     * and of workloads, and the unused ones, have to go by themselves.
     */
    void endAll() {
        world.topology().endLimits();
        incarnations.forEach((name, last) -> end(new WorkloadOwner(name, last)));
        deleteLeft();
    }

    /**
     * After a restore: repeats what the host has said since the backup about classes, quotas and ended workloads. The class of the
     * volumes that stay is not changed by others.
     */
    void restored() {
        put(GOES);
        put(STAYS);
        removeQuota(QuotaKey.of(SimMadeVolumes.namespace(), GOES));
        removeQuota(QuotaKey.of(SimMadeVolumes.namespace(), STAYS));
        world.made().endings().forEach(this::end);
    }

    private void deleteLeft() {
        for (Volume volume : world.made().rows()) {
            if (world.made().isLeft(volume)) {
                delete(volume);
            }
        }
        if (!remaining().isEmpty() || world.hasDelayedCommands()) {
            world.scheduler().after(POLL, this::deleteLeft);
        }
    }

    private void delete(Volume volume) {
        VolumeKey key = volume.key();
        world.made().deletionRequested(key);
        boolean retained = volume.retainedSince().isPresent();
        var unused = server.request(
                retained ? "delete a retained volume" : "delete",
                engine -> retained
                        ? engine.volumes().deleteRetained(key)
                        : engine.volumes().delete(key));
    }

    /** The rows that are left. */
    String remaining() {
        StringBuilder text = new StringBuilder();
        world.made().rows().forEach(volume -> text.append(" made ").append(volume));
        return text.toString();
    }
}
