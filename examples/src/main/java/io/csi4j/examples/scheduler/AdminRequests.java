package io.csi4j.examples.scheduler;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The requests of agents, and those of operators that only this scheduler has. Only the leader answers, but for its meters. */
final class AdminRequests implements LineSocket.Handler {
    /** The status of an allocation whose job is in a wrong line: the node neither starts nor stops it. */
    static final String UNCLEAR = "UNCLEAR";

    private static final long LOG_SECONDS = 20;
    private static final long DELETE_SECONDS = 120;

    private final VolumeLifecycle lifecycle;
    private final ObservableState store;
    private final SchedulingLoop loop;
    private final ClusterLayout layout;
    private final NodeRequests machines;
    private final PeerRequests peers;
    private final Gson gson = new Gson();

    AdminRequests(
            VolumeLifecycle lifecycle,
            ObservableState store,
            SchedulingLoop loop,
            ClusterLayout layout,
            PeerRequests peers) {
        this.lifecycle = lifecycle;
        this.store = store;
        this.loop = loop;
        this.layout = layout;
        this.peers = peers;
        this.machines = new NodeRequests(lifecycle, store, loop, layout);
    }

    private record JobRow(String allocation, String node, String status, List<String> volumes) {}

    /** @param problems the wrong lines of the job file */
    private record JobsAnswer(List<JobRow> jobs, List<String> problems) {}

    private record Assignment(String allocation, String status, List<JsonObject> claims) {}

    @Override
    public JsonElement answer(String op, JsonObject request, Consumer<String> progress) throws Exception {
        if (op.equals("server meters")) {
            return gson.toJsonTree(peers.meters(request));
        }
        if (!loop.leading()) {
            throw new NotLeadingException();
        }
        return switch (op) {
            case "agent" -> gson.toJsonTree(assignments(request));
            case "ready" -> new JsonPrimitive(ready());
            case "remaining" -> gson.toJsonTree(remaining());
            case "volumes made" -> gson.toJsonTree(made());
            case "volumes delete" -> gson.toJsonTree(deleteVolumes());
            case "job list" -> gson.toJsonTree(jobsAnswer());
            case "server peers", "server add", "server replace", "server remove" ->
                gson.toJsonTree(peers.answer(op, request));
            default -> machines.answer(op, request, progress);
        };
    }

    static String text(JsonObject request, String name) {
        if (!request.has(name)) {
            throw new IllegalArgumentException("'" + name + "' is missing");
        }
        return request.get(name).getAsString();
    }

    static <T> T join(CompletableFuture<T> future) {
        return future.orTimeout(LOG_SECONDS, TimeUnit.SECONDS).join();
    }

    /** Takes the report of an agent, and answers which allocations it has to run or to stop. */
    private List<Assignment> assignments(JsonObject request) throws IOException {
        NodeId node = NodeId.of(text(request, "node"));
        loop.contacts().called(node);
        for (AllocationId id : ids(request.getAsJsonArray("running"))) {
            // A state that was restored from a backup does not have the allocations that were placed later.
            boolean pendingOrUnknown = store.snapshot()
                    .allocation(id)
                    .map(allocation -> allocation.status() == AllocationStatus.PENDING)
                    .orElse(true);
            if (pendingOrUnknown) {
                join(lifecycle.cluster().allocationStarted(id, JobFile.NAMESPACE, node));
            }
        }
        for (AllocationId id : ids(request.getAsJsonArray("ended"))) {
            join(lifecycle.cluster().allocationEnded(id));
        }
        JobFile file = JobFile.read(layout.jobs());
        List<Assignment> assignments = new ArrayList<>();
        for (Allocation allocation : store.snapshot().allocationsOn(node)) {
            if (!allocation.ended()) {
                assignments.add(assignment(file, store.snapshot(), allocation));
            }
        }
        forgotten(node)
                .forEach(
                        id -> assignments.add(new Assignment(id.value(), AllocationStatus.STOPPING.name(), List.of())));
        return assignments;
    }

    /**
     * Returns the allocations that have volumes on a node, but are not in the state and do not run: a restored state
     * does not have them, and their workloads have ended with the last process of the agent.
     */
    private Set<AllocationId> forgotten(NodeId node) {
        StateReader state = store.snapshot();
        Set<AllocationId> forgotten = new TreeSet<>();
        for (VolumeKey key : state.volumesOn(node)) {
            state.volume(key)
                    .ifPresent(volume -> volume.claims().forEach(claim -> {
                        if (claim.nodeId().equals(node)
                                && state.allocation(claim.allocationId()).isEmpty()) {
                            forgotten.add(claim.allocationId());
                        }
                    }));
        }
        return forgotten;
    }

