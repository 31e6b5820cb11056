package io.csi4j.server;

import static io.csi4j.agent.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.agent.spi.NodeDirectory;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand.RegisterVolume;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.replication.ratis.RatisCommandLogBuilder;
import io.csi4j.replication.ratis.RatisLogOptions;
import io.csi4j.state.AesGcmSecretsCipher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Takes about 20 seconds: each case starts one or more durable servers on a real disk. */
@Timeout(120)
final class CsiServerTest {
    private static final NodeId LOCAL = NodeId.of("local");
    private static final Instant NOW = Instant.parse("2026-11-25T00:00:00Z");
    private static final AllocationId WEB = AllocationId.of("web-1");
    private static final VolumeKey VOLUME = VolumeKey.of("default", "db");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    @TempDir
    Path directory;

    private static VolumeSpec spec() {
        return VolumeSpec.builder(PluginId.of("hostpath"))
                .externalVolumeId(ExternalVolumeId.of("vol-1"))
                .requestedCapabilities(List.of(WRITER))
                .secrets(Secrets.of(Map.of("password", "open-sesame")))
                .build();
    }

    private CsiServerBuilder local() {
        return CsiServer.builder(RatisCommandLog.builder(directory)).node(LOCAL, directory.resolve("node"));
    }

    private CsiServerBuilder forAgents() {
        return CsiServer.builder(RatisCommandLog.builder(directory))
                .agents(NodeDirectory.of(Map.of()), gateway -> gateway);
    }

    /** Waits until one of the servers leads, and returns it. */
    private static CsiServer leader(List<CsiServer> servers) {
        CompletableFuture<CsiServer> leader = new CompletableFuture<>();
        for (CsiServer server : servers) {
            Runnable unused = server.log().onLeadership(new LeadershipListener() {
                @Override
                public void startLeading() {
                    leader.complete(server);
                }

                @Override
                public void stopLeading() {
                    // Waits for a leader.
                }
            });
        }
        return leader.join();
    }

    /** Past the engine, which registers volumes of known plugins only. */
    private static void register(ReplicatedLog log) {
        var command = new RegisterVolume(VOLUME, spec(), VolumeOrigin.REGISTERED, ProviderFacts.none(), NOW);
        assertThat(log.submit(command).join().accepted()).isTrue();
    }

    @Test
    void restartedServerKeepsVolumesAllocationsAndSecrets() throws Exception {
        try (CsiServer server = local().build()) {
            assertThat(server.node().nodeId()).isEqualTo(LOCAL);
            assertThat(server.agentServer()).isEmpty();
            register(server.log());
            server.lifecycle().cluster().nodeReady(LOCAL).join();
            server.lifecycle()
                    .cluster()
                    .allocationStarted(WEB, Namespace.of("default"), LOCAL)
                    .join();
            server.log().takeSnapshot().join();
        }
        try (CsiServer server = local().build()) {
            server.log().readLinearizable().join();
            assertThat(server.state().snapshot().allocation(WEB)).isPresent();
            assertThat(server.state()
                            .snapshot()
                            .volume(VOLUME)
                            .orElseThrow()
                            .spec()
                            .secrets())
                    .isEqualTo(spec().secrets());
            assertThat(server.log().status().leading()).isTrue();
        }
        assertThat(filesWith("open-sesame")).isEmpty();
    }

