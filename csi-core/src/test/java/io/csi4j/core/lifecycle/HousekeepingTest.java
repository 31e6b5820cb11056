package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HousekeepingTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private static LifecycleRig rig(LifecycleOptions.Builder options) {
        return LifecycleRig.leading(options.build()).volume(LifecycleRig.VOL);
    }

    private static int listings(LifecycleRig rig) {
        return rig.gateway.requests(Rpc.LIST_VOLUMES).size();
    }

    @Test
    void reconciliationIsOffByDefault() {
        LifecycleRig rig = rig(LifecycleOptions.builder());
        rig.clock.advance(Duration.ofDays(1));
        assertThat(listings(rig)).isZero();
    }

    @Test
    void onlyLeaderReconcilesPeriodically() {
        LifecycleRig rig = rig(LifecycleOptions.builder().reconciliation(HOUR, false));
        rig.clock.advance(Duration.ofMinutes(53));
        assertThat(listings(rig)).isZero();
        rig.clock.advance(Duration.ofMinutes(14));
        assertThat(listings(rig)).as("one run within the interval plus a tenth").isEqualTo(1);
        rig.clock.advance(Duration.ofHours(10));
        assertThat(listings(rig)).isBetween(10, 13);
        int before = listings(rig);
        rig.host.stopLeading();
        rig.clock.advance(Duration.ofDays(1));
        assertThat(listings(rig)).isEqualTo(before);
        rig.host.startLeading();
        rig.host.startLeading();
        rig.clock.advance(HOUR.plus(HOUR.dividedBy(9)));
        assertThat(listings(rig)).isEqualTo(before + 1);
    }

    @Test
    void reconciliationRepairsAttachmentsAfterEarlierReconciliationFailed() {
        LifecycleRig rig = rig(LifecycleOptions.builder().reconciliation(HOUR, true));
        rig.gateway.fail(Rpc.LIST_VOLUMES, StatusCode.INTERNAL);
        rig.gateway.answer(
                Rpc.LIST_VOLUMES,
                request -> new ListVolumesResponse(
                        List.of(new ListVolumesResponse.Entry(
                                ExternalVolume.builder(ExternalVolumeId.of("ext-" + LifecycleRig.VOL))
                                        .build(),
                                Optional.of(new ExternalVolumeStatus(
                                        List.of(ExternalNodeId.of("ext-n2")), Optional.empty())))),
                        ""));
        rig.clock.advance(HOUR.multipliedBy(3));
        assertThat(listings(rig)).isGreaterThan(1);
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_UNPUBLISH_VOLUME)).hasSize(1);
        assertThat(rig.get(LifecycleRig.VOL).inUse()).isFalse();
    }

    /** One that is there, and ill, and of which nothing else is left: nobody deploys it, no volume is its. */
    private static PluginId orphan(LifecycleRig rig, String node) {
        PluginId orphan = PluginId.of("stray");
        InstanceKey key = new InstanceKey(NodeId.of(node), orphan, PluginType.NODE, Optional.empty());
        rig.ok(new NodeCommand.UpsertNode(NodeId.of(node), rig.clock.instant()));
        for (boolean healthy : new boolean[] {true, false}) {
            PluginInstance instance = PluginInstance.builder(key, rig.clock.instant())
                    .health(healthy, "")
                    .provider("stray.example.com")
                    .build();
            rig.ok(new PluginCommand.FingerprintNode(NodeId.of(node), List.of(instance), rig.clock.instant()));
        }
        return orphan;
    }

    private static boolean known(LifecycleRig rig, PluginId plugin) {
        return rig.log.snapshot().instancesOf(plugin).iterator().hasNext();
    }

    @Test
    void onlyLeaderRemovesUnusedPlugins() {
        LifecycleRig rig = rig(LifecycleOptions.builder().unusedPluginRemovalInterval(HOUR));
        PluginId orphan = orphan(rig, "n9");
        rig.host.stopLeading();
        rig.clock.advance(Duration.ofDays(1));
        assertThat(known(rig, orphan)).as("no removal without a leader").isTrue();
        rig.host.startLeading();
        rig.clock.advance(Duration.ofMinutes(53));
        assertThat(known(rig, orphan)).as("no removal before the interval ends").isTrue();
        rig.clock.advance(Duration.ofMinutes(14));
        assertThat(known(rig, orphan)).isFalse();
        assertThat(rig.log.snapshot().facts(orphan)).isEmpty();
        assertThat(known(rig, LifecycleRig.PLUGIN))
                .as("a plugin in use is kept")
                .isTrue();
        PluginId again = orphan(rig, "n9");
        rig.clock.advance(HOUR.multipliedBy(2));
        assertThat(known(rig, again)).as("the removal is repeated").isFalse();
    }

    @Test
    void pluginWithVolumeIsNotRemoved() {
        LifecycleRig rig = rig(LifecycleOptions.builder().unusedPluginRemovalInterval(HOUR));
        PluginId orphan = orphan(rig, "n9");
        rig.ok(new VolumeCommand.RegisterVolume(
                VolumeKey.of("default", "of-stray"),
                VolumeSpec.builder(orphan)
                        .externalVolumeId(ExternalVolumeId.of("vol-of-stray"))
                        .requestedCapabilities(List.of(LifecycleRig.SINGLE))
                        .build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.none(),
                rig.clock.instant()));
        rig.clock.advance(HOUR.multipliedBy(3));
        assertThat(known(rig, orphan)).as("a plugin with a volume is kept").isTrue();
    }
}