    private static List<AllocationId> ids(JsonArray array) {
        return array.asList().stream()
                .map(id -> AllocationId.of(id.getAsString()))
                .toList();
    }

    private static Assignment assignment(JobFile file, StateReader state, Allocation allocation) {
        List<JsonObject> claims = file.jobOf(allocation.id()).stream()
                .flatMap(job -> file.requests(job, JobFile.owner(state, job.name()), allocation.id()).stream())
                .map(AssignedClaims::write)
                .toList();
        // The agent has to stop an allocation whose job is no longer in the job file, even if the state does not say
        // STOPPING yet.
        boolean known = file.jobOf(allocation.id()).isPresent();
        String status = !known && file.isUnclear(allocation.id()) && allocation.status() != AllocationStatus.STOPPING
                ? UNCLEAR
                : (known ? allocation.status() : AllocationStatus.STOPPING).name();
        return new Assignment(allocation.id().value(), status, claims);
    }

    private JobsAnswer jobsAnswer() throws IOException {
        return new JobsAnswer(
                jobs(),
                JobFile.read(layout.jobs()).wrongLines().stream()
                        .map(line -> line.in(layout.jobs()))
                        .toList());
    }

    private List<JobRow> jobs() {
        List<JobRow> rows = new ArrayList<>();
        for (Allocation allocation : store.snapshot().allocations()) {
            List<String> claimed = new ArrayList<>();
            store.snapshot()
                    .volumesClaimedBy(allocation.id())
                    .forEach(key -> claimed.add(key.volumeId().value()));
            rows.add(new JobRow(
                    allocation.id().value(),
                    allocation.nodeId().value(),
                    allocation.status().name(),
                    claimed));
        }
        return rows;
    }

    /** Deletes all volumes, which no allocation may use any more, and returns their number. */
    private int deleteVolumes() {
        List<CompletableFuture<Void>> deletions = new ArrayList<>();
        forEachVolume(volume -> deletions.add(
                volume.retainedSince().isPresent()
                        ? lifecycle.volumes().deleteRetained(volume.key())
                        : lifecycle.volumes().delete(volume.key())));
        CompletableFuture.allOf(deletions.toArray(new CompletableFuture<?>[0]))
                .orTimeout(DELETE_SECONDS, TimeUnit.SECONDS)
                .join();
        return deletions.size();
    }

    /** Returns whether all nodes are ready and have a healthy plugin, and the operators have a token. */
    private boolean ready() {
        return layout.firstToken().isPresent()
                && layout.nodeIds().stream()
                        .allMatch(node -> store.snapshot()
                                .node(node)
                                .filter(found -> found.status() == NodeStatus.READY)
                                .isPresent())
                && join(lifecycle.operator().plugin(ClusterLayout.PLUGIN))
                        .filter(report -> report.plugin().healthyNodes() == layout.nodes())
                        .isPresent();
    }

    /** Returns the provider's ids of all volumes in the state. */
    private List<String> made() {
        List<String> ids = new ArrayList<>();
        forEachVolume(volume -> volume.externalVolumeId().ifPresent(id -> ids.add(id.value())));
        return ids;
    }

    /**
     * Returns the allocations, claims and attachments that are left, the volumes that end with their allocations and
     * jobs, and the nodes that may have more: a restored state does not know what they have mounted until they report it.
     */
    private List<String> remaining() {
        StateReader state = store.snapshot();
        List<String> left = new ArrayList<>();
        for (Node node : state.nodes()) {
            if (!node.ledger().isSettled()) {
                left.add("node " + node.id() + ", whose volumes are not known");
            }
        }
        jobs().forEach(job -> left.add("allocation " + job));
        forEachVolume(volume -> {
            if (volume.phase() != VolumePhase.AVAILABLE
                    || (volume.owner().isPresent() && volume.retainedSince().isEmpty())) {
                left.add("volume " + volume.key() + ", which is " + volume.phase() + " and ends with its owner");
            }
            if (!volume.claims().isEmpty() || !volume.attachments().isEmpty()) {
                left.add("volume " + volume.key() + " with " + volume.claims() + " and " + volume.attachments());
            }
        });
        return left;
    }

    private void forEachVolume(Consumer<Volume> action) {
        StateReader state = store.snapshot();
        Optional<VolumeKey> after = Optional.empty();
        do {
            VolumeQuery.Builder query = VolumeQuery.builder();
            after.ifPresent(query::after);
            ListPage<Volume, VolumeKey> page = state.volumes(query.build());
            page.items().forEach(action);
            after = page.next();
        } while (after.isPresent());
    }
}
