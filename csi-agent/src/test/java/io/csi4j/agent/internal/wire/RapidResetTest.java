package io.csi4j.agent.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.spi.PeerRules;
import io.csi4j.client.Endpoint;
import io.csi4j.core.spi.Environment;
import io.csi4j.proto.agent.v1.AgentGrpc;
import io.csi4j.proto.agent.v1.AgentProto.AgentAnswer;
import io.csi4j.proto.agent.v1.AgentProto.AgentCall;
import io.grpc.stub.StreamObserver;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RapidResetTest {
    private static final int CONNECTIONS = 5;
    private static final int ENOUGH = 20_000;

    @TempDir
    Path directory;

    /** Answers each call at once. */
    private static final class Echo extends AgentGrpc.AgentImplBase {
        @Override
        public void call(AgentCall request, StreamObserver<AgentAnswer> answer) {
            answer.onNext(AgentAnswer.getDefaultInstance());
            answer.onCompleted();
        }
    }

    @Test
    void clientThatResetsStreamsInALoopIsDisconnectedAndOthersAreServed() throws Exception {
        Path socket = directory.resolve("private").resolve("server.sock");
        Files.createDirectory(
                socket.getParent(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Environment environment = Environment.system();
        WireContext wire = new WireContext(environment, true, WireContext.DEFAULT_MAX_INBOUND_MESSAGE_SIZE);
        try (WireServer server = WireServer.start(
                        wire,
                        Endpoint.unix(socket),
                        PeerInterceptor.bound(WireCaller.aServer("a client")),
                        PeerListener.servers(),
                        new Echo(),
                        environment.executor());
                WireChannels others = new WireChannels(wire, PeerRules.byUri())) {
            CompletableFuture<Integer> attack = CompletableFuture.supplyAsync(() -> attack(socket), task -> {
                Thread own = new Thread(task, "attacker");
                own.setDaemon(true);
                own.start();
            });
            int served = 0;
            do {
                var answer = others.call(
                        new WireChannels.Whom(Endpoint.unix(socket), Optional.empty()),
                        AgentGrpc.getCallMethod(),
                        AgentCall.getDefaultInstance(),
                        Duration.ofSeconds(10));
                assertThat(answer).succeedsWithin(10, TimeUnit.SECONDS);
                served++;
            } while (!attack.isDone());
            assertThat(attack.join()).isEqualTo(CONNECTIONS);
            assertThat(served).isPositive();
            assertThat(server).isNotNull();
        } finally {
            wire.close();
        }
    }

    /** Resets streams over several connections; returns the number of connections that the server closed. */
    private static int attack(Path socket) {
        int closed = 0;
        for (int i = 0; i < CONNECTIONS; i++) {
            closed += StreamResets.untilClosed(UnixDomainSocketAddress.of(socket), "/csi4j.agent.v1.Agent/Call", ENOUGH)
                    ? 1
                    : 0;
        }
        return closed;
    }
}
