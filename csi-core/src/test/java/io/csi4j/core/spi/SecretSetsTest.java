package io.csi4j.core.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretSetsTest {
    private static final PluginId PLUGIN = PluginId.of("ebs");
    private static final Secrets DECLARED = Secrets.of(Map.of("key", "canary-declared"));
    private static final Secrets OWN = Secrets.of(Map.of("key", "canary-own"));
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-01-02T03:04:05Z"), ZoneOffset.UTC);
    private static final SecretsProvider ABSENT = query -> CompletableFuture.completedFuture(Optional.empty());

    private final Volume volume = volume();

    private static Volume volume() {
        VolumeSpec spec = VolumeSpec.builder(PLUGIN)
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .secrets(DECLARED)
                .build();
        return Volume.builder(VolumeKey.of("default", "db"), spec, 1, CLOCK.instant())
                .build();
    }

    private SecretsQuery ofVolume(Rpc rpc) {
        return new SecretsQuery(PLUGIN, Optional.of(volume), rpc);
    }

    private static SecretsQuery ofPlugin(Rpc rpc) {
        return new SecretsQuery(PLUGIN, Optional.empty(), rpc);
    }

    @ParameterizedTest
    @EnumSource
    void secretsOfVolumeAreReturnedForEveryRpcByDefault(Rpc rpc) {
        SecretsProvider secrets = SecretSets.builder().build();
        assertThat(secrets.secrets(ofVolume(rpc))).isCompletedWithValue(Optional.of(DECLARED));
        assertThat(secrets.secrets(ofPlugin(rpc))).isCompletedWithValue(Optional.of(Secrets.empty()));
    }

    @Test
    void rpcWithSeparateSourceGetsSecretsFromThatSource() {
        SecretsProvider secrets = SecretSets.builder()
                .rpc(Rpc.NODE_STAGE_VOLUME, SecretsProvider.of(OWN))
                .rpc(Rpc.LIST_SNAPSHOTS, SecretsProvider.of(OWN))
                .build();
        assertThat(secrets.secrets(ofVolume(Rpc.NODE_STAGE_VOLUME))).isCompletedWithValue(Optional.of(OWN));
        assertThat(secrets.secrets(ofVolume(Rpc.NODE_PUBLISH_VOLUME))).isCompletedWithValue(Optional.of(DECLARED));
        assertThat(secrets.secrets(ofPlugin(Rpc.LIST_SNAPSHOTS))).isCompletedWithValue(Optional.of(OWN));
    }

    @Test
    void secretsSourceIsQueriedForEachCallWithVolumeAndRpc() {
        AtomicReference<Secrets> vault = new AtomicReference<>(OWN);
        List<SecretsQuery> queries = new ArrayList<>();
        SecretsProvider secrets = SecretSets.builder()
                .all(query -> {
                    queries.add(query);
                    return CompletableFuture.completedFuture(Optional.of(vault.get()));
                })
                .build();
        assertThat(secrets.secrets(ofVolume(Rpc.DELETE_VOLUME))).isCompletedWithValue(Optional.of(OWN));
        vault.set(DECLARED);
        assertThat(secrets.secrets(ofPlugin(Rpc.LIST_SNAPSHOTS))).isCompletedWithValue(Optional.of(DECLARED));
        assertThat(queries)
                .containsExactly(
                        new SecretsQuery(PLUGIN, Optional.of(volume), Rpc.DELETE_VOLUME),
                        new SecretsQuery(PLUGIN, Optional.empty(), Rpc.LIST_SNAPSHOTS));
        assertThat(queries.get(0)).hasToString("SecretsQuery[volume default/db, DeleteVolume]");
    }

    @Test
    void missingSecretsStayMissingByDefault() {
        SecretsProvider secrets =
                SecretSets.builder().rpc(Rpc.DELETE_VOLUME, ABSENT).build();
        assertThat(secrets.secrets(ofVolume(Rpc.DELETE_VOLUME))).isCompletedWithValue(Optional.empty());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void missingSecretsAreReportedIfCallsWithoutSecretsArePermitted(boolean error) {
        List<SecretsAbsentEvent> events = new ArrayList<>();
        EventListener listener = new EventListener() {
            @Override
            public void secretsAbsent(SecretsAbsentEvent event) {
                events.add(event);
                if (error) {
                    throw new AssertionError("a listener's fault changes nothing");
                }
                throw new IllegalStateException("a listener's fault changes nothing");
            }
        };
        SecretsProvider secrets =
                SecretSets.builder().all(ABSENT).permitAbsent(listener, CLOCK).build();

        assertThat(secrets.secrets(ofVolume(Rpc.DELETE_VOLUME))).isCompletedWithValue(Optional.of(Secrets.empty()));
        assertThat(secrets.secrets(ofPlugin(Rpc.LIST_SNAPSHOTS))).isCompletedWithValue(Optional.of(Secrets.empty()));
        assertThat(events)
                .containsExactly(
                        new SecretsAbsentEvent(Rpc.DELETE_VOLUME, PLUGIN, Optional.of(volume.key()), CLOCK.instant()),
                        new SecretsAbsentEvent(Rpc.LIST_SNAPSHOTS, PLUGIN, Optional.empty(), CLOCK.instant()));
    }

    @Test
    void logNamesFirstCallWithoutSecretsOfPluginAndRpc() {
        List<String> lines = new ArrayList<>();
        Logger logger = Logger.getLogger(SecretSets.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(new SimpleFormatter().formatMessage(line));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            SecretsProvider secrets = SecretSets.builder()
                    .all(ABSENT)
                    .permitAbsent(EventListener.none(), CLOCK)
                    .build();
            assertThat(secrets.secrets(ofVolume(Rpc.DELETE_VOLUME))).isCompleted();
            assertThat(secrets.secrets(ofVolume(Rpc.DELETE_VOLUME))).isCompleted();
            assertThat(secrets.secrets(ofPlugin(Rpc.LIST_SNAPSHOTS))).isCompleted();
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).startsWith("DeleteVolume for volume default/db is sent without secrets");
        assertThat(lines.get(1)).startsWith("ListSnapshots for plugin ebs is sent without secrets");
    }

    @Test
    void failureOfSecretsProviderFailsCall() {
        IllegalStateException sealed = new IllegalStateException("sealed");
        SecretsProvider secrets = SecretSets.builder()
                .all(query -> CompletableFuture.failedFuture(sealed))
                .permitAbsent(EventListener.none(), CLOCK)
                .build();
        assertThatThrownBy(() -> secrets.secrets(ofVolume(Rpc.DELETE_VOLUME)).join())
                .hasCause(sealed);
    }

    @ParameterizedTest
    @EnumSource
    void secretsSourceForRpcWithoutSecretsFieldIsRejected(Rpc rpc) {
        SecretSets.Builder builder = SecretSets.builder();
        if (rpc.takesSecrets()) {
            assertThat(builder.rpc(rpc, ABSENT).build()).asString().contains(rpc.name());
        } else {
            assertThatThrownBy(() -> builder.rpc(rpc, ABSENT))
                    .hasMessageContaining(rpc.csiName() + " has no field for secrets (R36)");
        }
    }

    @Test
    void toStringOfSecretSetsAndQueriesHidesSecrets() {
        SecretSets secrets = SecretSets.builder()
                .all(SecretsProvider.of(DECLARED))
                .rpc(Rpc.NODE_STAGE_VOLUME, SecretsProvider.of(OWN))
                .build();
        assertThat(secrets + " " + new SecretsQuery(PLUGIN, Optional.of(volume), Rpc.DELETE_VOLUME))
                .contains("own sets for [NODE_STAGE_VOLUME], when absent refused")
                .doesNotContain("canary");
    }
}
