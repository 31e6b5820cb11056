package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.PLUGIN;
import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Plugins that are meant to run, run, fail and go; and what volumes make of it. */
class PluginComingAndGoingTest {
    private static final DeploymentId JOB = DeploymentId.of("default", "job");

    private static void deploy(LifecycleRig rig, PluginId plugin, int controllers, int nodes) {
        rig.ok(new PluginCommand.UpsertDeployment(
                PluginDeployment.of(JOB, Map.of(plugin, new ExpectedInstances(controllers, nodes))),
                rig.clock.instant()));
    }

    private static void nothingRuns(LifecycleRig rig) {
        for (String node : List.of("n1", "n2")) {
            rig.ok(new PluginCommand.FingerprintNode(NodeId.of(node), List.of(), rig.clock.instant()));
        }
    }

    private static PluginView plugin(LifecycleRig rig) {
        return rig.done(rig.host.operator().plugin(PLUGIN)).orElseThrow().plugin();
    }

    @Test
    void deployedPluginIsListedButUnhealthyWhileNoInstanceRuns() {
        LifecycleRig rig = LifecycleRig.leading();
        nothingRuns(rig);
        assertThat(rig.done(rig.host.operator().plugin(PLUGIN))).isEmpty();
        deploy(rig, PLUGIN, 1, 2);
        assertThat(plugin(rig).schedulable()).isFalse();
        assertThat(plugin(rig).expected()).isEqualTo(new ExpectedInstances(1, 2));
        rig.fingerprint(rig.instance("n1").build());
        assertThat(plugin(rig).schedulable()).isTrue();
        nothingRuns(rig);
        assertThat(plugin(rig).schedulable()).isFalse();
        assertThat(rig.done(rig.host.operator().plugins(PluginQuery.all())).items())
                .hasSize(1);
        rig.ok(new PluginCommand.RemoveDeployment(JOB, rig.clock.instant()));
        assertThat(rig.done(rig.host.operator().plugins(PluginQuery.all())).items())
                .isEmpty();
        assertThat(rig.done(rig.host.operator().plugin(PLUGIN))).isEmpty();
    }

