package io.csi4j.client.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.client.retry.AttemptEvent;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRule;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.NodeGetVolumeStatsRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.PluginCapability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clients of a registry have the names and the reported capabilities of their plugins (R42). */
class LazyCapabilitiesTest {
    private static final PluginId WIRE = PluginId.of("wire");
    private static final InstanceKey KEY = RegistryWorld.key("wire", PluginType.MONOLITH, "a");
    private static final Set<PluginCapability.Service.Type> GROUPS = Set.of(
            PluginCapability.Service.Type.CONTROLLER_SERVICE, PluginCapability.Service.Type.GROUP_CONTROLLER_SERVICE);

    @TempDir
    Path directory;

    private PluginRegistryBuilder builder() {
        return PluginRegistry.builder(RegistryWorld.NODE).store(FilePluginStateStore.at(directory.resolve("plugins")));
    }

    private Path socket() {
        return directory.resolve("x.sock");
    }

    private PluginConnection ready(PluginRegistry registry) {
        Wait.get(registry.register(PluginRegistration.of(KEY, socket())));
        return Wait.get(registry.waitForHealthy(PluginRole.NODE, WIRE, Wait.PATIENCE))
                .connection();
    }

    private static DeleteVolumeRequest deletion() {
        return DeleteVolumeRequest.builder(ExternalVolumeId.of("v")).build();
    }

    @Test
    void unsupportedRpcIsRejectedByEachService() throws Exception {
        try (WirePlugin plugin = WirePlugin.start(socket(), "1", GROUPS);
                PluginRegistry registry = builder().open()) {
            PluginConnection connection = ready(registry);
            assertThat(Wait.failure(connection.client().controller().deleteVolume(deletion())))
                    .isInstanceOf(CsiRequestException.class)
                    .hasMessageContaining("controller capability CREATE_DELETE_VOLUME, which plugin wire has not");
            assertThat(Wait.failure(connection
                            .node()
                            .nodeGetVolumeStats(NodeGetVolumeStatsRequest.builder(ExternalVolumeId.of("v"), "/v")
                                    .build())))
                    .isInstanceOf(CsiRequestException.class)
                    .hasMessageContaining("GET_VOLUME_STATS");
            assertThat(Wait.failure(connection
                            .client()
                            .groupController()
                            .deleteVolumeGroupSnapshot(DeleteVolumeGroupSnapshotRequest.builder(
                                            GroupSnapshotId.of("g"), List.of(SnapshotId.of("s")))
                                    .build())))
                    .isInstanceOf(CsiRequestException.class)
                    .hasMessageContaining("CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT, which plugin wire has not");
            assertThat(plugin).isNotNull();
        }
    }

    /** A capability that the earlier process did not have must not prevent queries to the later process. */
    @Test
    void callIsSentAfterRestartedPluginReportsNeededCapability() throws Exception {
        try (WirePlugin first = WirePlugin.start(socket(), "1", Set.of());
                PluginRegistry registry = builder().open()) {
            PluginConnection connection = ready(registry);
            assertThat(Wait.failure(connection.client().controller().controllerGetCapabilities()))
                    .hasMessageContaining("plugin capability CONTROLLER_SERVICE, which plugin wire has not announced");
            Path elsewhere = directory.resolve("y.sock");
            try (WirePlugin second = WirePlugin.start(elsewhere, "2", GROUPS)) {
                Files.move(elsewhere, socket(), StandardCopyOption.ATOMIC_MOVE);
                RegistrySnapshot now = Wait.until(
                        registry,
                        snapshot -> snapshot.leader(PluginRole.CONTROLLER, WIRE).isPresent());
                assertThat(now.leader(PluginRole.CONTROLLER, WIRE)
                                .orElseThrow()
                                .snapshot()
                                .facts()
                                .orElseThrow()
                                .capabilities()
                                .groupController())
                        .isPresent();
                Wait.get(connection.client().controller().controllerGetCapabilities());
                assertThat(List.of(first, second)).doesNotContainNull();
            }
        }
    }

    @Test
    void connectionUsesInstanceSettingsAndErrorsContainPluginName() throws Exception {
        InstanceKey other = RegistryWorld.key("other", PluginType.NODE, "b");
        ConcurrentLinkedQueue<AttemptEvent> tried = new ConcurrentLinkedQueue<>();
        CallRules own = CallRules.defaults()
                .with(
                        Rpc.NODE_UNPUBLISH_VOLUME,
                        StatusCode.UNIMPLEMENTED,
                        CallRule.never(CallOutcome.CHANGE_REQUEST, "this one has it its own way"));
        try (WirePlugin plugin = WirePlugin.start(socket(), "1");
                PluginRegistry registry = builder()
                        .clients((instance, client) ->
                                (instance.key().equals(KEY) ? client.rules(own) : client).observer(tried::add))
                        .open()) {
            PluginConnection connection = ready(registry);
            Wait.get(registry.register(PluginRegistration.of(other, directory.resolve("none.sock"))));
            Throwable failure = Wait.failure(connection
                    .node()
                    .nodeUnpublishVolume(NodeUnpublishVolumeRequest.builder(ExternalVolumeId.of("v"), "/v")
                            .build()));
            assertThat(failure)
                    .hasMessageContaining("NodeUnpublishVolume for v at plugin wire failed")
                    .isInstanceOfSatisfying(
                            CsiCallException.class,
                            call -> assertThat(call.outcome()).isEqualTo(CallOutcome.CHANGE_REQUEST));
            assertThat(tried).extracting(AttemptEvent::plugin).containsOnly("wire");
            CsiCallException theirs = (CsiCallException) Wait.failure(registry.snapshot()
                    .instance(other)
                    .orElseThrow()
                    .connection()
                    .node()
                    .nodeUnpublishVolume(NodeUnpublishVolumeRequest.builder(ExternalVolumeId.of("v"), "/v")
                            .build()));
            assertThat(theirs).hasMessageContaining("at plugin other failed");
            assertThat(tried).extracting(AttemptEvent::plugin).contains("other");
            assertThat(registry.snapshot()
                            .instance(other)
                            .orElseThrow()
                            .connection()
                            .client()
                            .rules())
                    .isEqualTo(CallRules.defaults());
            assertThat(plugin).isNotNull();
        }
    }
}
