package io.csi4j.agent.internal.node;

import io.csi4j.client.registry.FingerprintSink;
import io.csi4j.client.registry.Fingerprinter;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.node.internal.codec.FingerprintCodec;
import io.csi4j.node.internal.codec.PeerText;
import io.csi4j.node.transport.RemoteFailureException;
import io.csi4j.proto.agent.v1.AgentProto.FailureKind;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintAnswer;
import io.csi4j.proto.agent.v1.ServersGrpc;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reports the plugins of the node to a server. Each response names the server that sent it. If that server has not
 * received the last report, because it is another server or was restarted, all plugins are reported again.
 */
public final class FingerprintReporter implements FingerprintSink {
    private static final Duration DEADLINE = Duration.ofSeconds(15);

    private final ServerLink servers;
    private volatile @Nullable Fingerprinter fingerprinter;
    /** The id of the server that sent the latest response to this agent; empty if no server has responded yet. */
    private volatile String lastServer = "";

    public FingerprintReporter(ServerLink servers) {
        this.servers = servers;
    }

    public void reportedBy(Fingerprinter started) {
        this.fingerprinter = started;
    }

    @Override
    public CompletableFuture<?> send(NodeFingerprint report) {
        return Futures.map(
                servers.call(ServersGrpc.getFingerprintMethod(), FingerprintCodec.write(report), DEADLINE),
                answer -> acknowledged(report, answer),
                failure -> failure);
    }

    private FingerprintAnswer acknowledged(NodeFingerprint report, FingerprintAnswer answer) {
        if (answer.hasFailure()) {
            if (answer.getNewest() > report.order()) {
                throw new RejectedException(
                        new Rejection.FingerprintOutdated(report.nodeId(), report.order(), answer.getNewest()));
            }
            if (answer.getFailure().getKind() == FailureKind.FAILURE_KIND_VERSION
                    || answer.getFailure().getKind() == FailureKind.FAILURE_KIND_NOT_LEADING) {
                servers.moveOn();
            }
            throw new RemoteFailureException(
                    "the fingerprint was not taken: "
                            + PeerText.plain(answer.getFailure().getMessage()),
                    true);
        }
        lastServer = answer.getServer();
        return answer;
    }

    /**
     * Called when a server has answered a request of this agent. If that server does not have the last report, all
     * plugins are soon reported again.
     */
    public void heard(String server) {
        Fingerprinter reported = fingerprinter;
        if (reported != null && !server.isEmpty() && !server.equals(lastServer)) {
            lastServer = server;
            reported.reportLater();
        }
    }
}
