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

/** The parts of a running agent; stops them in the right order. */
public final class RunningAgent {
    /** The time limit for the last report to the servers. */
    private static final Duration GOODBYE = Duration.ofSeconds(2);

    private final NodeId nodeId;
    private final NodeRuntime work;
    private final WorkloadVolumes workloads;
    private final AgentWays ways;
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final AtomicBoolean ending = new AtomicBoolean();

    /** The connections to the servers, and the socket on which servers call the agent. */
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
        // The host's timer ends the agent after the time limit. If the host has stopped the timer, a network thread
        // ends the agent after twice the time limit.
        ways.wire().threads().after(GOODBYE.multipliedBy(2), this::end);
        try {
            Cancellable limit = ways.wire().timer().schedule(GOODBYE, this::end);
            var unused = ways.fingerprinter()
                    .reportShutdown("the agent of node " + nodeId + " is stopping")
                    .whenComplete((reported, failure) -> {
                        limit.cancel();
                        end();
                    });
        } catch (RejectedExecutionException stopped) {
            // Stops without a last report, because the host has ended its threads already.
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
            // The host has ended its threads, so no write is in progress. The ledger contains the unfinished work for
            // the next start.
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
