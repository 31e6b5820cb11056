package io.csi4j.admin.access;

import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.NewAccessToken;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.state.ObservableState;
import io.csi4j.state.StateStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Two servers with a store each, and one log for both. A server that lags applies the commands of the other one later. */
final class TwoServers implements AutoCloseable {
    final VirtualTime time = VirtualTime.inOrder();
    private final List<Command> log = new ArrayList<>();
    final Server one = new Server();
    final Server two = new Server();

    final class Server implements CommandLog {
        private final StateStore store = StateStore.inMemory();
        private int applied;
        boolean lags;
        /** Runs before a command is put into the log. */
        Runnable beforeCommand = () -> {};

        boolean losesCommands;
        boolean losesAnswers;
        final VolumeLifecycle lifecycle = lifecycle(AccessControl.off());

        VolumeLifecycle lifecycle(AccessControl access) {
            return VolumeLifecycle.builder()
                    .log(this)
                    .gateway(new NoNodes())
                    .environment(time.environment(new Random(7)))
                    .callbackExecutor(time)
                    .access(access)
                    .build();
        }

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            beforeCommand.run();
            if (losesCommands) {
                return CompletableFuture.failedFuture(new CsiException("the log does not answer"));
            }
            log.add(command);
            Outcome outcome = catchUp();
            for (Server other : List.of(one, two)) {
                if (other != this && !other.lags) {
                    other.catchUp();
                }
            }
            return losesAnswers
                    ? CompletableFuture.failedFuture(new CsiException("the log does not answer"))
                    : CompletableFuture.completedFuture(outcome);
        }

        /** Applies all commands of the log, and returns the outcome of the last one. */
        Outcome catchUp() {
            Outcome last = new Outcome.Accepted(false, List.of());
            while (applied < log.size()) {
                last = store.apply(log.get(applied++));
            }
            return last;
        }

        @Override
        public ObservableState state() {
            return store;
        }

        TokenAuthenticator authenticator() {
            return TokenAuthenticator.of(lifecycle.log().state(), time);
        }

        NewAccessToken create(AccessTokenRequest request) {
            return done(lifecycle.accessTokens().create(request));
        }
    }

    <R> R done(CompletableFuture<R> future) {
        time.run();
        return future.join();
    }

    @Override
    public void close() {
        for (Server server : List.of(one, two)) {
            server.lifecycle.close();
            server.store.close();
        }
    }

    private static final class NoNodes implements NodeGateway {
        @Override
        public ControllerService controller(InstanceKey instance) {
            throw new AssertionError("no call is expected");
        }

        @Override
        public GroupControllerService groupController(InstanceKey instance) {
            throw new AssertionError("no call is expected");
        }

        @Override
        public CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request) {
            throw new AssertionError("no call is expected");
        }
    }
}
