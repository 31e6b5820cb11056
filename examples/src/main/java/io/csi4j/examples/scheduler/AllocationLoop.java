package io.csi4j.examples.scheduler;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.agent.NodeAgent;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.node.MountedVolume;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs the allocations of one node: asks the leader what to run, claims and mounts the volumes, starts the workload, and unmounts when it has stopped. All fields
 * are used on one thread.
 */
final class AllocationLoop implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 300;
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration TEARDOWN = Duration.ofSeconds(20);

    private final NodeAgent agent;
    private final ClusterLayout layout;
    private final LineClient leader;
    private final Notice failure = new Notice("allocations");
    private final Map<AllocationId, Running> running = new HashMap<>();
    private final Set<AllocationId> ended = new HashSet<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread daemon = new Thread(task, "csi4j-example-allocations");
        daemon.setDaemon(true);
        return daemon;
    });

    /** An allocation on this node, with its mounted volumes and its workload. */
    private static final class Running {
        final CompletableFuture<List<MountedVolume>> prepared;

        @Nullable Workload workload;

        boolean stopping;

        Running(CompletableFuture<List<MountedVolume>> prepared) {
            this.prepared = prepared;
        }
    }

    AllocationLoop(NodeAgent agent, ClusterLayout layout) {
        this.agent = agent;
        this.layout = layout;
        this.leader = new LineClient(layout.adminSockets(), PATIENCE);
        var unused = thread.scheduleWithFixedDelay(this::run, 0, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void run() {
        try {
            JsonObject report = new JsonObject();
            report.addProperty("node", agent.nodeId().value());
            report.add("running", ids(running()));
            report.add("ended", ids(ended));
            JsonElement assignments = leader.ask("agent", report, line -> {});
            ended.clear();
            follow(assignments.getAsJsonArray());
            failure.set("");
        } catch (LineClient.UnreachableException noLeader) {
            // The workloads continue, and the next run of this loop asks the server again.
        } catch (IOException | RuntimeException e) {
            failure.set(e.toString());
        }
    }

    /** Returns the allocations whose workloads run. */
    private Set<AllocationId> running() {
        return running.entrySet().stream()
                .filter(entry -> entry.getValue().workload != null && !entry.getValue().stopping)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private static JsonArray ids(Set<AllocationId> allocations) {
        JsonArray array = new JsonArray();
        allocations.forEach(id -> array.add(id.value()));
        return array;
    }

    /** Starts and stops allocations, so that exactly the assigned ones run. */
    private void follow(JsonArray assignments) {
        Set<AllocationId> assigned = new HashSet<>();
        for (JsonElement element : assignments) {
            JsonObject assignment = element.getAsJsonObject();
            AllocationId id = AllocationId.of(assignment.get("allocation").getAsString());
            assigned.add(id);
            String status = assignment.get("status").getAsString();
            if (status.equals("STOPPING")) {
                stop(id);
            } else if (!status.equals(AdminRequests.UNCLEAR) && !running.containsKey(id)) {
                start(id, AssignedClaims.read(assignment.getAsJsonArray("claims")));
            }
        }
        // Also stops allocations that the servers do not know any more, because fencing has ended them.
        List.copyOf(running.keySet()).stream()
                .filter(id -> !assigned.contains(id))
                .forEach(this::stop);
    }

    /** Claims the volumes of an allocation and mounts them. A claim waits while another allocation has the volume. */
    private void start(AllocationId id, List<ClaimRequest> requests) {
        long begun = System.nanoTime();
        CompletableFuture<List<MountedVolume>> prepared =
                requests.isEmpty() ? CompletableFuture.completedFuture(List.of()) : agent.prepare(id, requests);
        Running allocation = new Running(prepared);
        running.put(id, allocation);
        var unused = prepared.whenCompleteAsync(
                (mounted, failure) -> {
                    if (allocation.stopping) {
                        return;
                    } else if (failure == null) {
                        allocation.workload = new Workload(id, requests, mounted, layout);
                        Workload.append(layout.report("grants"), id + " " + (System.nanoTime() - begun) / 1_000_000);
                    } else {
                        failed(id, failure instanceof CompletionException ? failure.getCause() : failure);
                    }
                },
                thread);
    }

    private void failed(AllocationId id, @Nullable Throwable failure) {
        System.err.println(Instant.now() + " allocation " + id + " did not start: " + failure);
        if (failure instanceof CsiException csi && csi.retryable()) {
            running.remove(id); // the next run prepares it again
        } else {
            stop(id);
        }
    }

    /** Stops the workload, unmounts, and reports the end when nothing is mounted any more. */
    private void stop(AllocationId id) {
        Running allocation = running.computeIfAbsent(id, unknown -> new Running(new CompletableFuture<>()));
        if (allocation.stopping) {
            return;
        }
        allocation.stopping = true;
        allocation.prepared.cancel(true);
        if (allocation.workload != null) {
            allocation.workload.close();
        }
        var unused = agent.teardown(id, TEARDOWN)
                .whenCompleteAsync(
                        (torn, failure) -> {
                            running.remove(id);
                            if (failure == null && torn.left().isEmpty()) {
                                ended.add(id);
                            } else {
                                // The next run tries again, because the servers still have the allocation.
                                System.err.println(Instant.now() + " allocation " + id + " is not unmounted yet: "
                                        + (failure == null ? torn.left() : failure));
                            }
                        },
                        thread);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
