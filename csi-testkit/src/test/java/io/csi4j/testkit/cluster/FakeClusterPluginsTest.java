package io.csi4j.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AccountName;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.testkit.assertion.CsiAssertions;
import io.csi4j.testkit.capability.FakeCapability;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The settings of a cluster's plugins. */
class FakeClusterPluginsTest {
    private static final PluginId DISK = PluginId.of("disk");
    private static final PluginId FILES = PluginId.of("files");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    private static VolumeKey create(FakeCluster cluster, String name, PluginId plugin) {
        return cluster.createVolume(
                VolumeKey.of("default", name),
                VolumeSpec.builder(plugin)
                        .requestedCapabilities(List.of(WRITER))
                        .fencingPolicy(FencingPolicy.onFence())
                        .build());
    }

    private static PluginInstance reported(FakeCluster cluster, String node, PluginId plugin) {
        return cluster.state().instancesOn(NodeId.of(node), plugin).iterator().next();
    }

    @Test
    void eachPluginHasItsOwnStorageAndInstances() {
        try (FakeCluster cluster = FakeCluster.builder()
                .plugin(DISK, (plugin, node) -> plugin.name("disk.example.com").vendorVersion("7"))
                .plugin(FILES, (plugin, node) -> plugin.name("files.example.com"))
                .build()) {
            FakeNode node = cluster.addNode("n1");
            VolumeKey db = create(cluster, "db", DISK);
            VolumeKey logs = create(cluster, "logs", FILES);
            FakeAllocation web = cluster.startAllocation("web", "n1", db, logs);
            assertThat(cluster.runUntilIdle()).isTrue();

            assertThat(web.hasMountedAll()).isTrue();
            assertThat(cluster.plugin()).isEqualTo(DISK);
            assertThat(cluster.storage(DISK).volumeIds()).hasSize(1);
            assertThat(cluster.storage(FILES).volumeIds()).hasSize(1);
            assertThat(node.plugin(FILES).history().of(Rpc.NODE_PUBLISH_VOLUME).calls())
                    .hasSize(1);
            assertThat(reported(cluster, "n1", DISK).provider()).contains("disk.example.com");
            assertThat(reported(cluster, "n1", DISK).vendorVersion()).contains("7");
            assertThat(cluster.leaks()).isEmpty();

            web.end();
            cluster.runUntilIdle();
            var request = CreateVolumeRequest.builder(
                    "behind the engine", List.of(WRITER.toVolumeCapability(MountOptions.none())));
            cluster.await(node.client(FILES).controller().createVolume(request.build()));
            assertThat(cluster.leaks()).singleElement().asString().contains("DeleteVolume is missing");
        }
    }

    @Test
    void pluginWithoutAttachmentsIsNotAskedToAttach() {
        try (FakeCluster cluster = FakeCluster.builder()
                .plugin(
                        FILES,
                        (plugin, node) -> plugin.without(
                                FakeCapability.PUBLISH_UNPUBLISH_VOLUME,
                                FakeCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS))
                .build()) {
            FakeNode node = cluster.addNode("n1");
            FakeAllocation web = cluster.startAllocation("web", "n1", create(cluster, "logs", FILES));
            cluster.runUntilIdle();
            assertThat(web.hasMountedAll()).isTrue();
            assertThat(node.plugin().history().of(Rpc.CONTROLLER_PUBLISH_VOLUME).calls())
                    .isEmpty();
        }
    }

    private static ClaimRequest grouped(VolumeKey volume, OwnershipOptions options) {
        return new ClaimRequest(
                volume, ClaimMode.WRITE, WRITER, new MountOptions("", MountFlags.empty(), "3000", options));
    }

    @Test
    void nodeGivesFilesToTheGroupIfThePluginCannot() {
        try (FakeCluster cluster = FakeCluster.builder()
                .plugin(DISK, (plugin, node) -> plugin.without(FakeCapability.VOLUME_MOUNT_GROUP))
                .plugin(FILES, (plugin, node) -> plugin.with(FakeCapability.VOLUME_MOUNT_GROUP))
                .build()) {
            FakeNode node = cluster.addNode("n1");
            VolumeKey db = create(cluster, "db", DISK);
            VolumeKey logs = create(cluster, "logs", FILES);
            OwnershipOptions owned = new OwnershipOptions(GroupChangePolicy.ON_ROOT_MISMATCH, OptionalLong.of(7));
            OwnershipOptions always = new OwnershipOptions(GroupChangePolicy.ALWAYS, OptionalLong.of(7));
            int number = 0;
            for (OwnershipOptions options : List.of(OwnershipOptions.defaults(), owned, owned, always)) {
                FakeAllocation web = cluster.startAllocation(
                        "web-" + number++, "n1", grouped(db, options), grouped(logs, OwnershipOptions.defaults()));
                cluster.runUntilIdle();
                assertThat(web.hasMountedAll())
                        .as("%s %s", number, web.failure())
                        .isTrue();
                web.end();
                cluster.runUntilIdle();
            }
            CsiAssertions.assertThat(node)
                    .rewroteOwnershipOf(db)
                    .toGroup(3000)
                    .rewroteOwnershipOf(db)
                    .with(always)
                    .rewroteOwnershipOf(db, 3)
                    .rewroteOwnershipOf(logs, 0);
            assertThatThrownBy(() -> CsiAssertions.assertThat(node).rewroteOwnershipOf(logs))
                    .hasMessageContaining("expected that n1 gave the files of volume default/logs to a group");
            assertThatThrownBy(() -> CsiAssertions.assertThat(node).rewroteOwnershipOf(db, 4))
                    .hasMessageContaining("4 times, but its changes are");
            assertThatThrownBy(() -> CsiAssertions.assertThat(node)
                            .rewroteOwnershipOf(db)
                            .toGroup(3001))
                    .hasMessageContaining("expected that the files get the group 3001, but");
            assertThatThrownBy(() -> CsiAssertions.assertThat(node)
                            .rewroteOwnershipOf(db)
                            .with(owned))
                    .hasMessageContaining("but it is")
                    .hasMessageContaining("ALWAYS");
        }
    }

