package io.csi4j.replication.ratis;

import static io.csi4j.replication.ratis.Conditions.await;
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
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.AesGcmSecretsCipher;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.StateStoreOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Takes about 20 seconds: each case starts one or more durable servers on a real disk. */
@Timeout(60)
final class CsiServerTest {
    private static final NodeId LOCAL = NodeId.of("local");
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

    /** Past the engine, which registers volumes of known plugins only. */
    private static void register(CsiServer server) {
        register(server.log());
    }

    private static void register(RatisCommandLog log) {
        var command =
                new RegisterVolume(VOLUME, spec(), VolumeOrigin.REGISTERED, ProviderFacts.none(), TestCluster.NOW);
        assertThat(log.submit(command).join().accepted()).isTrue();
    }

    @Test
    void restartedServerKeepsVolumesAllocationsAndSecrets() throws Exception {
        try (CsiServer server = CsiServer.builder(directory).build()) {
            assertThat(server.node().nodeId()).isEqualTo(LOCAL);
            assertThat(server.agentServer()).isEmpty();
            register(server);
            server.lifecycle().cluster().nodeReady(LOCAL).join();
            server.lifecycle()
                    .cluster()
                    .allocationStarted(WEB, Namespace.of("default"), LOCAL)
                    .join();
            server.log().takeSnapshot().join();
        }
        try (CsiServer server = CsiServer.builder(directory).build()) {
            server.log().readLinearizable().join();
            assertThat(server.store().snapshot().allocation(WEB)).isPresent();
            assertThat(server.store()
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
        try (CsiServer server = CsiServer.builder(directory)
                .commands(log -> new RecordingLog(log, submitted))
                .build()) {
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
        try (CsiServer server = CsiServer.builder(directory)
                .commands(log -> new RecordingLog(log, submitted))
                .agents(NodeDirectory.of(Map.of()), gateway -> gateway)
                .build()) {
            await("the server to lead", () -> server.log().status().leading());
            server.lifecycle().cluster().nodeReady(LOCAL).join();
        }
        assertThat(submitted).hasAtLeastOneElementOfType(Batch.class);
    }

    @Test
    void serverForAgentsRefusesFieldThatReportedCapabilitiesLack() throws Exception {
        InstanceKey controller = new InstanceKey(LOCAL, PluginId.of("ebs"), PluginType.CONTROLLER, Optional.empty());
        Instant now = Instant.now();
        try (CsiServer server = CsiServer.builder(directory)
                .agents(NodeDirectory.of(Map.of()), gateway -> gateway)
                .build()) {
            await("the server to lead", () -> server.log().status().leading());
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
        CsiServer server = CsiServer.builder(directory).build();
        assertThatThrownBy(() -> CsiServer.builder(directory).build())
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("is used by another server");
        server.close();
        server.close();
        CsiServer.builder(directory).build().close();
    }

    @Test
    void keyFileIsCreatedPrivateAndIsRefusedIfOtherUsersCanReadKeyFile() throws Exception {
        CsiServer.builder(directory).build().close();
        Path keys = directory.resolve("secrets.key");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keys)))
                .isEqualTo("rw-------");
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> CsiServer.builder(directory).build())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("chmod 600");
    }

