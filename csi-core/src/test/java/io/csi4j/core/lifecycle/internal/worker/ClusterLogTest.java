package io.csi4j.core.lifecycle.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lines about nodes and plugins. */
class ClusterLogTest {
    private static final Instant AT = Instant.EPOCH;
    private static final NodeId N1 = NodeId.of("n1");
    private static final PluginId PLUGIN = PluginId.of("p");
    // Keeps the logger, which the log manager holds weakly.
    private static final Logger LOGGER = Logger.getLogger(ClusterLog.class.getName());

    private final NaiveState state = new NaiveState();
    private final List<String> lines = new ArrayList<>();
    private boolean trusted = true;
    private final ClusterLog log = new ClusterLog((state, controller) -> trusted);

    @BeforeEach
    void collect() {
        LOGGER.setFilter(line -> {
            lines.add(line.getLevel() + " " + line.getMessage());
            return false;
        });
        apply(new NodeCommand.UpsertNode(N1, AT));
    }

    @AfterEach
    void stop() {
        LOGGER.setFilter(null);
    }

    private void apply(Command command) {
        assertThat(state.apply(command).accepted()).as("%s", command).isTrue();
    }

    private void report(boolean healthy) {
        apply(new PluginCommand.FingerprintNode(
                N1,
                List.of(PluginInstance.builder(new InstanceKey(N1, PLUGIN, PluginType.MONOLITH, Optional.empty()), AT)
                        .provider("csi.example.com")
                        .health(healthy, healthy ? "" : "does not answer")
                        .capabilities(Capabilities.unknown().withServices(PluginService.CONTROLLER_SERVICE))
                        .build()),
                AT));
    }

    private List<String> read() {
        lines.clear();
        long unused = log.read(state);
        return lines;
    }

    @Test
    void firstStateOfATermIsOnlyRemembered() {
        report(true);
        assertThat(read()).isEmpty();
        assertThat(read()).isEmpty();
    }

    @Test
    void eachChangeOfANodeIsOneLine() {
        read();
        apply(new NodeCommand.SetNodeStatus(N1, NodeStatus.DOWN, "silent", AT));
        assertThat(read()).containsExactly("INFO Node n1 is DOWN: silent");
        assertThat(read()).isEmpty();
        apply(new NodeCommand.SetNodeStatus(N1, NodeStatus.READY, "", AT));
        apply(new NodeCommand.UpsertNode(NodeId.of("n2"), AT));
        assertThat(read()).containsExactly("INFO Node n1 is READY", "INFO Node n2 is READY");
        apply(new NodeCommand.RemoveNode(NodeId.of("n2"), "sold", AT));
        assertThat(read()).containsExactly("INFO Node n2 was removed");
        assertThat(read()).isEmpty();
    }

    @Test
    void eachChangeOfThePluginsHealthIsOneLine() {
        read();
        report(true);
        assertThat(read()).containsExactly("INFO Plugin p has 1 controllers and 1 node instances healthy");
        assertThat(read()).isEmpty();
        apply(new PluginCommand.UpsertDeployment(
                PluginDeployment.of(DeploymentId.of("default", "job"), Map.of(PLUGIN, new ExpectedInstances(2, 3))),
                AT));
        assertThat(read()).as("the expected numbers are no health").isEmpty();
        report(false);
        assertThat(read()).containsExactly("INFO Plugin p has 0 of 2 controllers and 0 of 3 node instances healthy");
        trusted = false;
        report(true);
        assertThat(read())
                .hasSize(2)
                .contains("INFO Plugin p has 0 of 2 controllers and 1 of 3 node instances healthy");
    }

    @Test
    void pluginThatComesBackIsOneLineAgain() {
        read();
        report(true);
        read();
        apply(new PluginCommand.FingerprintNode(N1, List.of(), AT));
        assertThat(read()).isEmpty();
        report(true);
        assertThat(read()).containsExactly("INFO Plugin p has 1 controllers and 1 node instances healthy");
    }

    @Test
    void undeclaredControllerIsAWarning() {
        trusted = false;
        report(true);
        assertThat(read())
                .singleElement()
                .asString()
                .startsWith("WARNING Node n1 reports that it runs a controller of plugin p");
        assertThat(read()).isEmpty();
    }

    /** The number of rows limits how often they are read. */
    @Test
    void rowsThatAreReadAreCounted() {
        assertThat(log.read(state)).isEqualTo(1);
        report(true);
        assertThat(log.read(state)).as("a node, a plugin and an instance").isEqualTo(3);
    }
}