    @Test
    void nodeSendsTheInformationAboutTheWorkloadThatTheProfileAsksFor() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            FakeNode node = cluster.addNode("n1");
            VolumeKey db = create(cluster, "db", cluster.plugin());
            String volume = cluster.storage().volumeIds().iterator().next();
            String name = "csi.storage.k8s.io/pod.name";
            FakeAllocation first = cluster.startAllocation("first", "n1", db);
            cluster.runUntilIdle();
            CsiAssertions.assertThat(node.plugin()).published(volume).withoutVolumeContext(name);
            first.end();
            cluster.runUntilIdle();
            cluster.await(cluster.lifecycle()
                    .cluster()
                    .putPluginProfile(
                            PluginProfile.builder(cluster.plugin())
                                    .workloadInfo(true)
                                    .build(),
                            0));
            cluster.startAllocation("second", "n1", db);
            cluster.runUntilIdle();
            CsiAssertions.assertThat(node.plugin())
                    .published(volume)
                    .withVolumeContext(name, "second")
                    .published(volume)
                    .withVolumeContext(Map.of("csi.storage.k8s.io/pod.namespace", "default"))
                    .published(volume)
                    .withoutVolumeContext("csi.storage.k8s.io/serviceAccount.name");
        }
    }

    @Test
    void nodeSendsTheAccountOfTheAllocation() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            FakeNode node = cluster.addNode("n1");
            VolumeKey db = create(cluster, "db", cluster.plugin());
            cluster.await(cluster.lifecycle()
                    .cluster()
                    .putPluginProfile(
                            PluginProfile.builder(cluster.plugin())
                                    .workloadInfo(true)
                                    .build(),
                            0));
            cluster.startAllocation("web", "n1", AccountName.of("builder"), ClaimRequest.writing(db, WRITER));
            cluster.runUntilIdle();
            String volume = cluster.storage().volumeIds().iterator().next();
            CsiAssertions.assertThat(node.plugin())
                    .published(volume)
                    .withVolumeContext("csi.storage.k8s.io/serviceAccount.name", "builder");
        }
    }

    @Test
    void limitTopologyAndIdOfNodeAreThoseOfTheSettings() {
        try (FakeCluster cluster = FakeCluster.builder()
                .plugin(DISK, (plugin, node) -> plugin.attachLimit(1).nodeId("machine-" + node))
                .build()) {
            cluster.addNode("n1", Map.of("example.com/rack", "r7"));
            NodeInfo info = reported(cluster, "n1", DISK).nodeInfo().orElseThrow();
            assertThat(info.externalNodeId().value()).isEqualTo("machine-n1");
            assertThat(info.maxVolumesPerNode()).isEqualTo(1);
            assertThat(info.accessibleTopology().orElseThrow().segments()).containsEntry("example.com/rack", "r7");

            FakeAllocation first = cluster.startAllocation("first", "n1", create(cluster, "a", DISK));
            cluster.runUntilIdle();
            FakeAllocation second = cluster.startAllocation("second", "n1", create(cluster, "b", DISK));
            cluster.runUntilIdle();
            assertThat(first.hasMountedAll()).isTrue();
            assertThat(second.hasMountedAll()).isFalse();

            // The id at the provider, not the id of the node, has the mounts.
            cluster.addNode("n2", Map.of("example.com/rack", "r7"));
            cluster.node("n1").fence();
            cluster.runUntilIdle();
            assertThat(cluster.leaks()).isEmpty();
        }
    }

    @Test
    void controllerAndNodeServicesCanRunOnDifferentNodes() {
        try (FakeCluster cluster = FakeCluster.builder()
                .plugin(DISK, (plugin, node) -> {
                    if (node.equals("controller")) {
                        plugin.controllerOnly();
                    } else {
                        plugin.nodeOnly();
                    }
                })
                .build()) {
            cluster.addNode("controller");
            cluster.addNode("n1");
            assertThat(reported(cluster, "controller", DISK).key().type()).isEqualTo(PluginType.CONTROLLER);
            assertThat(reported(cluster, "n1", DISK).key().type()).isEqualTo(PluginType.NODE);
            FakeAllocation web = cluster.startAllocation("web", "n1", create(cluster, "db", DISK));
            cluster.runUntilIdle();
            assertThat(web.hasMountedAll()).isTrue();
            assertThat(cluster.node("controller")
                            .plugin()
                            .history()
                            .of(Rpc.CONTROLLER_PUBLISH_VOLUME)
                            .calls())
                    .hasSize(1);
        }
    }

    @Test
    void errorForUnknownOrRepeatedPluginNamesTheOnesThatAreSet() {
        FakeClusterBuilder builder = FakeCluster.builder().plugin(DISK, (plugin, node) -> {});
        assertThatThrownBy(() -> builder.plugin(DISK, (plugin, node) -> {}))
                .hasMessageContaining("disk is set already");
        try (FakeCluster cluster = builder.build()) {
            FakeNode node = cluster.addNode("n1");
            assertThatThrownBy(() -> cluster.storage(FILES))
                    .hasMessageContaining("files")
                    .hasMessageContaining("[disk]");
            assertThatThrownBy(() -> node.plugin(FILES))
                    .hasMessageContaining("files")
                    .hasMessageContaining("[disk]");
        }
    }
}
