package io.csi4j.simulation.internal.host;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.simulation.RunningWorkload;
import io.csi4j.simulation.SimulatedWorkload;
import io.csi4j.simulation.WorkloadSource;
import io.csi4j.simulation.internal.node.NodeSide;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.SimConfig;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The workloads on the nodes: they claim volumes, mount them, and end. */
public final class SimWorkloads {
    private static final Duration MOUNT_RETRY = Duration.ofSeconds(10);
    private static final Duration MOUNT_DELAY = Duration.ofMillis(200);
    private static final Duration PLACEMENT_RETRY = Duration.ofSeconds(5);
    private static final Duration LIFETIME = Duration.ofSeconds(40);
    private static final Duration REPORT_DELAY = Duration.ofSeconds(30);

    private final SimWorld world;
    private final SimHost host;
    private final SimServer server;
    private final SimVolumes volumes;
    private final NodeSide side;
    private final SplittableRandom random;
    private final EarlyRelease earlyRelease;
    private final SimPlacement placement;
    private final @Nullable WorkloadSource source;
    private final @Nullable SimSchedulerLoop loop;
    private final @Nullable SimTemplates templates;
    private final List<SimWorkload> workloads = new ArrayList<>();

    public SimWorkloads(
            SimWorld world,
            NodeSide side,
            SimHost host,
            SimServer server,
            SimVolumes volumes,
            SimConfig config,
            SplittableRandom random) {
        this.volumes = volumes;
        this.side = side;
        this.world = world;
        this.host = host;
        this.server = server;
        this.random = random;
        this.earlyRelease = new EarlyRelease(world, side, server, random.split());
        this.placement = new SimPlacement(world, host, volumes, config.placement(), random.split());
        this.source = config.source();
        this.templates = world.made().active() ? new SimTemplates(world, server) : null;
        this.loop = config.loop() == null ? null : new SimSchedulerLoop(world, this, config.loop(), random.split());
    }

    public void begin(SimConfig options) {
        long volumeCount = options.chaos().toNanos() * 4 / 5;
        for (int i = 1; i <= options.workloads(); i++) {
            AllocationId id = AllocationId.of("a" + i);
            world.scheduler().after(Duration.ofNanos(random.nextLong(volumeCount)), () -> start(id));
        }
        if (loop != null) {
            loop.begin();
        }
        if (templates != null) {
            templates.begin(options);
        }
    }

    private void start(AllocationId id) {
        Optional<List<ClaimRequest>> made = templates == null ? Optional.empty() : templates.requests(id);
        if (made.isPresent()) {
            start(
                    id,
                    new SimulatedWorkload(
                            made.get(),
                            world.scheduler().upTo(LIFETIME.multipliedBy(2)).plusNanos(1)));
        } else if (source == null) {
            start(
                    id,
                    new SimulatedWorkload(
                            requests(),
                            world.scheduler().upTo(LIFETIME.multipliedBy(2)).plusNanos(1)));
        } else {
            world.callScheduler("workload source", () -> source.next(volumes.available(), random))
                    .ifPresent(next -> start(id, next));
        }
    }

    private void start(AllocationId id, SimulatedWorkload planned) {
        Optional<SimNode> chosen = placement.choose(id, ClaimRequest.merged(planned.claims()));
        if (chosen.isEmpty() && world.faults().active()) {
            world.scheduler().after(PLACEMENT_RETRY, () -> start(id, planned));
        }
        chosen.filter(SimNode::answers).ifPresent(node -> begin(id, node, planned));
    }

    /** Starts a workload on a node that answers. */
    void begin(AllocationId id, SimNode node, SimulatedWorkload planned) {
        List<ClaimRequest> requests = planned.claims();
        SimWorkload workload = new SimWorkload(id, node, requests);
        workloads.add(workload);
        world.made().requested(id, workload.requests);
        placement.begin(id, node, requests);
        node.start(id);
        switch (random.nextInt(6)) {
            case 0 -> {
                claim(workload);
                world.scheduler().within(LIFETIME, () -> cancel(workload));
            }
            case 1 -> {
                claim(workload);
                world.scheduler().within(LIFETIME, () -> earlyRelease.release(workload, () -> claim(workload)));
            }
            case 2 -> storeRequest(workload);
            default -> claim(workload);
        }
        world.scheduler().after(planned.lifetime(), () -> end(workload));
    }