    private List<Path> filesWith(String text) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> read(file).contains(text))
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void commandsOfEngineAndNodePassDecorator() throws Exception {
        List<Command> submitted = Collections.synchronizedList(new ArrayList<>());
        try (CsiServer server =
                local().commands(log -> new RecordingLog(log, submitted)).build()) {
            server.lifecycle().cluster().nodeReady(LOCAL).join();
            server.lifecycle()
                    .cluster()
                    .allocationStarted(WEB, Namespace.of("default"), LOCAL)
                    .join();
        }
        assertThat(submitted).hasAtLeastOneElementOfType(AllocationCommand.UpsertAllocation.class);
    }

    @Test
    void commandsOfServerForAgentsPassDecorator() throws Exception {
        List<Command> submitted = Collections.synchronizedList(new ArrayList<>());
        try (CsiServer server =
                forAgents().commands(log -> new RecordingLog(log, submitted)).build()) {
            assertThat(leader(List.of(server))).isSameAs(server);
            server.lifecycle().cluster().nodeReady(LOCAL).join();
        }
        assertThat(submitted).hasAtLeastOneElementOfType(Batch.class);
    }

    @Test
    void serverForAgentsRefusesFieldThatReportedCapabilitiesLack() throws Exception {
        InstanceKey controller = new InstanceKey(LOCAL, PluginId.of("ebs"), PluginType.CONTROLLER, Optional.empty());
        Instant now = Instant.now();
        try (CsiServer server = forAgents().build()) {
            assertThat(leader(List.of(server))).isSameAs(server);
            server.lifecycle().cluster().nodeReady(LOCAL).join();
            server.log()
                    .submit(new PluginCommand.FingerprintNode(
                            LOCAL,
                            List.of(PluginInstance.builder(controller, now)
                                    .capabilities(Capabilities.unknown()
                                            .withController(ControllerCapability.CREATE_DELETE_VOLUME))
                                    .build()),
                            now))
                    .join();
            CreateVolumeRequest clone = CreateVolumeRequest.builder(
                            "copy", List.of(VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                    .volumeContentSource(VolumeContentSource.volume(ExternalVolumeId.of("vol-1")))
                    .build();

            assertThatThrownBy(() -> server.gateway()
                            .controller(controller)
                            .createVolume(clone)
                            .join())
                    .hasCauseInstanceOf(CsiRequestException.class)
                    .hasMessageContaining("CLONE_VOLUME");
        }
    }

    private record RecordingLog(CommandLog log, List<Command> submitted) implements CommandLog {
        @Override
        public ObservableState state() {
            return log.state();
        }

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            submitted.add(command);
            return log.submit(command);
        }
    }

    @Test
    void closedServerFreesDirectoryAndCanBeClosedAgain() throws Exception {
        CsiServer server = local().build();
        assertThatThrownBy(() -> local().build())
                .isInstanceOf(LogFailedException.class)
                .hasMessageContaining("is used by another server");
        server.close();
        server.close();
        local().build().close();
    }

    @Test
    void agentServerSettingsAreRefusedIfAgentsAreNotEnabled() {
        assertThatThrownBy(() -> local().agentServer(settings -> settings).build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("agentServer is set without agents");
    }

    @Test
    void onlyLeaderGrantsClaimsAndNextLeaderTakesOver() throws Exception {
        SecretsCipher cipher = AesGcmSecretsCipher.builder()
                .currentKey("1", new SecretKeySpec(new byte[16], "AES"))
                .build();
        List<Peer> peers = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            peers.add(newPeer("peer-" + i));
        }
        List<CsiServer> servers = new ArrayList<>();
        try {
            for (Peer peer : peers) {
                RatisCommandLogBuilder log = RatisCommandLog.builder(
                                directory.resolve(peer.id().value()))
                        .peer(peer)
                        .everyLocalUserIsTrusted()
                        .newCluster(peers)
                        .options(RatisLogOptions.builder()
                                .electionTimeout(Duration.ofMillis(400))
                                .build())
                        .secretsCipher(cipher);
                servers.add(CsiServer.builder(log)
                        .agents(NodeDirectory.of(Map.of()), gateway -> gateway)
                        .build());
            }
            CsiServer leader = leader(servers);
            register(leader.log());
            // A busy machine may take the lease away for a short time.
            await("one engine takes claims, and the others do not", () -> takesClaims(servers) == 1);
            leader.close();
            servers.remove(leader);
            CsiServer next = leader(servers);
            next.log().readLinearizable().join();
            assertThat(next.state().snapshot().volume(VOLUME)).isPresent();
            await("the next engine takes claims", () -> takesClaims(servers) == 1);
        } finally {
            servers.parallelStream().forEach(CsiServer::close);
        }
    }

    private static long takesClaims(List<CsiServer> servers) {
        return servers.stream()
                .filter(server -> !(claimFailure(server) instanceof NotLeadingException))
                .count();
    }

    /** Claims for an allocation that does not exist, so that the claim fails in any case. */
    private static Throwable claimFailure(CsiServer server) {
        try {
            server.lifecycle()
                    .claims()
                    .claim(WEB, List.of(ClaimRequest.writing(VOLUME, WRITER)))
                    .join();
        } catch (CompletionException e) {
            return Futures.unwrap(e);
        }
        throw new AssertionError("the claim was granted");
    }

    @Test
    void serverWithoutNodeAndAgentsAndServerWithBothAreRefused() {
        assertThatThrownBy(() ->
                        CsiServer.builder(RatisCommandLog.builder(directory)).build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("neither agents nor node is set");
        assertThatThrownBy(
                        () -> forAgents().node(LOCAL, directory.resolve("node")).build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("both agents and node are set");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void logIsReturnedAsClassOfItsBuilderAndNoOther() throws Exception {
        try (CsiServer server = forAgents().build()) {
            assertThat(server.log(RatisCommandLog.class)).isSameAs(server.log());
            assertThatThrownBy(() -> server.log(OtherLog.class))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is a io.csi4j.replication.ratis.RatisCommandLog");
        }
    }

    private interface OtherLog extends ReplicatedLog {}

    private static Peer newPeer(String id) throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return Peer.of(id, "127.0.0.1", free.getLocalPort());
        }
    }
}
