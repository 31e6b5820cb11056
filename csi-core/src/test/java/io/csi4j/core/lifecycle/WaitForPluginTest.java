package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A host that has just started a plugin waits until the servers know it. */
class WaitForPluginTest {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    /** Nodes without plugins. */
    private static LifecycleRig withoutPlugin() {
        LifecycleRig rig = LifecycleRig.following();
        for (String node : new String[] {"n1", "n2"}) {
            rig.ok(new PluginCommand.FingerprintNode(NodeId.of(node), List.of(), rig.now()));
        }
        return rig;
    }

    @Test
    void waitEndsWhenFirstNodeReportsHealthyPlugin() {
        LifecycleRig rig = withoutPlugin();
        CompletableFuture<PluginReport> waiting = rig.host.operator().waitForPlugin(LifecycleRig.PLUGIN, LIMIT);
        rig.run();
        assertThat(waiting).isNotDone();
        rig.fingerprint(rig.instance("n1").health(false, "starting").build());
        rig.run();
        assertThat(waiting).isNotDone();
        rig.fingerprint(rig.instance("n1").build());
        assertThat(rig.done(waiting).plugin().schedulable()).isTrue();
        assertThat(rig.clock.timers()).as("the timer of the wait is cancelled").isZero();
    }

    @Test
    void waitForAlreadyHealthyPluginEndsAtOnce() {
        LifecycleRig rig = LifecycleRig.following();
        assertThat(rig.done(rig.host.operator().waitForPlugin(LifecycleRig.PLUGIN, LIMIT))
                        .plugin()
                        .pluginId())
                .isEqualTo(LifecycleRig.PLUGIN);
    }

    @Test
    void timedOutWaitForPluginFailsWithErrorThatGivesReason() {
        LifecycleRig rig = LifecycleRig.following();
        CompletableFuture<PluginReport> unknown = rig.host.operator().waitForPlugin(PluginId.of("nowhere"), LIMIT);
        rig.fingerprint(rig.instance("n1").health(false, "starting").build());
        rig.fingerprint(rig.instance("n2").health(false, "starting").build());
        CompletableFuture<PluginReport> ill = rig.host.operator().waitForPlugin(LifecycleRig.PLUGIN, LIMIT);
        rig.clock.advance(LIMIT);
        assertThat(rig.failed(unknown, UnfinishedException.class))
                .hasMessageContainingAll("plugin nowhere is not ready after 1 min", "no node has reported it");
        UnfinishedException failure = rig.failed(ill, UnfinishedException.class);
        assertThat(failure).hasMessageContainingAll("0 controller and 0 node instances are healthy");
        assertThat(failure.retryable()).isTrue();
    }

    private static String notReady(LifecycleRig rig, VolumeLifecycle host) {
        return notReady(rig, LifecycleRig.PLUGIN, host);
    }

    private static String notReady(LifecycleRig rig, PluginId plugin, VolumeLifecycle host) {
        CompletableFuture<PluginReport> waiting = host.operator().waitForPlugin(plugin, LIMIT);
        rig.clock.advance(LIMIT);
        return rig.failed(waiting, UnfinishedException.class).getMessage();
    }

    @Test
    void timedOutWaitNamesInstancesThatAreNotCalled() {
        LifecycleRig rig = LifecycleRig.leading();
        VolumeLifecycle strict = VolumeLifecycle.builder()
                .log(rig.log)
                .gateway(rig.gateway)
                .environment(rig.clock.environment(new Random(3)))
                .callbackExecutor(rig.clock)
                .controllers((state, controller) -> false)
                .build();
        assertThat(notReady(rig, strict))
                .contains("0 controller and 2 node instances are healthy", "2 controllers are not declared")
                .doesNotContain("another driver", "have not answered");

        rig.fingerprint(rig.instance("n1").health(false, "starting").build());
        rig.volume(LifecycleRig.VOL);
        rig.fingerprint(rig.instance("n2").provider("csi.other.com").build());
        assertThat(notReady(rig, rig.host))
                .contains("1 instances run another driver than csi.example.com")
                .doesNotContain("not declared", "have not answered");

        rig.node("n3");
        PluginInstance silent = PluginInstance.builder(
                        new InstanceKey(NodeId.of("n3"), PluginId.of("new"), PluginType.MONOLITH, Optional.empty()),
                        rig.now())
                .health(false, "its socket is missing")
                .proved(false)
                .build();
        rig.fingerprint(silent);
        assertThat(notReady(rig, PluginId.of("new"), rig.host))
                .contains("1 instances are registered and have not answered yet")
                .doesNotContain("not declared", "another driver", "no node has reported it");
    }

    @Test
    void waitingForPluginNeedsPluginReadPermission() {
        LifecycleRig rig = LifecycleRig.guarded();
        rig.failed(rig.as("eve").operator().waitForPlugin(LifecycleRig.PLUGIN, LIMIT), AccessDeniedException.class);
        rig.grant(Permission.PLUGIN_READ);
        rig.done(rig.as("eve").operator().waitForPlugin(LifecycleRig.PLUGIN, LIMIT));
    }
}
