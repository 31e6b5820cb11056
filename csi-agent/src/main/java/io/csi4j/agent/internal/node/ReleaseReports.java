package io.csi4j.agent.internal.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.internal.codec.FailureCodec;
import io.csi4j.node.internal.codec.ProtocolVersion;
import io.csi4j.proto.agent.v1.AgentProto.ReleasedCall;
import io.csi4j.proto.agent.v1.ServersGrpc;
import io.csi4j.values.internal.Values;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Reports to the servers which volumes of ended workloads are unmounted. Each report is repeated until a server
 * acknowledges it. The reports are not stored: if the agent crashes and a report is lost, the servers themselves
 * request the unmount before they free the claim.
 */
public final class ReleaseReports {
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final NodeId node;
    private final ServerLink servers;
    private final RetryTimer retries;
    private final Consumer<String> heard;
    private final Map<Use, Report> reports = new ConcurrentHashMap<>();
    private volatile boolean closed;

    public ReleaseReports(NodeId node, ServerLink servers, RetryTimer retries, Consumer<String> heard) {
        this.node = node;
        this.servers = servers;
        this.retries = retries;
        this.heard = heard;
    }

    private record Use(VolumeKey volume, AllocationId allocation) {}

    /** One report that is neither acknowledged nor obsolete. */
    private static final class Report {
        private volatile CompletableFuture<?> inFlight = CompletableFuture.completedFuture(null);
        private int failures;
    }

    public void add(VolumeKey volume, AllocationId allocation) {
        Use use = new Use(volume, allocation);
        Report report = new Report();
        reports.put(use, report);
        report(use, report);
    }

    private void report(Use use, Report report) {
        if (closed || reports.get(use) != report) {
            return;
        }
        ReleasedCall call = ReleasedCall.newBuilder()
                .setVersion(ProtocolVersion.OURS)
                .setNodeId(node.value())
                .setVolume(Values.key(use.volume()))
                .setAllocationId(use.allocation().value())
                .build();
        report.inFlight = servers.call(ServersGrpc.getReleasedMethod(), call, DEADLINE)
                .handle((reported, failure) -> {
                    if (failure == null) {
                        heard.accept(reported.getServer());
                    }
                    // Does not repeat a report that the server rejects permanently, for example because the volume was
                    // removed or is not on this node.
                    if (failure == null && !(reported.hasFailure() && FailureCodec.mayRepeat(reported.getFailure()))) {
                        reports.remove(use, report);
                    } else {
                        report.failures++;
                        var unused = retries.after(report.failures, () -> report(use, report));
                    }
                    return null;
                });
    }

    /**
     * Stops the reports about an allocation that is about to mount volumes again.
     *
     * @return completes when no report about it is in flight
     */
    public CompletableFuture<Void> forget(AllocationId allocation) {
        CompletableFuture<?>[] reported = reports.entrySet().stream()
                .filter(each -> each.getKey().allocation().equals(allocation))
                .map(each -> {
                    reports.remove(each.getKey());
                    return each.getValue().inFlight;
                })
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(reported);
    }

    public void close() {
        closed = true;
        reports.clear();
    }
}
