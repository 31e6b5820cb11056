package io.csi4j.examples.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rows of {@code csi plugin status}. */
class PluginRowsTest {
    private static final Instant SINCE = Instant.parse("2026-01-01T00:00:00Z");
    private static final NodeId NODE = NodeId.of("node-1");

    private final StateStore store = StateStore.inMemory();
    private final VolumeLifecycle lifecycle = VolumeLifecycle.builder()
            .log(new LocalCommandLog(store))
            .gateway(new InstantGateway())
            .build();
    private final PluginRows rows = new PluginRows(lifecycle);

    @BeforeEach
    void node() {
        lifecycle.cluster().nodeReady(NODE).join();
    }

    @AfterEach
    void close() {
        lifecycle.close();
        store.close();
    }

    private static PluginInstance.Builder instance(String plugin) {
        return PluginInstance.builder(
                new InstanceKey(NODE, PluginId.of(plugin), PluginType.NODE, Optional.empty()), SINCE);
    }

    @Test
    void unprovedInstanceIsShownWithTimeOfRegistrationAndNotAsInstance() {
        PluginInstance silent = instance("silent")
                .health(false, "its socket is missing")
                .proved(false)
                .build();
        lifecycle
                .cluster()
                .nodePlugins(NODE, List.of(instance("disk").build(), silent))
                .join();

        assertThat(rows.list()).extracting(PluginRows.PluginRow::plugin).containsExactly("disk", "silent");
        assertThat(rows.list().get(0)).satisfies(disk -> {
            assertThat(disk.instances()).hasSize(1);
            assertThat(disk.unproved()).isEmpty();
        });
        assertThat(rows.list().get(1)).satisfies(plugin -> {
            assertThat(plugin.instances()).isEmpty();
            assertThat(plugin.unproved())
                    .containsExactly(new PluginRows.UnprovedRow(
                            "node-1", "NODE", "2026-01-01T00:00:00Z", "its socket is missing"));
        });
    }
}
