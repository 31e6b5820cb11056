package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.placement.HealthAfterRestore;
import io.csi4j.core.plugin.PluginView;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** After a restore, the host may reset the recorded health of plugins. */
class HealthAfterRestoreTest {
    private static final PluginId PLUGIN = PluginId.of("p");

    private static PluginView plugin(StateStore store) {
        return store.snapshot().plugin(PLUGIN);
    }

    @Test
    void restoredPluginIsNotSchedulableUntilItsNodeReportsAgain() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (StateStore before = StateEncodingTest.store(ClearTextSecretsCipher.secretsStayReadable())) {
            new Cluster(before).node("n1", "p").node("n2", "p").volume("v", "p");
            before.encode(bytes);
        }
        try (StateStore store = StateEncodingTest.store(ClearTextSecretsCipher.secretsStayReadable())) {
            store.restore(new ByteArrayInputStream(bytes.toByteArray()));
            assertThat(plugin(store).schedulable())
                    .as("the restored health is that of the earlier run")
                    .isTrue();

            Command command = HealthAfterRestore.markUnhealthy(store.snapshot(), Cluster.AT.plus(Duration.ofHours(1)))
                    .orElseThrow();
            assertThat(store.apply(command).accepted()).isTrue();
            assertThat(plugin(store).schedulable()).isFalse();
            assertThat(plugin(store).healthyNodes()).isZero();
            assertThat(plugin(store).instances())
                    .hasSize(2)
                    .allSatisfy(
                            instance -> assertThat(instance.healthDescription()).contains("not reported since"));
            assertThat(plugin(store).facts())
                    .as("the facts of the plugin are kept")
                    .isPresent();
            assertThat(HealthAfterRestore.markUnhealthy(store.snapshot(), Cluster.AT))
                    .as("no healthy instance is left")
                    .isEmpty();

            new Cluster(store).accepted(Cluster.fingerprint("n1", "p", "agent-n1"));
            assertThat(plugin(store).schedulable()).isTrue();
            assertThat(plugin(store).healthyNodes())
                    .as("only the node that reported is healthy")
                    .isEqualTo(1);
        }
    }

    @Test
    void restoredStateWithoutPluginsNeedsNoCommandThatMarksPluginsUnhealthy() {
        try (StateStore store = StateEncodingTest.store(ClearTextSecretsCipher.secretsStayReadable())) {
            assertThat(HealthAfterRestore.markUnhealthy(store.snapshot(), Cluster.AT))
                    .isEmpty();
        }
    }
}
