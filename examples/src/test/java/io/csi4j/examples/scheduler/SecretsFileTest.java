package io.csi4j.examples.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.SecretsQuery;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretsFileTest {
    private static final Secrets DECLARED = Secrets.of(Map.of("user", "declared"));

    @TempDir
    private Path directory;

    private Path file() {
        return directory.resolve("secrets.txt");
    }

    private void write(String text, String mode) throws IOException {
        Files.deleteIfExists(file());
        Files.createFile(file(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file(), text);
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString(mode));
    }

    private Optional<Secrets> secrets(Optional<String> volume) {
        Optional<Volume> row = volume.map(id -> Volume.builder(
                        VolumeKey.of("default", id),
                        VolumeSpec.builder(ClusterLayout.PLUGIN)
                                .requestedCapabilities(
                                        List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                                .secrets(DECLARED)
                                .build(),
                        1,
                        Instant.EPOCH)
                .build());
        return SecretsFile.in(directory)
                .secrets(new SecretsQuery(ClusterLayout.PLUGIN, row, Rpc.CONTROLLER_PUBLISH_VOLUME))
                .join();
    }

    @Test
    void callsHaveTheSecretsOfTheirVolumeUntilThereIsAFile() throws IOException {
        assertThat(secrets(Optional.of("db"))).hasValue(DECLARED);
        assertThat(secrets(Optional.empty())).hasValue(Secrets.empty());
        write("default/db user=app  password=a=b\n\n- token=t\n", "rw-------");
        assertThat(secrets(Optional.of("db"))).hasValue(Secrets.of(Map.of("user", "app", "password", "a=b")));
        assertThat(secrets(Optional.empty())).hasValue(Secrets.of(Map.of("token", "t")));
        assertThat(secrets(Optional.of("other"))).as("a volume without a line").isEmpty();
        write("default/other\n", "r--------");
        assertThat(secrets(Optional.of("other"))).as("a line without pairs").hasValue(Secrets.empty());
        assertThat(secrets(Optional.of("db"))).as("a change counts at once").isEmpty();
    }

    @Test
    void fileThatOthersMayReadAndWrongWordsAreRefusedWithoutTheSecret() throws IOException {
        write("default/db password=x\n", "rw-r-----");
        assertThatThrownBy(() -> secrets(Optional.of("db")))
                .hasMessageContaining("secrets.txt may be read by other users; run chmod 600 on it");
        write("default/web user=u\ndefault/db user=u hunter2\n", "rw-------");
        assertThatThrownBy(() -> secrets(Optional.of("db")))
                .hasMessageContaining("word 3 of line 2 is not KEY=VALUE")
                .hasMessageNotContaining("hunter2");
        assertThat(secrets(Optional.of("web"))).isPresent();
    }
}
