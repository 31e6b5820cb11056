package io.csi4j.testkit.sim;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.RequestedCapability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What runs on the nodes: it asks for its volumes, mounts them, works, and ends. */
final class SimWorkloads {
    private static final Duration MOUNT = Duration.ofMillis(200);
    private static final Duration LIFE = Duration.ofSeconds(40);

    private static final class Workload {
        final AllocationId id;
        final SimNode node;
        final List<ClaimRequest> requests;

        @Nullable CompletableFuture<ClaimGrant> claim;
        /** Who was asked. */
        @Nullable SimProcess asked;

        /** How often it asked: an answer to an earlier question is of no account. */
        int asks;

        boolean granted;
        boolean over;
        boolean reported;

        Workload(AllocationId id, SimNode node, List<ClaimRequest> requests) {
            this.id = id;
            this.node = node;
            this.requests = requests;
        }
    }

    private final SimWorld world;
    private final SimHost host;
    private final SimServer server;
    private final SplittableRandom random;
    private final List<Workload> workloads = new ArrayList<>();

    SimWorkloads(SimWorld world, SimHost host, SimServer server, SplittableRandom random) {
        this.world = world;
        this.host = host;
        this.server = server;
        this.random = random;
    }

    void begin(SimulationOptions options) {
        long most = options.chaos().toNanos() * 4 / 5;
        for (int i = 1; i <= options.workloads(); i++) {
            AllocationId id = AllocationId.of("a" + i);
            world.scheduler().after(Duration.ofNanos(random.nextLong(most)), () -> place(id));
        }
    }

    private void place(AllocationId id) {
        List<SimNode> nodes = new ArrayList<>(world.nodes().values());
        SimNode node = nodes.get(random.nextInt(nodes.size()));
        if (!node.answers()) {
            return;
        }
        Workload workload = new Workload(id, node, requests());
        workloads.add(workload);
        host.status(id, node.id, AllocationStatus.RUNNING);
        node.start(id);
        claim(workload);
        world.scheduler().soon(LIFE.multipliedBy(2), () -> end(workload));
    }

    private List<ClaimRequest> requests() {
        List<ClaimRequest> requests = new ArrayList<>();
        VolumeKey first = any();
        requests.add(request(first));
        if (random.nextInt(3) == 0) {
            VolumeKey second = any();
            if (!second.equals(first)) {
                requests.add(request(second));
            }
        }
        return requests;
    }

    private VolumeKey any() {
        return host.volumes().get(random.nextInt(host.volumes().size()));
    }

    private ClaimRequest request(VolumeKey key) {
        AccessMode mode = host.mode(key);
        ClaimMode use = random.nextInt(3) == 0 ? ClaimMode.READ : ClaimMode.WRITE;
        return ClaimRequest.of(key, use, RequestedCapability.mount(mode));
    }

    /** Asks whoever leads now; a leader that ends leaves the question open, and it is asked again of the next. */
    private void claim(Workload workload) {
        if (workload.over || workload.granted) {
            return;
        }
        CompletableFuture<ClaimGrant> claim = server.claim(workload.id, workload.requests);
        workload.claim = claim;
        int ask = ++workload.asks;
        SimProcess process = server.process();
        workload.asked = process;
        var unused = claim.whenComplete((grant, failure) -> {
            if (workload.asks != ask || workload.over) {
                return;
            }
            if (failure == null) {
                granted(workload, grant);
            } else if (!claim.isCancelled()) {
                world.trace().note("host", workload.id + " is refused: " + failure.getMessage());
                boolean leaderGone = !process.alive() || !server.leads();
                // Most give up; some try again.
                if (leaderGone || random.nextBoolean()) {
                    world.scheduler().after(Duration.ofSeconds(5), () -> claim(workload));
                } else {
                    end(workload);
                }
            }
        });
    }

    /** A new leader knows nothing of who waited. */
    void claimAgain() {
        workloads.forEach(this::claim);
    }

    private void granted(Workload workload, ClaimGrant grant) {
        workload.granted = true;
        world.trace().message("server", workload.node.id.value(), "grants " + workload.id);
        // A grant that comes while the node does not answer is lost; the claim stays, and is released with the
        // allocation.
        if (!workload.node.answers()) {
            return;
        }
        for (int i = 0; i < grant.volumes().size(); i++) {
            VolumeKey key = workload.requests.get(i).volume();
            world.scheduler().soon(MOUNT, () -> mount(workload, key));
        }
    }

    private void mount(Workload workload, VolumeKey key) {
        SimNode node = workload.node;
        if (workload.over || !node.runs(workload.id)) {
            return;
        }
        StateReader state = world.store().snapshot();
        Optional<Claim> claim =
                state.volume(key).flatMap(volume -> volume.claims().get(workload.id));
        if (node.answers() && claim.filter(c -> c.state() == ClaimState.TAKEN).isEmpty()) {
            world.violated("I2: " + key + " is mounted for " + workload.id + " while its claim is "
                    + claim.map(c -> c.state().name()).orElse("not there"));
        }
        world.trace().note(node.id.value(), "mounts " + key.volumeId() + " for " + workload.id);
        node.mounts().add(new SimNode.Mount(key, workload.id));
    }

    /** The workload stops; its node says so as soon as it can. */
    private void end(Workload workload) {
        if (workload.over) {
            return;
        }
        workload.over = true;
        workload.node.stop(workload.id);
        world.trace().note(workload.node.id.value(), workload.id + " ends");
        if (workload.claim != null && random.nextBoolean()) {
            workload.claim.cancel(false);
        }
        if (workload.node.answers()) {
            report(workload);
        }
    }

    private void report(Workload workload) {
        if (!workload.reported) {
            workload.reported = true;
            host.status(workload.id, workload.node.id, AllocationStatus.ENDED);
        }
    }

    /** What a node that is back tells: which of its workloads do not run any more. */
    void report(SimNode node) {
        for (Workload workload : workloads) {
            if (workload.node.equals(node) && !node.runs(workload.id)) {
                workload.over = true;
                report(workload);
            }
        }
    }

    void endAll() {
        workloads.forEach(this::end);
        workloads.forEach(this::report);
    }

    /** Whether every claim was answered, but for those that a crash took away. */
    boolean answered() {
        return workloads.stream()
                .allMatch(workload -> workload.claim == null
                        || workload.claim.isDone()
                        || (workload.asked != null && !workload.asked.alive()));
    }
}
