package io.csi4j.core.internal.apply;

import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.PLUGIN;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.effects;
import static io.csi4j.core.internal.apply.Cluster.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.plugin.PluginView;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An instance that has not answered since its registration is listed, and counts in nothing else. */
class UnprovedInstancesTest {
    private static final NodeId NODE = NodeId.of("n1");

    private final Cluster cluster = Cluster.attaching();

    UnprovedInstancesTest() {
        cluster.ok(new NodeCommand.UpsertNode(NODE, AT));
    }

    private static PluginInstance unproved(PluginType type) {
        return unproved(key("n1", type));
    }

    private static PluginInstance unproved(InstanceKey key) {
        return PluginInstance.builder(key, AT)
                .health(false, "it has not answered yet")
                .proved(false)
                .build();
    }

    private PluginView plugin() {
        return cluster.state.plugin(PLUGIN);
    }

    @Test
    void unprovedInstanceIsListedAndDoesNotCount() {
        cluster.fingerprint("n1", unproved(PluginType.MONOLITH));

        assertThat(plugin().unproved()).containsExactly(unproved(PluginType.MONOLITH));
        assertThat(plugin().unprovedCount()).isOne();
        assertThat(plugin().outline().unproved()).isEmpty();
        assertThat(plugin().outline().unprovedCount()).isOne();
        assertThat(plugin().instances()).isEmpty();
        assertThat(plugin().isEmpty()).isTrue();
        assertThat(cluster.state.facts(PLUGIN)).isEmpty();
        assertThat(cluster.state.instancesOf(PLUGIN)).isEmpty();
        assertThat(cluster.state.instancesOf(PLUGIN, PluginType.MONOLITH)).isEmpty();
        assertThat(Placement.nodeInstance(cluster.state, NODE, PLUGIN)).isEmpty();
        assertThat(cluster.state.instancesOn(NODE)).hasSize(1);
        cluster.unchanged(new PluginCommand.DeletePlugin(PLUGIN, AT));
    }

    @Test
    void firstAnswerMakesItAnInstanceAndSilenceAfterwardsDoesNotTakeThatBack() {
        cluster.fingerprint("n1", unproved(PluginType.MONOLITH));
        cluster.fingerprint("n1", cluster.instance("n1").build());
        assertThat(plugin().healthyNodes()).isOne();
        assertThat(plugin().unproved()).isEmpty();

        // The agent has restarted, and does not know yet what the instance reported before.
        cluster.fingerprint("n1", unproved(PluginType.MONOLITH));
        assertThat(plugin().unproved()).isEmpty();
        assertThat(plugin().instances()).singleElement().satisfies(instance -> {
            assertThat(instance.proved()).isTrue();
            assertThat(instance.healthy()).isFalse();
            assertThat(instance.provider()).contains("csi.example.com");
        });
        cluster.refused(Rejection.PluginInUse.class, new PluginCommand.DeletePlugin(PLUGIN, AT));
    }

    /** A host may report a healthy instance without its facts. */
    @Test
    void instanceWithoutFactsStaysProved() {
        cluster.fingerprint(
                "n1", unproved(PluginType.NODE).toBuilder().health(true, "").build());
        cluster.fingerprint("n1", unproved(PluginType.NODE));
        assertThat(plugin().unproved()).isEmpty();
        assertThat(plugin().instances()).hasSize(1);
    }

    @Test
    void healthyInstanceAndInstanceWithFactsAreProved() {
        assertThat(unproved(PluginType.NODE).proved()).isFalse();
        assertThat(unproved(PluginType.NODE).toBuilder()
                        .health(true, "")
                        .build()
                        .proved())
                .isTrue();
        assertThat(unproved(PluginType.NODE).toBuilder()
                        .vendorVersion("1")
                        .build()
                        .proved())
                .isTrue();
        assertThat(unproved(PluginType.NODE).toBuilder().provider("p").build().proved())
                .isTrue();
        PluginInstance known = cluster.instance("n1").build();
        assertThat(unproved(PluginType.NODE).toBuilder()
                        .nodeInfo(known.nodeInfo().orElseThrow())
                        .build()
                        .proved())
                .isTrue();
        assertThat(unproved(PluginType.NODE).toBuilder()
                        .capabilities(known.capabilities())
                        .build()
                        .proved())
                .isTrue();
    }

    /** An agent of an older version does not say whether an instance has answered. */
    @Test
    void unhealthyInstanceOfUnknownProofIsIgnoredAsBefore() {
        cluster.fingerprint("n1", cluster.instance("n1").health(false, "").build());
        assertThat(cluster.state.instancesOn(NODE)).isEmpty();
        assertThat(plugin().unproved()).isEmpty();
    }

    @Test
    void pluginGoesWithItsLastProvedInstanceAlthoughAnUnprovedOneRemains() {
        PluginInstance waiting = unproved(PluginType.NODE);
        cluster.fingerprint("n1", cluster.instance("n1").build(), waiting);
        Outcome.Accepted stopped = cluster.fingerprint("n1", waiting);
        assertThat(effects(stopped, Effect.PluginRemoved.class)).containsExactly(new Effect.PluginRemoved(PLUGIN));
        assertThat(cluster.state.facts(PLUGIN)).isEmpty();
        assertThat(plugin().unproved()).containsExactly(waiting);
    }

    @Test
    void endOfUnprovedInstanceRemovesNoPlugin() {
        PluginInstance waiting = unproved(PluginType.NODE);
        cluster.fingerprint("n1", waiting);
        assertThat(effects(cluster.fingerprint("n1"), Effect.PluginRemoved.class))
                .isEmpty();
        assertThat(plugin().unproved()).isEmpty();
        cluster.fingerprint("n1", waiting);
        assertThat(effects(cluster.ok(new PluginCommand.RemoveInstance(waiting.key(), AT)), Effect.PluginRemoved.class))
                .isEmpty();
        assertThat(plugin().unproved()).isEmpty();
    }

    @Test
    void unprovedInstanceEndsWithItsAllocationAndWithItsNode() {
        InstanceKey ofAllocation = new InstanceKey(NODE, PLUGIN, PluginType.NODE, Optional.of(alloc("a")));
        cluster.allocation("a", "n1");
        cluster.fingerprint("n1", unproved(ofAllocation));
        assertThat(plugin().unproved()).hasSize(1);
        cluster.ended("a", "n1");
        cluster.fingerprint("n1", unproved(ofAllocation));
        assertThat(plugin().unproved()).isEmpty();
        cluster.fingerprint("n1", unproved(PluginType.NODE));
        cluster.ok(new NodeCommand.RemoveNode(NODE, "", AT));
        assertThat(plugin().unproved()).isEmpty();
    }

    /** The machine of a node is named by an instance that has answered. */
    @Test
    void newerUnprovedInstanceDoesNotHideTheExternalIdOfTheNode() {
        PluginInstance unhealthy =
                cluster.instance("n1").health(false, "it does not answer").build();
        PluginInstance newer = PluginInstance.builder(key("n1", PluginType.NODE), AT.plusSeconds(60))
                .health(false, "")
                .proved(false)
                .build();
        cluster.fingerprint("n1", cluster.instance("n1").nodeInfo(null).build());
        cluster.fingerprint("n1", unhealthy, newer);
        assertThat(cluster.state.node(NODE).orElseThrow().machine(PLUGIN)).isPresent();
    }
}
