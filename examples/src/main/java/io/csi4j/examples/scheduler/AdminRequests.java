package io.csi4j.examples.scheduler;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.WaitingQuery;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The requests of agents and operators. Only the leader answers. */
final class AdminRequests implements LineSocket.Handler {
    private static final long LOG_SECONDS = 20;

    private final VolumeLifecycle lifecycle;
    private final ObservableState store;
    private final SchedulingLoop loop;
    private final ClusterLayout layout;
    private final VolumeRequests volumes;
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
        this.volumes = new VolumeRequests(lifecycle);
        this.peers = peers;
        this.machines = new NodeRequests(lifecycle, store, loop, layout);
    }

    private record JobRow(String allocation, String node, String status, List<String> volumes) {}

    private record WaitingRow(String allocation, String seconds, String waitsFor) {}

    private record Assignment(String allocation, String status, List<JsonObject> claims) {}

    @Override
    public JsonElement answer(String op, JsonObject request, Consumer<String> progress) throws Exception {
        if (!loop.leading()) {
            throw new NotLeadingException();
        }
        return switch (op) {
            case "agent" -> gson.toJsonTree(assignments(request));
            case "job status" -> gson.toJsonTree(jobs());
            case "claims" -> gson.toJsonTree(waiting());
            case "server status", "server add", "server replace", "server remove", "server backup" ->
                gson.toJsonTree(peers.answer(op, request));
            case "plugin status", "plugin upgrade" -> machines.answer(op, request, progress);
            default ->
                op.startsWith("node ") ? machines.answer(op, request, progress) : volumes.answer(op, request, progress);
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
                assignments.add(assignment(file, allocation));
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

    private static Assignment assignment(JobFile file, Allocation allocation) {
        List<JsonObject> claims = file.jobOf(allocation.id()).stream()
                .flatMap(job -> file.requests(job).stream())
                .map(claim -> {
                    JsonObject row = new JsonObject();
                    row.addProperty("volume", claim.volume().volumeId().value());
                    row.addProperty("mode", claim.mode().name());
                    row.addProperty(
                            "accessMode", claim.capability().accessMode().name());
                    return row;
                })
                .toList();
        // The agent has to stop an allocation whose job is no longer in the job file, even if the state does not say
        // STOPPING yet.
        boolean known = file.jobOf(allocation.id()).isPresent();
        return new Assignment(
                allocation.id().value(), (known ? allocation.status() : AllocationStatus.STOPPING).name(), claims);
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

    private List<WaitingRow> waiting() {
        Instant now = Instant.now();
        return join(lifecycle.claims().waiting(WaitingQuery.all())).items().stream()
                .map((WaitingClaim claim) -> new WaitingRow(
                        claim.allocationId().value(),
                        String.format(Locale.ROOT, "%.1f", claim.age(now).toMillis() / 1000.0),
                        claim.text()))
                .toList();
    }
}
