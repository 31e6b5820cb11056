package io.csi4j.benchmarks.cluster;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.StateStoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/** The peers of one {@link RatisCommandLog}, in this process. */
final class CsiLog implements MeasuredLog {
    private static final NodeId NODE = NodeId.of("node-1");
    /** The state options of all peers. They store secrets unencrypted. */
    static final StateStoreOptions STATE = StateStoreOptions.builder()
            .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
            .build();

    private static final Namespace NAMESPACE = Namespace.of("default");

    private final List<RatisCommandLog> peers = new ArrayList<>();

    /** Starts one peer without a network, or several on loopback addresses. */
    CsiLog(Path directory, int count, int firstPort) throws IOException {
        if (count == 1) {
            peers.add(RatisCommandLog.builder(directory.resolve("1")).start());
        } else {
            List<Peer> all = Ports.peers(count, firstPort);
            for (Peer peer : all) {
                peers.add(RatisCommandLog.builder(directory.resolve(peer.id().value()))
                        .state(STATE)
                        .peer(peer)
                        .everyLocalUserIsTrusted()
                        .newCluster(all)
                        .start());
            }
        }
    }

    /** Waits for a leader and returns it. */
    RatisCommandLog leader() {
        while (true) {
            for (RatisCommandLog peer : peers) {
                if (peer.status().leading()) {
                    return peer;
                }
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public CompletableFuture<?> submit(int number) {
        return leader().submit(new AllocationCommand.UpsertAllocation(
                AllocationId.of("web-" + number % 1_000),
                NAMESPACE,
                NODE,
                Optional.empty(),
                number / 1_000 % 2 == 0 ? AllocationStatus.PENDING : AllocationStatus.RUNNING,
                Instant.EPOCH.plusMillis(number)));
    }

    @Override
    public void close() {
        peers.forEach(RatisCommandLog::close);
    }
}
