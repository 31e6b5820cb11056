package io.csi4j.core.internal.apply;

import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.PLUGIN;
import static io.csi4j.core.internal.apply.Cluster.effects;
import static io.csi4j.core.internal.apply.Cluster.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginType;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Expected and healthy instances of a plugin are sums over rows, not stored counters. */
class PluginCountsTest {
    private static final PluginId OTHER = PluginId.of("q");

    private static PluginCommand.UpsertDeployment deploy(String job, Map<PluginId, ExpectedInstances> expected) {
        return new PluginCommand.UpsertDeployment(PluginDeployment.of(DeploymentId.of("default", job), expected), AT);
    }

    private static ExpectedInstances instances(int controllers, int nodes) {
        return new ExpectedInstances(controllers, nodes);
    }

    private static ExpectedInstances expected(Cluster cluster, PluginId plugin) {
        return cluster.state.plugin(plugin).expected();
    }

    @Test
    void expectedInstancesAreSumOverAllDeployments() {
        Cluster cluster = Cluster.attaching();
        cluster.ok(deploy("a", Map.of(PLUGIN, instances(2, 0))));
        cluster.ok(deploy("b", Map.of(PLUGIN, instances(1, 3), OTHER, instances(0, 7))));
        assertThat(expected(cluster, PLUGIN)).isEqualTo(instances(3, 3));
        assertThat(expected(cluster, OTHER)).isEqualTo(instances(0, 7));

        cluster.ok(deploy("a", Map.of(PLUGIN, instances(5, 0))));
        assertThat(expected(cluster, PLUGIN))
                .as("the new expectation replaces the old one")
                .isEqualTo(instances(6, 3));
        cluster.ok(deploy("b", Map.of(OTHER, instances(0, 7))));
        assertThat(expected(cluster, PLUGIN))
                .as("deployment b does not expect the plugin any more")
                .isEqualTo(instances(5, 0));
        assertThat(expected(cluster, OTHER)).isEqualTo(instances(0, 7));

        cluster.ok(new PluginCommand.RemoveDeployment(DeploymentId.of("default", "a"), AT));
        assertThat(cluster.state.plugin(PLUGIN).isEmpty()).isTrue();
        assertThat(cluster.state.plugin(OTHER).isEmpty()).isFalse();
    }

    @Test
    void deploymentsWithSameNameInTwoNamespacesCountSeparately() {
        Cluster cluster = Cluster.attaching();
        for (String namespace : new String[] {"default", "batch"}) {
            cluster.ok(new PluginCommand.UpsertDeployment(
                    PluginDeployment.of(DeploymentId.of(namespace, "csi"), Map.of(PLUGIN, instances(1, 1))), AT));
        }
        assertThat(expected(cluster, PLUGIN)).isEqualTo(instances(2, 2));
        cluster.ok(new PluginCommand.RemoveDeployment(DeploymentId.of("batch", "csi"), AT));
        assertThat(expected(cluster, PLUGIN)).isEqualTo(instances(1, 1));
    }

    @Test
    void pluginWithoutInstancesStaysWhileDeploymentExpectsIt() {
        Cluster cluster = Cluster.attaching();
        cluster.ok(deploy("a", Map.of(PLUGIN, instances(1, 0))));
        cluster.nodes("n1");
        var gone = cluster.fingerprint("n1");
        assertThat(effects(gone, Effect.PluginRemoved.class)).isEmpty();
        assertThat(cluster.state.facts(PLUGIN)).isPresent();
        Rejection.PluginInUse refused =
                cluster.refused(Rejection.PluginInUse.class, new PluginCommand.DeletePlugin(PLUGIN, AT));
        assertThat(refused.message()).contains("default/a");
        // The deployment runs another plugin now, so the old plugin is removed.
        var moved = cluster.ok(deploy("a", Map.of(OTHER, instances(1, 0))));
        assertThat(effects(moved, Effect.PluginRemoved.class)).containsExactly(new Effect.PluginRemoved(PLUGIN));
        assertThat(cluster.state.facts(PLUGIN)).isEmpty();
    }

    @Test
    void removingNodeRemovesOnlyItsOwnPluginInstances() {
        Cluster cluster = Cluster.attaching().nodes("n1", "n2");
        cluster.fingerprint(
                "n1",
                cluster.instance(key("n1", PluginType.NODE)).build(),
                cluster.instance(key("n1", PluginType.CONTROLLER)).build());
        assertThat(cluster.state.plugin(PLUGIN).healthyControllers()).isEqualTo(2);
        assertThat(cluster.state.plugin(PLUGIN).healthyNodes()).isEqualTo(2);
        cluster.ok(new NodeCommand.RemoveNode(NodeId.of("n1"), "", AT));
        assertThat(cluster.state.plugin(PLUGIN).healthyControllers()).isOne();
        assertThat(cluster.state.plugin(PLUGIN).healthyNodes()).isOne();
        assertThat(cluster.state.instancesOn(NodeId.of("n1"))).isEmpty();
        cluster.ok(new NodeCommand.RemoveNode(NodeId.of("n2"), "", AT));
        assertThat(cluster.state.plugin(PLUGIN).isEmpty()).isTrue();
    }

    @Test
    void removingUnknownInstanceChangesNoCounts() {
        Cluster cluster = Cluster.attaching().nodes("n1", "n2");
        cluster.fingerprint("n1", cluster.instance(key("n1", PluginType.NODE)).build());
        for (PluginType absent : new PluginType[] {PluginType.CONTROLLER, PluginType.MONOLITH}) {
            cluster.unchanged(new PluginCommand.RemoveInstance(key("n1", absent), AT));
        }
        cluster.unchanged(new PluginCommand.RemoveInstance(key("stranger", PluginType.NODE), AT));
        assertThat(cluster.state.plugin(PLUGIN).healthyNodes()).isEqualTo(2);
        assertThat(cluster.state.plugin(PLUGIN).healthyControllers()).isOne();
        // Removing the node removes its only instance, which serves the node service.
        cluster.ok(new NodeCommand.RemoveNode(NodeId.of("n1"), "", AT));
        assertThat(cluster.state.plugin(PLUGIN).healthyNodes()).isOne();
        assertThat(cluster.state.plugin(PLUGIN).healthyControllers()).isOne();
    }
}