    /** After a check of many volumes the reconciler pauses, and then sees only the last state of the plugin. */
    @Test
    void deletionOfVolumeCompletesIfControllerDisappearsAndReturnsBetweenTwoChecks() {
        LifecycleRig rig = LifecycleRig.leading(
                LifecycleOptions.builder().scanInterval(Duration.ofDays(1)).build());
        for (int i = 0; i < 60; i++) {
            rig.volume(VolumeKey.of("default", "v" + i));
        }
        nothingRuns(rig);
        rig.clock.advance(Duration.ofSeconds(1));
        rig.fingerprint(rig.instance("n1").build());
        nothingRuns(rig);
        var deleted = rig.host.volumes().delete(VolumeKey.of("default", "v7"));
        rig.clock.run();
        rig.fingerprint(rig.instance("n1").build());
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).isEmpty();
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(1);
        assertThat(deleted).isCompleted();
    }

    @Test
    void pluginWithoutDeploymentHasNoExpectedInstances() {
        LifecycleRig rig = LifecycleRig.leading();
        assertThat(plugin(rig).expected()).isEqualTo(new ExpectedInstances(0, 0));
        assertThat(plugin(rig).healthyNodes()).isEqualTo(2);
    }

    @Test
    void readingAndListingPluginsNeedSeparatePermissions() {
        LifecycleRig rig = LifecycleRig.guarded();
        rig.grant(Permission.PLUGIN_READ);
        rig.failed(rig.as("eve").operator().plugins(PluginQuery.all()), AccessDeniedException.class);
        PluginView before =
                rig.done(rig.as("eve").operator().plugin(PLUGIN)).orElseThrow().plugin();
        rig.granted.clear();
        rig.grant(Permission.PLUGIN_LIST);
        rig.failed(rig.as("eve").operator().plugin(PLUGIN), AccessDeniedException.class);
        List<PluginView> listed =
                rig.done(rig.as("eve").operator().plugins(PluginQuery.all())).items();
        assertThat(listed).hasSize(1);
        for (String node : List.of("n1", "n2")) {
            rig.ok(new NodeCommand.RemoveNode(NodeId.of(node), "sold", rig.clock.instant()));
        }
        assertThat(rig.done(rig.as("eve").operator().plugins(PluginQuery.all())).items())
                .isEmpty();
        assertThat(before.healthyNodes()).isEqualTo(2);
        assertThat(listed.get(0).healthyNodes()).isEqualTo(2);
    }

    @Test
    void onlyUnusedPluginsAreRemoved() {
        LifecycleRig rig = LifecycleRig.leading();
        deploy(rig, PLUGIN, 1, 1);
        nothingRuns(rig);
        assertThat(rig.done(rig.host.engine().plugins().removeUnused()))
                .as("an expected plugin is not removed")
                .isEmpty();
        assertThat(rig.done(rig.host.operator().plugins(PluginQuery.all())).items())
                .hasSize(1);
        deploy(rig, PluginId.of("q"), 0, 2);
        assertThat(rig.done(rig.host.operator().plugins(PluginQuery.all())).items())
                .as("the plugin that the job no longer uses is removed")
                .extracting(PluginView::pluginId)
                .containsExactly(PluginId.of("q"));
        deploy(rig, PLUGIN, 0, 2);
        assertThat(rig.done(rig.host.operator().plugins(PluginQuery.all())).items())
                .as("expected node instances count like controllers")
                .extracting(PluginView::pluginId)
                .containsExactly(PLUGIN);
    }

    @Test
    void volumeViewShowsWhetherControllerIsRequiredAndWhetherVolumeIsSchedulable() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        VolumeView found = rig.done(rig.host.volumes().get(VOL)).orElseThrow();
        assertThat(found.plugin().controllerRequired()).isTrue();
        assertThat(found.schedulable()).isTrue();
        nothingRuns(rig);
        rig.fingerprint(rig.instance("n1")
                .capabilities(Capabilities.unknown().withServices())
                .build());
        VolumeView without = rig.done(rig.host.volumes().get(VOL)).orElseThrow();
        assertThat(without.volume().key()).isEqualTo(VOL);
        assertThat(without.plugin().controllerRequired()).isFalse();
        nothingRuns(rig);
        assertThat(rig.done(rig.host.volumes().get(VOL)).orElseThrow().schedulable())
                .isFalse();
        rig.done(rig.host.volumes().deregister(VOL));
        assertThat(rig.done(rig.host.volumes().get(VOL))).isEmpty();
    }

    /** The provider name is a fact of the plugin and no part of the volume: plugin id and external id are. */
    @Test
    void volumeCanBeRegisteredAgainAfterOperatorConfirmedNewNameOfPlugin() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.volume(VOL);
        Volume first = rig.get(VOL);
        rig.fingerprint(rig.instance("n1")
                .provider("renamed.example.com")
                .vendorVersion("9")
                .build());
        rig.fingerprint(rig.instance("n2")
                .provider("renamed.example.com")
                .vendorVersion("9")
                .build());
        rig.done(rig.host.operator().setProvider(PLUGIN, "renamed.example.com", "the vendor renamed it"));
        rig.volume(VOL);
        assertThat(rig.get(VOL)).isEqualTo(first);
        assertThat(rig.done(rig.host.volumes().get(VOL)).orElseThrow().plugin().provider())
                .contains("renamed.example.com");
    }

    @Test
    void registrationOfVolumeInUseTreatsEmptyMountOptionsLikeMissingMountOptions() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n1", SINGLE));
        Volume used = rig.get(VOL);
        VolumeSpec empty = LifecycleRig.spec()
                .externalVolumeId(used.externalVolumeId().orElseThrow())
                .mountOptions(MountOptions.of(""))
                .build();
        assertThat(rig.done(rig.host.volumes().register(VOL, empty))).isEqualTo(used);
        assertThat(MountOptions.of("")).isEqualTo(MountOptions.none());
        VolumeSpec more = empty.toBuilder().mountOptions(MountOptions.of("xfs")).build();
        assertThat(rig.failed(rig.host.volumes().register(VOL, more), RejectedException.class))
                .hasMessageContaining("mountOptions");
        rig.done(rig.host.claims().release(VOL, AllocationId.of("a")));
        assertThat(rig.done(rig.host.volumes().register(VOL, more)).spec().mountOptions())
                .isEqualTo(MountOptions.of("xfs"));
    }

    @Test
    void repeatedRegistrationWithoutCapacityRangeLeavesVolumeUnchanged() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CapacityRange(0, 0))
                .withMessageContaining("give one");
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        Volume before = rig.get(VOL);
        rig.volume(VOL);
        assertThat(rig.get(VOL))
                .as("a registration without a capacity range changes nothing")
                .isEqualTo(before);
    }

    /** The time is that of who proposed; when, and by which replica, it is applied makes no difference. */
    @Test
    void volumeTimestampsEqualTimeWhenCommandWasProposed() {
        LifecycleRig rig = LifecycleRig.leading();
        Instant proposed = rig.clock.instant();
        VolumeSpec spec = LifecycleRig.spec().build();
        var command =
                new VolumeCommand.RegisterVolume(VOL, spec, VolumeOrigin.REGISTERED, ProviderFacts.none(), proposed);
        rig.clock.advance(Duration.ofDays(1));
        rig.ok(command);
        assertThat(rig.get(VOL).createdAt()).isEqualTo(proposed);
        assertThat(rig.get(VOL).modifiedAt()).isEqualTo(proposed);
        rig.done(rig.host.operator().recheck(VOL));
        assertThat(rig.get(VOL).modifiedAt()).as("a recheck sets the time too").isEqualTo(rig.clock.instant());
    }

    /** The engine calls a controller by its node; where that is, and who reaches it, is the gateway's business. */
    @Test
    void controllerIsCalledOnNodeWhereItRuns() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.node("n3");
        for (String only : List.of("n1", "n2", "n3")) {
            nothingRuns(rig);
            rig.ok(new PluginCommand.FingerprintNode(NodeId.of("n3"), List.of(), rig.clock.instant()));
            InstanceKey key = new InstanceKey(NodeId.of(only), PLUGIN, PluginType.CONTROLLER, Optional.empty());
            rig.fingerprint(PluginInstance.builder(key, rig.clock.instant())
                    .capabilities(rig.instance(only).build().capabilities())
                    .build());
            rig.gateway.calls().clear();
            rig.done(rig.host
                    .volumes()
                    .register(
                            VOL,
                            LifecycleRig.spec()
                                    .requestedCapabilities(
                                            List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                                    .build()));
            assertThat(rig.gateway.calls()).extracting(HandCall::node).containsExactly(NodeId.of(only));
        }
    }
}