    /** The mounts of one to three volumes in random order. */
    private List<ClaimRequest> requests() {
        Set<VolumeKey> keys = new LinkedHashSet<>();
        int volumeCount = random.nextInt(3) == 0 ? 2 + random.nextInt(2) : 1;
        for (int i = 0; i < volumeCount; i++) {
            keys.add(volumes.pick());
        }
        return keys.stream().flatMap(key -> volumes.mounts(key).stream()).toList();
    }

    /** Cancels the waiting claim while the allocation continues to run. */
    private void cancel(SimWorkload workload) {
        if (workload.ended || workload.granted || workload.claim == null) {
            return;
        }
        world.coverage().operation("cancel a claim");
        world.trace().note("host", workload.id + " cancels its claim");
        workload.cancelClaim();
        workload.paused = true;
    }

    /** Stores the request for claims, and asks for the grant later, as a host that was away. */
    private void storeRequest(SimWorkload workload) {
        workload.stored = true;
        world.trace().note("host", workload.id + " stores its request for " + workload.volumes());
        var unused = server.request("store a request", engine -> engine.claims().request(workload.id, workload.mounts));
        world.scheduler().within(LIFETIME, () -> claim(workload));
    }

    /** Sends the claim to the leader. If the leader loses its leadership, the workload repeats the claim. */
    private void claim(SimWorkload workload) {
        if (workload.ended || workload.granted || workload.paused) {
            return;
        }
        CompletableFuture<ClaimGrant> claim =
                server.request("claim", engine -> engine.claims().claim(workload.id, workload.mounts));
        workload.claim = claim;
        int requestNumber = ++workload.requestNumber;
        SimProcess process = server.lastTarget();
        workload.server = process;
        if (workload.stored) {
            world.order().onStoredClaimRequested(process, workload.id, workload.requests, claim);
        } else {
            world.order().onClaimRequested(process, workload.id, workload.requests, claim);
        }
        var unused = claim.whenComplete((grant, failure) -> {
            if (workload.requestNumber != requestNumber || workload.ended) {
                return;
            }
            if (failure == null) {
                complete(workload, grant);
                granted(workload, grant);
            } else if (!claim.isCancelled()) {
                world.trace().note("host", workload.id + " is refused: " + failure.getMessage());
                boolean leaderLost = failure instanceof NotLeadingException || !process.alive() || !server.leads();
                if (templates != null && templates.isElsewhere(workload, failure)) {
                    end(workload);
                    templates.next(workload).ifPresent(next -> startElsewhere(workload, next));
                    return;
                }
                // Most workloads end after a refusal; some repeat the claim.
                if (leaderLost || random.nextBoolean()) {
                    world.scheduler().after(Duration.ofSeconds(5), () -> claim(workload));
                } else {
                    end(workload);
                }
            }
        });
    }

    /** Starts a workload in place of one whose volumes could not be made near its node, on another node if there is one. */
    private void startElsewhere(SimWorkload former, AllocationId id) {
        List<SimNode> nodes = world.nodes().values().stream()
                .filter(node -> node.answers() && !node.equals(former.node))
                .toList();
        if (templates != null && world.faults().active() && !nodes.isEmpty()) {
            world.coverage().operation("place elsewhere");
            begin(
                    id,
                    nodes.get(random.nextInt(nodes.size())),
                    new SimulatedWorkload(
                            templates.requestsOf(id, former.mounts),
                            world.scheduler().upTo(LIFETIME.multipliedBy(2)).plusNanos(1)));
        }
    }

    /** Repeats all waiting claims, because a new leader does not know them. */
    public void repeatClaims() {
        workloads.forEach(this::claim);
    }

    /** The grant must have all requested volumes with the requested capabilities. */
    void complete(SimWorkload workload, ClaimGrant grant) {
        for (int i = 0; i < workload.requests.size(); i++) {
            VolumeKey key = workload.requests.get(i).volume();
            boolean matches = i < grant.volumes().size()
                    && grant.volumes().get(i).view().volume().key().equals(key);
            if (!matches) {
                world.reportViolation("I2: " + workload.id + " is granted its volumes without " + key);
            } else if (!grant.volumes()
                    .get(i)
                    .claim()
                    .capability()
                    .equals(workload.requests.get(i).capability())) {
                world.reportViolation("I2: " + workload.id + " is granted " + key + " as "
                        + grant.volumes().get(i).claim().capability() + " but requested "
                        + workload.requests.get(i).capability());
            } else {
                checkMode(workload, key, grant.volumes().get(i).claim().mode());
                world.made()
                        .granted(
                                workload.requests.get(i),
                                grant.volumes().get(i).view().volume());
            }
        }
    }

