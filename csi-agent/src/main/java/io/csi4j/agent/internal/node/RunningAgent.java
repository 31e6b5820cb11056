package io.csi4j.agent.internal.node;

import io.csi4j.agent.internal.wire.WireChannels;
import io.csi4j.agent.internal.wire.WireContext;
import io.csi4j.agent.internal.wire.WireServer;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.node.VolumeMounter;
import io.csi4j.node.WorkloadVolumes;
import io.csi4j.registry.Fingerprinter;
import io.csi4j.registry.PluginRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The parts of a running agent, and the order in which they stop. */
public final class RunningAgent {
    /** The time for the last report to the servers. */
    private static final Duration GOODBYE = Duration.ofSeconds(2);

    private final NodeId nodeId;
    private final NodeRuntime work;
    private final WorkloadVolumes workloads;
    private final AgentWays ways;
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final AtomicBoolean ending = new AtomicBoolean();

    /** The connections from and to the servers. */
    public record AgentWays(
            WireContext wire,
            WireChannels channels,
            WireServer server,
            Fingerprinter fingerprinter,
            RemoteClaims claims,
            ReleaseReports reports) {}

    public RunningAgent(NodeId nodeId, NodeRuntime work, WorkloadVolumes workloads, AgentWays ways) {
        this.nodeId = nodeId;
        this.work = work;
        this.workloads = workloads;
        this.ways = ways;
    }

    public NodeId nodeId() {
        return nodeId;
    }

    public CompletableFuture<@Nullable Void> ready() {
        return work.volumes().ready();
    }

    public PluginTasks tasks() {
        return work.tasks();
    }

    public PluginRegistry registry() {
        return work.registry();
    }

    public VolumeMounter volumes() {
        return work.volumes();
    }

    public WorkloadVolumes workloads() {
        return workloads;
    }

    public ReleaseReports reports() {
        return ways.reports();
    }

    public CompletableFuture<@Nullable Void> closed() {
        return closed;
    }

    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        ways.server().close();
        ways.claims().close();
        ways.reports().close();
        // The host may end its threads at once, and with them the limit below.
        ways.wire().threads().after(GOODBYE.multipliedBy(2), this::end);
        try {
            Cancellable limit = ways.wire().timer().schedule(GOODBYE, this::end);
            var unused = ways.fingerprinter()
                    .sayGoodbye("the agent of node " + nodeId + " is stopping")
                    .whenComplete((reported, failure) -> {
                        limit.cancel();
                        end();
                    });
        } catch (RejectedExecutionException stopped) {
            // The host has ended its threads already, so no report can be sent.
            end();
        }
    }

    private void end() {
        if (!ending.compareAndSet(false, true)) {
            return;
        }
        CompletableFuture<?> written = CompletableFuture.completedFuture(null);
        try {
            ways.fingerprinter().close();
            written = work.close();
        } catch (RejectedExecutionException stopped) {
            // Without threads nothing more is written; the ledger has the unfinished work.
            written = CompletableFuture.completedFuture(null);
        } finally {
            ways.wire().closing();
            ways.channels().close();
            ways.wire().close();
        }
        var unused = CompletableFuture.allOf(written, ways.wire().threads().ended())
                .whenComplete((nothing, failure) -> {
                    Futures.complete(closed, null, failure);
                });
    }
}
