package io.csi4j.replication.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand.RegisterVolume;
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
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The keys of a log on one machine are in a file beside it. */
@Timeout(60)
final class KeyFileTest {
    private static final VolumeKey VOLUME = VolumeKey.of("default", "db");

    @TempDir
    Path directory;

    private static VolumeSpec spec() {
        return VolumeSpec.builder(PluginId.of("hostpath"))
                .externalVolumeId(ExternalVolumeId.of("vol-1"))
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .secrets(Secrets.of(Map.of("password", "open-sesame")))
                .build();
    }

    private static void register(RatisCommandLog log) {
        var command =
                new RegisterVolume(VOLUME, spec(), VolumeOrigin.REGISTERED, ProviderFacts.none(), TestCluster.NOW);
        assertThat(log.submit(command).join().accepted()).isTrue();
    }

    @Test
    void keyFileIsCreatedPrivateAndIsRefusedIfOtherUsersCanReadKeyFile() throws Exception {
        RatisCommandLog.builder(directory).start().close();
        Path keys = directory.resolve("secrets.key");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keys)))
                .isEqualTo("rw-------");
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> RatisCommandLog.builder(directory).start())
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
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            register(log);
        }
        Path keys = directory.resolve("secrets.key");
        Files.delete(keys);
        assertThatThrownBy(() -> RatisCommandLog.builder(directory).start())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(keys.toString())
                .hasMessageContaining("backup");
        assertThat(keys).doesNotExist();
    }

    @Test
    void secretsAreReadWithKeyFromKeyFileAfterServerBecomesClusterPeer() throws Exception {
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            register(log);
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
        try (RatisCommandLog log = RatisCommandLog.builder(directory)
                .state(options)
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                .start()) {
            StateScope volumes = StateScope.of(StateScope.Table.VOLUMES);
            var unused = log.state().subscribe(volumes, log.state().snapshot().index(), index -> {});
            register(log);
            assertThat(notified.await(1, TimeUnit.MINUTES)).isTrue();
        }
        assertThat(directory.resolve("secrets.key")).doesNotExist();
    }

    @Test
    void addingLineAtTopOfKeyFileReplacesKey() throws Exception {
        Path keys = directory.resolve("secrets.key");
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            register(log);
        }
        Files.writeString(keys, "2 MDEyMzQ1Njc4OWFiY2RlZg==\n" + Files.readString(keys));
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            assertThat(log.readLinearizable().join().volume(VOLUME)).isPresent();
            log.takeSnapshot().join();
        }
    }

    @Test
    void startWithKeyThatCannotDecryptStoredSecretsIsRefused() throws Exception {
        Path keys = directory.resolve("secrets.key");
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            register(log);
        }
        Files.writeString(keys, "1 MDEyMzQ1Njc4OWFiY2RlZg==\n");
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            assertThat(log.failed().join()).hasMessageContaining("Secrets do not open with key 1");
        }
    }

    @Test
    void damagedKeyFileIsRefusedWithoutShowingKey() throws Exception {
        Path keys = directory.resolve("secrets.key");
        RatisCommandLog.builder(directory).start().close();
        Files.writeString(keys, "1 not-base64!\n");
        assertThatThrownBy(() -> RatisCommandLog.builder(directory).start())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("line 1")
                .hasMessageNotContaining("not-base64");
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
}