    /** An allocation has one claim for all its mounts of a volume; the claim writes if one of them writes. */
    private void checkMode(SimWorkload workload, VolumeKey key, ClaimMode granted) {
        boolean writes = workload.mounts.stream()
                .anyMatch(mount -> mount.volume().equals(key) && mount.mode() == ClaimMode.WRITE);
        if (writes != (granted == ClaimMode.WRITE)) {
            world.reportViolation("S23: " + workload.id + " is granted " + key + " to " + granted + ", and "
                    + (writes ? "a mount writes" : "no mount writes"));
        }
    }

    private void granted(SimWorkload workload, ClaimGrant grant) {
        workload.granted = true;
        for (ClaimRequest request : workload.requests) {
            world.coverage().add("granted " + request.capability().accessMode());
            world.coverage().add("granted " + request.capability().attachmentMode());
        }
        world.trace().message("server", workload.node.id.value(), "grants " + workload.id);
        // A grant for a node that does not answer is lost; the claim ends with the allocation.
        if (!workload.node.answers()) {
            return;
        }
        for (int i = 0; i < grant.volumes().size(); i++) {
            mountSoon(workload, workload.requestNumber, grant.volumes().get(i), MOUNT_DELAY);
        }
    }

    /**
     * Mounts a granted volume after a short delay, unless the workload has sent a newer claim or release in the
     * meantime.
     */
    private void mountSoon(SimWorkload workload, int requestNumber, VolumeGrant grant, Duration max) {
        long agentRestarts = workload.node.agentRestarts();
        world.scheduler().within(max, () -> {
            if (workload.requestNumber == requestNumber && workload.node.agentRestarts() == agentRestarts) {
                mount(workload, requestNumber, grant);
            }
        });
    }

    void mount(SimWorkload workload, int requestNumber, VolumeGrant grant) {
        VolumeKey key = grant.view().volume().key();
        SimNode node = workload.node;
        if (workload.ended || !node.runs(workload.id) || workload.isMounted(key)) {
            return;
        }
        if (side.isBusy(node, key)) {
            mountSoon(workload, requestNumber, grant, MOUNT_DELAY);
            return;
        }
        StateReader state = world.store().snapshot();
        Optional<Claim> claim =
                state.volume(key).flatMap(volume -> volume.claims().get(workload.id));
        boolean taken = claim.filter(row -> row.state() == ClaimState.TAKEN).isPresent();
        // The node refuses a mount with the grant of a former machine, whose claim may have ended meanwhile.
        boolean refused = grant.claim()
                .externalNodeId()
                .filter(id -> !id.equals(node.externalId))
                .isPresent();
        if (node.answers() && !taken && !refused) {
            if (world.allowedViolations().allowsMount(key, workload.id)) {
                // An operator declared that nothing is mounted here, so the workload must not mount now.
                return;
            }
            world.reportViolation("I2: " + key + " is mounted for " + workload.id + " while its claim is "
                    + claim.map(row -> row.state().name()).orElse("missing"));
        }
        world.trace().note(node.id.value(), "mounts " + key.volumeId() + " for " + workload.id);
        workload.sentMounts.add(key);
        List<ClaimRequest> mounts = new ArrayList<>(workload.mounts);
        if (workload.mounts.size() > workload.requests.size()) {
            world.coverage().operation("mount a volume several times");
            SimVolumes.shuffle(mounts, random);
        }
        var unused = side.mount(node, grant, mounts).whenComplete((done, failure) -> {
            if (failure != null) {
                world.trace()
                        .note(
                                node.id.value(),
                                "cannot mount " + key.volumeId() + " for " + workload.id + ": " + failure.getMessage());
                claimAgainLater(workload, requestNumber);
            }
        });
    }

    /** Asks for the grant once more before the next attempt to mount, because the claim may have ended. */
    private void claimAgainLater(SimWorkload workload, int requestNumber) {
        world.scheduler().after(MOUNT_RETRY, () -> {
            if (workload.requestNumber == requestNumber && workload.granted) {
                workload.granted = false;
                claim(workload);
            }
        });
    }

