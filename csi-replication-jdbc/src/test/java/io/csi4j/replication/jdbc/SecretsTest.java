package io.csi4j.replication.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import io.csi4j.state.AesGcmSecretsCipher;
import io.csi4j.state.ClearTextSecretsCipher;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The tables of the log show no secrets. */
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class SecretsTest {
    private static final String SECRET = "canary-of-a-secret";
    private static final VolumeKey KEY = VolumeKey.of("secret", "volume");

    private TestServers servers;

    @BeforeEach
    void open(TestSchema schema) {
        servers = TestServers.in(schema);
    }

    private static SecretsCipher cipher(int number) {
        byte[] key = new byte[32];
        Arrays.fill(key, (byte) number);
        return AesGcmSecretsCipher.builder()
                .currentKey("k" + number, new SecretKeySpec(key, "AES"))
                .build();
    }

    private static VolumeCommand register() {
        return new VolumeCommand.RegisterVolume(
                KEY,
                VolumeSpec.builder(PluginId.of("secret.example.com"))
                        .externalVolumeId(ExternalVolumeId.of("external"))
                        .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                        .secrets(Secrets.of(Map.of("password", SECRET)))
                        .build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.none(),
                TestServers.NOW);
    }

    /** Registers a volume with a secret, and writes a snapshot. */
    private void write(SecretsCipher cipher) throws Exception {
        TestServers.Server server = servers.start("alone", log -> log.secretsCipher(cipher));
        assertThat(server.log.submit(register()).get(20, TimeUnit.SECONDS).accepted())
                .isTrue();
        assertThat(server.log.takeSnapshot()).succeedsWithin(20, TimeUnit.SECONDS);
        servers.close(server);
    }

    /** Returns the columns in whose values the secret is. */
    private List<String> leaks() {
        String hex = HexFormat.of().formatHex(SECRET.getBytes(StandardCharsets.UTF_8));
        List<String> leaks = new ArrayList<>();
        List<String> columns = servers.values("SELECT table_name || ' ' || column_name FROM information_schema.columns"
                + " WHERE table_schema = current_schema AND data_type = 'bytea'");
        assertThat(columns).contains("csi4j_log content", "csi4j_snapshot_chunk content");
        for (String each : columns) {
            String[] column = each.split(" ", -1);
            if (!servers.values("SELECT 1 FROM " + column[0] + " WHERE position('" + hex + "' IN encode(" + column[1]
                            + ", 'hex')) > 0")
                    .isEmpty()) {
                leaks.add(each);
            }
        }
        return leaks;
    }

    @Test
    void secretsAreEncryptedInAllTables() throws Exception {
        write(cipher(1));
        assertThat(leaks()).isEmpty();
        TestServers.Server again = servers.start("again", log -> log.secretsCipher(cipher(1)));
        assertThat(again.log
                        .state()
                        .snapshot()
                        .volume(KEY)
                        .orElseThrow()
                        .spec()
                        .secrets()
                        .asMap())
                .containsEntry("password", SECRET);
        servers.close();
    }

    /** The search of the other test finds secrets. */
    @Test
    void clearTextCipherShowsSecretsInEntriesAndSnapshots() throws Exception {
        write(ClearTextSecretsCipher.secretsStayReadable());
        assertThat(leaks()).containsExactlyInAnyOrder("csi4j_log content", "csi4j_snapshot_chunk content");
    }

    @Test
    void serverWithOtherKeysIsRefused() throws Exception {
        write(cipher(1));
        assertThatThrownBy(() -> servers.start("wrong", log -> log.secretsCipher(cipher(2))))
                .isInstanceOf(LogFailedException.class)
                .hasMessageContainingAll(
                        "The entry with index 1 of the log in csi4j_* of the database cannot be applied",
                        "k1",
                        "with the keys of all servers")
                .hasMessageNotContaining(SECRET);
        servers.execute("UPDATE csi4j_head SET first_index = 2", "DELETE FROM csi4j_log");
        assertThatThrownBy(() -> servers.start("wrong", log -> log.secretsCipher(cipher(2))))
                .isInstanceOf(LogFailedException.class)
                .hasMessageContainingAll("The snapshot at index 1", "k1", "with the keys of all servers")
                .hasMessageNotContaining(SECRET);
    }
}