    @Test
    void commandLogStartedWithoutServerEncryptsSecrets() throws Exception {
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            register(log);
        }
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            assertThat(log.readLinearizable()
                            .join()
                            .volume(VOLUME)
                            .orElseThrow()
                            .spec()
                            .secrets())
                    .isEqualTo(spec().secrets());
        }
        assertThat(filesWith("open-sesame")).isEmpty();
    }

    @Test
    void startOfClusterPeerWithoutCipherIsRefused() throws Exception {
        RatisCommandLogBuilder builder = RatisCommandLog.builder(directory)
                .peer(TestCluster.newPeer("a"))
                .everyLocalUserIsTrusted();
        assertThatThrownBy(builder::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no cipher")
                .hasMessageContaining("secretsCipher");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void missingKeyFileOfExistingLogIsRefusedAndNotReplaced() throws Exception {
        try (CsiServer server = CsiServer.builder(directory).build()) {
            register(server);
        }
        Path keys = directory.resolve("secrets.key");
        Files.delete(keys);
        assertThatThrownBy(() -> CsiServer.builder(directory).build())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(keys.toString())
                .hasMessageContaining("backup");
        assertThat(keys).doesNotExist();
    }

    @Test
    void secretsAreReadWithKeyFromKeyFileAfterServerBecomesClusterPeer() throws Exception {
        try (CsiServer server = CsiServer.builder(directory).build()) {
            register(server);
        }
        String[] line =
                Files.readString(directory.resolve("secrets.key")).strip().split(" ", -1);
        StateStoreOptions state = StateStoreOptions.builder()
                .secretsCipher(AesGcmSecretsCipher.builder()
                        .currentKey(
                                line[0], new SecretKeySpec(Base64.getDecoder().decode(line[1]), "AES"))
                        .build())
                .build();
        Peer local = TestCluster.newPeer("local");
        try (RatisCommandLog log = RatisCommandLog.builder(directory)
                .peer(local)
                .everyLocalUserIsTrusted()
                .state(state)
                .start()) {
            assertThat(log.readLinearizable()
                            .join()
                            .volume(VOLUME)
                            .orElseThrow()
                            .spec()
                            .secrets())
                    .isEqualTo(spec().secrets());
        }
    }

    @Test
    void settingCipherKeepsOtherStateStoreOptionsAndCreatesNoKeyFile() throws Exception {
        CountDownLatch notified = new CountDownLatch(1);
        StateStoreOptions options = StateStoreOptions.builder()
                .watchExecutor(task -> {
                    notified.countDown();
                    task.run();
                })
                .build();
        try (CsiServer server = CsiServer.builder(directory)
                .log(log -> log.state(options))
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                .build()) {
            StateScope volumes = StateScope.of(StateScope.Table.VOLUMES);
            var unused =
                    server.store().subscribe(volumes, server.store().snapshot().index(), index -> {});
            register(server);
            assertThat(notified.await(1, TimeUnit.MINUTES)).isTrue();
        }
        assertThat(directory.resolve("secrets.key")).doesNotExist();
    }

    @Test
    void addingLineAtTopOfKeyFileReplacesKey() throws Exception {
        Path keys = directory.resolve("secrets.key");
        try (CsiServer server = CsiServer.builder(directory).build()) {
            register(server);
        }
        Files.writeString(keys, "2 MDEyMzQ1Njc4OWFiY2RlZg==\n" + Files.readString(keys));
        try (CsiServer server = CsiServer.builder(directory).build()) {
            server.log().readLinearizable().join();
            assertThat(server.store().snapshot().volume(VOLUME)).isPresent();
            server.log().takeSnapshot().join();
        }
    }

    @Test
    void startWithKeyThatCannotDecryptStoredSecretsIsRefused() throws Exception {
        Path keys = directory.resolve("secrets.key");
        try (CsiServer server = CsiServer.builder(directory).build()) {
            register(server);
        }
        Files.writeString(keys, "1 MDEyMzQ1Njc4OWFiY2RlZg==\n");
        assertThatThrownBy(() -> CsiServer.builder(directory).build())
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("Secrets do not open with key 1");
    }

    @Test
    void damagedKeyFileIsRefusedWithoutShowingKey() throws Exception {
        Path keys = directory.resolve("secrets.key");
        CsiServer.builder(directory).build().close();
        Files.writeString(keys, "1 not-base64!\n");
        assertThatThrownBy(() -> CsiServer.builder(directory).build())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("line 1")
                .hasMessageNotContaining("not-base64");
    }

    @Test
    void agentServerSettingsAreRefusedIfAgentsAreNotEnabled() {
        assertThatThrownBy(() -> CsiServer.builder(directory)
                        .agentServer(settings -> settings)
                        .build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("agentServer is set without agents");
    }

    @Test
    void clusterOfServersWithoutSharedKeyIsRefused() throws Exception {
        Peer peer = TestCluster.newPeer("peer-1");
        assertThatThrownBy(() -> CsiServer.builder(directory)
                        .log(log -> log.peer(peer).everyLocalUserIsTrusted().newCluster(List.of(peer)))
                        .agents(NodeDirectory.of(Map.of()), gateway -> gateway)
                        .build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("secretsCipher");
    }

    @Test
    void onlyLeaderGrantsClaimsAndNextLeaderTakesOver() throws Exception {
        SecretsCipher cipher = AesGcmSecretsCipher.builder()
                .currentKey("1", new SecretKeySpec(new byte[16], "AES"))
                .build();
        List<Peer> peers = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            peers.add(TestCluster.newPeer("peer-" + i));
        }
        List<CsiServer> servers = new ArrayList<>();
        try {
            for (Peer peer : peers) {
                servers.add(CsiServer.builder(directory.resolve(peer.id().value()))
                        .log(log -> log.peer(peer)
                                .everyLocalUserIsTrusted()
                                .newCluster(peers)
                                .options(TestCluster.FAST))
                        .agents(NodeDirectory.of(Map.of()), gateway -> gateway)
                        .secretsCipher(cipher)
                        .build());
            }
            CsiServer leader = leader(servers);
            register(leader);
            // A busy machine may take the lease away for a short time.
            await("one engine takes claims, and the others do not", () -> takesClaims(servers) == 1);
            leader.close();
            servers.remove(leader);
            CsiServer next = leader(servers);
            next.log().readLinearizable().join();
            assertThat(next.store().snapshot().volume(VOLUME)).isPresent();
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

    private static CsiServer leader(List<CsiServer> servers) {
        await(
                "a leader",
                () -> servers.stream().anyMatch(server -> server.log().status().leading()));
        return servers.stream()
                .filter(server -> server.log().status().leading())
                .findFirst()
                .orElseGet(() -> leader(servers));
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
}
