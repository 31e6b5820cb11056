package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.Permission;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** People see an instance that has not answered yet, also if the plugin has no other one. */
class UnprovedInstanceViewsTest {
    private static final PluginId NEW = PluginId.of("new");

    private static PluginInstance unproved(LifecycleRig rig) {
        return PluginInstance.builder(
                        new InstanceKey(NodeId.of("n1"), NEW, PluginType.NODE, Optional.of(AllocationId.of("hidden"))),
                        rig.now())
                .health(false, "its socket is missing")
                .proved(false)
                .build();
    }

    @Test
    void pluginWithoutProvedInstanceIsListed() {
        LifecycleRig rig = LifecycleRig.following();
        rig.fingerprint(unproved(rig));
        assertThat(rig.done(rig.host.operator().plugins(PluginQuery.all())).items())
                .anySatisfy(listed -> {
                    assertThat(listed.pluginId()).isEqualTo(NEW);
                    assertThat(listed.unprovedCount()).isOne();
                    assertThat(listed.healthyNodes()).isZero();
                    assertThat(listed.isEmpty()).isTrue();
                });
        assertThat(rig.done(rig.host.operator().plugin(NEW))
                        .orElseThrow()
                        .plugin()
                        .unproved())
                .containsExactly(unproved(rig));
    }

    @Test
    void allocationOfUnprovedInstanceIsHiddenFromCallersWhoMayNotSeeIt() {
        LifecycleRig rig = LifecycleRig.guarded();
        rig.fingerprint(unproved(rig));
        rig.grant(Permission.PLUGIN_READ);
        assertThat(rig.done(rig.as("eve").operator().plugin(NEW))
                        .orElseThrow()
                        .plugin()
                        .unproved())
                .singleElement()
                .satisfies(shown -> assertThat(shown.key().allocationId()).isEmpty());
    }

    @Test
    void timedOutWaitSaysThatInstancesHaveNotAnswered() {
        LifecycleRig rig = LifecycleRig.following();
        rig.fingerprint(unproved(rig));
        CompletableFuture<PluginReport> waiting = rig.host.operator().waitForPlugin(NEW, Duration.ofMinutes(1));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(rig.failed(waiting, UnfinishedException.class))
                .hasMessageContaining("1 instances are registered and have not answered yet")
                .hasMessageNotContaining("no node has reported it");
    }
}
