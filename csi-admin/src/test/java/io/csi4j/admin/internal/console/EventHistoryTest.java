package io.csi4j.admin.internal.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.MissedStepEvent;
import io.csi4j.core.spi.SecretsAbsentEvent;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EventHistoryTest {
    private static final PluginId PLUGIN = PluginId.of("disk");
    private static final VolumeKey DB = VolumeKey.of("default", "db");
    private static final Instant NOW = Instant.parse("2026-11-30T03:00:00Z");

    private final EventHistory history = new EventHistory(10);

    @Test
    void callWithoutSecretsIsFailureInTheHistoryOfItsVolume() {
        history.secretsAbsent(new SecretsAbsentEvent(Rpc.DELETE_VOLUME, PLUGIN, Optional.of(DB), NOW));
        history.secretsAbsent(new SecretsAbsentEvent(Rpc.LIST_SNAPSHOTS, PLUGIN, Optional.empty(), NOW));
        assertThat(history.of(DB)).singleElement().satisfies(event -> {
            assertThat(event.text()).isEqualTo("DeleteVolume is sent without secrets, because their source has none");
            assertThat(event.failed()).isTrue();
            assertThat(event.at()).isEqualTo(NOW);
        });
        assertThat(history.added()).isEqualTo(1);
    }

    @Test
    void missedStepIsFailureInTheHistoryOfItsVolume() {
        history.missedStepFound(new MissedStepEvent(DB, PLUGIN, NOW));
        assertThat(history.of(DB)).singleElement().satisfies(event -> {
            assertThat(event.text()).contains("only the scan of all volumes found it");
            assertThat(event.failed()).isTrue();
        });
    }
}
