package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.Rig.PLUGIN;
import static io.csi4j.core.lifecycle.Rig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class VisibilityTest {
    private static final AllocationId RUNNER = AllocationId.of("runs-the-plugin");

    private final LifecycleRig rig = LifecycleRig.guarded();

    private void pluginRunsInNamespace(String namespace) {
        rig.ok(new AllocationCommand.UpsertAllocation(
                RUNNER,
                Namespace.of(namespace),
                NodeId.of("n1"),
                Optional.empty(),
                AllocationStatus.RUNNING,
                rig.now()));
        PluginInstance plain = rig.instance("n1").build();
        rig.fingerprint(PluginInstance.builder(
                        new InstanceKey(NodeId.of("n1"), PLUGIN, PluginType.MONOLITH, Optional.of(RUNNER)), rig.now())
                .capabilities(plain.capabilities())
                .nodeInfo(plain.nodeInfo().orElseThrow())
                .build());
    }

    private void claimedVolumeWithFlagsAndParameters() {
        rig.done(rig.host
                .volumes()
                .register(
                        VOL,
                        LifecycleRig.spec()
                                .parameters(Map.of("iqn", "secret-parameter"))
                                .mutableParameters(Map.of("tier", "secret-mutable"))
                                .mountOptions(MountOptions.of("ext4", "password=secret-flag"))
                                .build()));
        for (String allocation : List.of("a", "b")) {
            rig.allocation(allocation, "n1");
            var unused = rig.host
                    .claims()
                    .claim(
                            AllocationId.of(allocation),
                            List.of(new ClaimRequest(
                                    VOL,
                                    ClaimMode.WRITE,
                                    LifecycleRig.SINGLE,
                                    MountOptions.of("ext4", "other=secret-flag"))));
        }
        rig.run();
    }

    private static boolean shows(Volume volume) {
        boolean[] flags = {!volume.spec().mountOptions().mountFlags().isEmpty()};
        volume.claims()
                .forEach(claim -> flags[0] |= !claim.mountOptions().mountFlags().isEmpty());
        volume.attachments()
                .forEach(attachment ->
                        flags[0] |= !attachment.mountOptions().mountFlags().isEmpty());
        return flags[0]
                || !volume.spec().parameters().isEmpty()
                || !volume.spec().mutableParameters().isEmpty()
                || !volume.spec().secrets().isEmpty()
                || !volume.volumeContext().isEmpty()
                || volume.modification()
                        .filter(modification -> !modification.changes().isEmpty())
                        .isPresent();
    }

    @Test
    void pluginListShowsInstanceCountsButNoInstancesOrAllocations() {
        pluginRunsInNamespace("a");
        rig.grant(Permission.PLUGIN_LIST);
        PluginView listed = rig.done(rig.as("eve").operator().plugins(PluginQuery.all()))
                .items()
                .get(0);
        assertThat(listed.allocations()).isEmpty();
        assertThat(listed.instances()).isEmpty();
        assertThat(listed.healthyNodes()).isEqualTo(2);
        assertThat(listed.schedulable()).isTrue();
    }

    @Test
    void pluginViewShowsOnlyAllocationsOfReadableNamespaces() {
        pluginRunsInNamespace("a");
        rig.grant(Permission.PLUGIN_READ);
        PluginView found =
                rig.done(rig.as("eve").operator().plugin(PLUGIN)).orElseThrow().plugin();
        assertThat(found.allocations()).isEmpty();
        assertThat(found.instances()).hasSize(2);
        rig.grant("a", Permission.VOLUME_READ);
        assertThat(rig.done(rig.as("eve").operator().plugin(PLUGIN))
                        .orElseThrow()
                        .plugin()
                        .allocations())
                .containsExactly(RUNNER);
    }

    @Test
    void volumeViewShowsPluginOnlyAsFarAsPluginPermissionAllows() {
        pluginRunsInNamespace("a");
        rig.volume(VOL).grant("default", Permission.VOLUME_READ);
        assertThat(rig.done(rig.as("eve").volumes().get(VOL))
                        .orElseThrow()
                        .plugin()
                        .instances())
                .isEmpty();
        assertThat(rig.done(rig.as("eve").claims().status(VOL))
                        .orElseThrow()
                        .view()
                        .plugin()
                        .instances())
                .isEmpty();
        rig.grant(Permission.PLUGIN_READ);
        PluginView found =
                rig.done(rig.as("eve").volumes().get(VOL)).orElseThrow().plugin();
        assertThat(found.instances()).hasSize(2);
        assertThat(found.allocations()).isEmpty();
    }

    @Test
    void viewsHideMountFlagsAndParameters() {
        claimedVolumeWithFlagsAndParameters();
        rig.grant("default", Permission.VOLUME_READ);
        VolumeView found = rig.done(rig.as("eve").volumes().get(VOL)).orElseThrow();
        VolumeStatus status = rig.done(rig.as("eve").claims().status(VOL)).orElseThrow();
        assertThat(shows(found.volume())).isFalse();
        assertThat(shows(status.view().volume())).isFalse();
        assertThat(found.volume().claims()).isNotEmpty();
        assertThat(found.volume().spec().mountOptions().fsType()).isEqualTo("ext4");
        assertThat(found.claims())
                .isNotEmpty()
                .allMatch(claim -> claim.claim().mountOptions().mountFlags().isEmpty());
        assertThat(status.waiting())
                .isNotEmpty()
                .allMatch(waiting -> waiting.requests().stream()
                        .allMatch(request -> request.mountOptions().mountFlags().isEmpty()));
        assertThat(shows(rig.get(VOL)))
                .as("the state keeps flags and parameters")
                .isTrue();
    }

    @Test
    void registrationResultHidesParametersWithoutManagePermission() {
        claimedVolumeWithFlagsAndParameters();
        rig.grant("default", Permission.VOLUME_WRITE).grant(Permission.PLUGIN_READ);
        assertThat(shows(rig.done(rig.as("eve").volumes().modify(VOL, Map.of("tier", "gold")))))
                .isFalse();
        rig.grant(Permission.MANAGEMENT);
        assertThat(rig.done(rig.as("eve").volumes().modify(VOL, Map.of("tier", "silver")))
                        .spec()
                        .mutableParameters())
                .containsEntry("tier", "silver");
    }

    @Test
    void listingVolumesByNodeNeedsReadPermission() {
        claimedVolumeWithFlagsAndParameters();
        VolumeQuery onNode = VolumeQuery.builder()
                .namespace(VOL.namespace())
                .nodeId(NodeId.of("n1"))
                .build();
        rig.grant("default", Permission.VOLUME_LIST);
        rig.failed(rig.as("eve").volumes().list(onNode), AccessDeniedException.class);
        assertThat(rig.done(rig.as("eve")
                                .volumes()
                                .list(VolumeQuery.builder()
                                        .nodeId(NodeId.of("n1"))
                                        .build()))
                        .items())
                .isEmpty();
        rig.grant("default", Permission.VOLUME_READ);
        assertThat(rig.done(rig.as("eve").volumes().list(onNode)).items()).hasSize(1);
    }
}
