package io.csi4j.server;

import io.csi4j.agent.AgentServer;
import io.csi4j.agent.LocalNode;
import io.csi4j.agent.RemoteNodeGateway;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.spi.ReplicatedLog;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a server, which this object closes in the right order. A part is null before its start, or always null
 * if the server does not have this part.
 */
final class ServerParts implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ServerParts.class.getName());
    private static final Duration NODE_CLOSES = Duration.ofSeconds(10);

    final Environment environment;
    private final boolean ownsEnvironment;
    final ReplicatedLog log;

    @Nullable LocalNode node;

    @Nullable RemoteNodeGateway gateway;

    @Nullable AgentServer agentServer;

    private @Nullable VolumeLifecycle lifecycle;
    private @Nullable Runnable leadership;
    private final AtomicBoolean closed = new AtomicBoolean();

    ServerParts(Environment environment, boolean ownsEnvironment, ReplicatedLog log) {
        this.environment = environment;
        this.ownsEnvironment = ownsEnvironment;
        this.log = log;
    }

    VolumeLifecycle lifecycle() {
        return Objects.requireNonNull(lifecycle, "lifecycle");
    }

    /** Makes the engine follow the log from now on: the engine leads exactly while the log leads. */
    void lead(VolumeLifecycle engine) {
        lifecycle = engine;
        leadership = log.onLeadership(new LeadershipListener() {
            @Override
            public void startLeading() {
                engine.startLeading(log::mayAct);
            }

            @Override
            public void stopLeading() {
                engine.stopLeading();
            }
        });
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (leadership != null) {
            leadership.run();
        }
        if (agentServer != null) {
            agentServer.close();
        }
        if (node != null) {
            closeNode(node);
        } else if (lifecycle != null) {
            lifecycle.close();
        }
        if (gateway != null) {
            gateway.close();
        }
        log.close();
        if (ownsEnvironment) {
            environment.close();
        }
    }

    private void closeNode(LocalNode local) {
        local.close();
        Timeouts timeouts = new Timeouts(environment.timer(), environment.executor());
        try {
            timeouts.limit(
                            local.closed(),
                            NODE_CLOSES,
                            () -> new TimeoutException("it takes longer than " + NODE_CLOSES))
                    .join();
        } catch (CompletionException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The local node did not close in order: "
                            + Futures.unwrap(e).getMessage() + ". The next start reads its ledger");
        }
    }
}