    /** A restarted agent has lost its grants, so the workloads repeat their claims. */
    public void agentRestarted(SimNode node) {
        for (SimWorkload workload : workloads) {
            boolean notMounted = workload.requests.stream().anyMatch(request -> !workload.isMounted(request.volume()));
            if (workload.node.equals(node) && workload.granted && !workload.ended && notMounted) {
                workload.granted = false;
                claim(workload);
            }
        }
    }

    /**
     * Returns the requests of all mounts that workloads have sent to the agent of a machine, without those that ended with
     * a release.
     */
    public Map<SimNode.Mount, ClaimRequest> sentMounts(SimNode node) {
        Map<SimNode.Mount, ClaimRequest> sent = new TreeMap<>();
        for (SimWorkload workload : workloads) {
            if (workload.node.equals(node)) {
                for (VolumeKey key : workload.sentMounts) {
                    SimNode.Mount mount = new SimNode.Mount(key, workload.id);
                    boolean released = workload.paused && !workload.unansweredReleases.contains(key);
                    if (!released || node.mounts().contains(mount)) {
                        workload.request(key).ifPresent(request -> sent.put(mount, request));
                    }
                }
            }
        }
        return sent;
    }

    /** After a restore: repeats what concerns the volumes that claims make. */
    public void restored() {
        if (templates != null) {
            templates.restored();
        }
    }

    /** After a restore: reports which allocations run, and which have ended. */
    public void reportAgain() {
        for (SimWorkload workload : workloads) {
            boolean ended = workload.reported || (!workload.node.runs(workload.id) && host.isLost(workload.node));
            host.status(workload.id, workload.node.id, ended ? AllocationStatus.ENDED : AllocationStatus.RUNNING);
        }
    }

    /**
     * After a restore: a workload whose volumes are not all mounted asks again. The state may not have its claims, so
     * its grant must not be used any more.
     */
    public void repeatGrants() {
        workloads.stream().map(workload -> workload.node).distinct().toList().forEach(this::agentRestarted);
    }

    /** Ends the workload; its node reports the end as soon as it can. */
    private void end(SimWorkload workload) {
        if (workload.ended) {
            return;
        }
        workload.ended = true;
        workload.node.stop(workload.id);
        world.trace().note(workload.node.id.value(), workload.id + " ends");
        if (workload.claim != null && random.nextBoolean()) {
            workload.claim.cancel(false);
        }
        if (!workload.node.answers()) {
            return;
        }
        if (random.nextInt(3) == 0) {
            // Releases the volumes first, and reports the end of the workload some time later.
            earlyRelease.releaseEach(workload);
            world.scheduler().within(REPORT_DELAY, () -> report(workload));
        } else {
            report(workload);
        }
    }

    private void report(SimWorkload workload) {
        if (!workload.reported) {
            workload.reported = true;
            host.status(workload.id, workload.node.id, AllocationStatus.ENDED);
        }
    }

    /** Reports the workloads of a recovered node that have stopped. */
    public void report(SimNode node) {
        for (SimWorkload workload : workloads) {
            if (workload.node.equals(node) && !node.runs(workload.id)) {
                workload.ended = true;
                report(workload);
            }
        }
    }

    /** Reports the end of the workloads of a machine, although they may still run there. */
    public void reportAll(SimNode node) {
        workloads.stream().filter(workload -> workload.node.equals(node)).forEach(this::report);
    }

    public void endAll() {
        List.copyOf(workloads).forEach(this::end);
        workloads.forEach(this::report);
        if (templates != null) {
            templates.endAll();
        }
    }

    /** The rows of volumes that were made from templates, after all faults have ended and all workloads, too. */
    public String remainingTemplates() {
        return templates == null ? "" : templates.remaining();
    }

    /** Whether each claim was answered, apart from the claims that were lost when a server crashed. */
    public boolean answered() {
        return workloads.stream().allMatch(SimWorkload::answered);
    }

    List<RunningWorkload> running() {
        return workloads.stream()
                .filter(workload -> !workload.ended)
                .map(workload -> new RunningWorkload(workload.id, workload.node.id, workload.mounts))
                .toList();
    }

    public boolean isRunning(AllocationId id) {
        return workloads.stream().anyMatch(workload -> workload.id.equals(id) && !workload.ended);
    }

    /** Ends a workload whose claim an operator overrode. */
    public void stop(AllocationId id) {
        workloads.stream().filter(workload -> workload.id.equals(id)).forEach(this::end);
    }
}
