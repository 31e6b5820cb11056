package io.csi4j.simulation.internal.host;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeLifetime;
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

/**
 * The workloads whose claims make their volumes: persistent ones that several workloads share, those of an allocation, those of a
 * workload that is removed and made anew, and sets of two. Meanwhile classes change and are removed, quotas come and go, and
 * zones are full. All choices come from random numbers of their own.
 */
final class SimTemplates {
    private static final VolumeClassName GOES = VolumeClassName.of("goes");
    private static final VolumeClassName STAYS = VolumeClassName.of("stays");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final RequestedCapability SHARED =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final int NAMES = 2;
    private static final int MOST_PLACES = 3;
    private static final int CHANGES = 8;
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

    void begin(SimConfig options) {
        put(GOES);
        put(STAYS);
        limitZones();
        long max = options.chaos().toNanos();
        for (int i = 0; i < CHANGES; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(max)), this::change);
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
                put(random.nextBoolean() ? GOES : STAYS);
            }
            case 3 -> removeClass();
            case 4 -> putQuota();
            default -> limitZones();
        }
    }

    private void put(VolumeClassName name) {
        world.applyFromHost(new VolumeClassCommand.PutVolumeClass(
                VolumeClass.builder(name, SimVolumes.ATTACHING)
                        .parameters(Map.of("revision", "" + random.nextInt(100)))
                        .requestedCapabilities(List.of(WRITER, SHARED))
                        .fencingPolicy(
                                random.nextBoolean() ? FencingPolicy.waitForConfirmation() : FencingPolicy.onFence())
                        .defaultCapacity(CapacityRange.atLeast(BYTES + random.nextInt(10)))
                        .greatestBytes(10 * BYTES)
                        .reclaim(name.equals(GOES) ? ReclaimPolicy.DELETE : ReclaimPolicy.RETAIN)
                        .build(),
                0,
                world.clocks().report()));
    }

    /** Removes a class, and puts another one with its name some time later. */
    private void removeClass() {
        VolumeClassName name = random.nextBoolean() ? GOES : STAYS;
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
                                    VolumeKey.ofAllocation(SimMadeVolumes.namespace(), id, "scratch" + requests.size()),
                                    request.mode(),
                                    request.capability(),
                                    request.mountOptions(),
                                    request.template())
                            : request);
        }
        return requests;
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

    private void deleteLeft() {
        for (Volume volume : world.made().rows()) {
            if (SimMadeVolumes.isLeft(volume)) {
                VolumeKey key = volume.key();
                world.made().deletionRequested(key);
                boolean retained = volume.retainedSince().isPresent();
                var unused = server.request(
                        retained ? "delete a retained volume" : "delete",
                        engine -> retained
                                ? engine.volumes().deleteRetained(key)
                                : engine.volumes().delete(key));
            }
        }
        if (!remaining().isEmpty() || world.hasDelayedCommands()) {
            world.scheduler().after(POLL, this::deleteLeft);
        }
    }

    /** The rows that are left. */
    String remaining() {
        StringBuilder text = new StringBuilder();
        world.made().rows().forEach(volume -> text.append(" made ").append(volume));
        return text.toString();
    }
}
