package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
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
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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

    /** Returns a rig with two plugins that can list their attachments. */
    private static LifecycleRig withTwoPlugins() {
        LifecycleRig rig = rig(LifecycleOptions.builder().reconciliation(HOUR, false));
        PluginInstance known = rig.instance("n1").build();
        PluginInstance other = PluginInstance.builder(
                        new InstanceKey(NodeId.of("n1"), PluginId.of("q"), PluginType.MONOLITH, Optional.empty()),
                        rig.now())
                .capabilities(known.capabilities())
                .nodeInfo(known.nodeInfo().orElseThrow())
                .build();
        rig.ok(new PluginCommand.FingerprintNode(NodeId.of("n1"), List.of(known, other), rig.now()));
        return rig;
    }

    @Test
    void reconciliationThatFailsForOnePluginIsMadeForTheNext() {
        LifecycleRig rig = withTwoPlugins();
        rig.gateway.fail(Rpc.LIST_VOLUMES, StatusCode.INVALID_ARGUMENT);
        rig.clock.advance(HOUR.plus(HOUR.dividedBy(9)));
        assertThat(listings(rig)).isEqualTo(2);
    }

    @Test
    void reconciliationEndsBetweenTwoPluginsIfTheLeaderStops() {
        LifecycleRig rig = withTwoPlugins();
        rig.gateway.plan(Rpc.LIST_VOLUMES, call -> {
            rig.host.stopLeading();
            return CompletableFuture.completedFuture(new ListVolumesResponse(List.of(), ""));
        });
        rig.clock.advance(Duration.ofDays(1));
        assertThat(listings(rig)).isEqualTo(1);
    }

    /** Puts facts of a plugin into the state that nothing refers to, as a state of an older version may have them. */
    private static PluginId leftOver(LifecycleRig rig) {
        PluginId left = PluginId.of("left");
        rig.log.leftBehind(state -> state.putFacts(PluginFacts.none(left)));
        return left;
    }

    private static boolean known(LifecycleRig rig, PluginId plugin) {
        return rig.log.snapshot().facts(plugin).isPresent();
    }

    @Test
    void onlyLeaderRemovesUnusedPlugins() {
        LifecycleRig rig = rig(LifecycleOptions.builder().unusedPluginRemovalInterval(HOUR));
        PluginId left = leftOver(rig);
        rig.host.stopLeading();
        rig.clock.advance(Duration.ofDays(1));
        assertThat(known(rig, left)).as("no removal without a leader").isTrue();
        rig.host.startLeading();
        rig.clock.advance(Duration.ofMinutes(53));
        assertThat(known(rig, left)).as("no removal before the interval ends").isTrue();
        rig.clock.advance(Duration.ofMinutes(14));
        assertThat(known(rig, left)).isFalse();
        assertThat(known(rig, LifecycleRig.PLUGIN))
                .as("a plugin in use is kept")
                .isTrue();
        leftOver(rig);
        rig.clock.advance(HOUR.multipliedBy(2));
        assertThat(known(rig, left)).as("the removal is repeated").isFalse();
    }

    @Test
    void removalOfAPluginThatIsUsedAgainDoesNotStopTheOthers() {
        List<PluginId> left = List.of(PluginId.of("a"), PluginId.of("b"), PluginId.of("c"));
        List<LifecycleRig> rigs = new ArrayList<>();
        rigs.add(LifecycleRig.leading(real -> new CommandLog() {
            @Override
            public CompletableFuture<Outcome> submit(Command command) {
                if (command instanceof PluginCommand.DeletePlugin delete
                        && delete.pluginId().equals(left.get(0))) {
                    rigs.get(0).log.leftBehind(state -> state.putVolume(volumeOf(left.get(1))));
                }
                return real.submit(command);
            }

            @Override
            public ObservableState state() {
                return real.state();
            }
        }));
        LifecycleRig rig = rigs.get(0);
        rig.log.leftBehind(state -> left.forEach(plugin -> state.putFacts(PluginFacts.none(plugin))));
        rig.clock.advance(Duration.ofMinutes(12));
        assertThat(left).filteredOn(plugin -> known(rig, plugin)).containsExactly(left.get(1));
    }

    private static Volume volumeOf(PluginId plugin) {
        VolumeSpec spec = VolumeSpec.builder(plugin)
                .requestedCapabilities(List.of(LifecycleRig.SINGLE))
                .build();
        return Volume.builder(VolumeKey.of("default", "used"), spec, 1, Instant.EPOCH)
                .build();
    }

    @Test
    void pluginWithUnhealthyInstanceIsNotRemoved() {
        LifecycleRig rig = rig(LifecycleOptions.builder().unusedPluginRemovalInterval(HOUR));
        for (String node : List.of("n1", "n2")) {
            rig.fingerprint(rig.instance(node).health(false, "down").build());
        }
        rig.ok(new VolumeCommand.DeregisterVolume(LifecycleRig.VOL, false, rig.clock.instant()));
        rig.clock.advance(HOUR.multipliedBy(3));
        assertThat(rig.log.snapshot().plugin(LifecycleRig.PLUGIN).instances()).hasSize(2);
        assertThat(known(rig, LifecycleRig.PLUGIN)).isTrue();
    }

    @Test
    void pluginWithVolumeIsNotRemoved() {
        LifecycleRig rig = rig(LifecycleOptions.builder().unusedPluginRemovalInterval(HOUR));
        for (String node : List.of("n1", "n2")) {
            rig.ok(new NodeCommand.RemoveNode(NodeId.of(node), "", rig.clock.instant()));
        }
        rig.clock.advance(HOUR.multipliedBy(3));
        assertThat(known(rig, LifecycleRig.PLUGIN))
                .as("a plugin with a volume is kept")
                .isTrue();
    }
}
