package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.admin.AdminServer;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** A leading engine with its administration. */
final class AdminRig implements AutoCloseable {
    final Environment environment = Environment.system();
    final StateStore store = StateStore.inMemory();
    final VolumeLifecycle lifecycle;
    final AdminServer admin;

    AdminRig(UnaryOperator<AdminServer.Builder> options) throws Exception {
        lifecycle = VolumeLifecycle.builder()
                .log(new LocalCommandLog(store))
                .gateway(new InstantGateway())
                .environment(environment)
                .build();
        lifecycle.startLeading();
        admin = options.apply(AdminServer.builder(lifecycle).environment(environment))
                .start();
    }

    /** Reports a node with the plugin {@code disk}. */
    void node(String name) throws Exception {
        NodeId nodeId = NodeId.of(name);
        InstanceKey key = new InstanceKey(nodeId, PluginId.of("disk"), PluginType.MONOLITH, Optional.empty());
        lifecycle.cluster().nodeReady(nodeId).get(20, TimeUnit.SECONDS);
        PluginInstance instance = PluginInstance.builder(
                        key, environment.clock().instant())
                .health(true, "")
                .provider("disk.csi.example.com")
                .vendorVersion("2.4.1")
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withController(
                                ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
                                ControllerCapability.CREATE_DELETE_VOLUME)
                        .withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("i-" + name), 0, Optional.empty()))
                .build();
        lifecycle.cluster().nodePlugins(nodeId, List.of(instance)).get(20, TimeUnit.SECONDS);
    }

    /** Adds volumes {@code v000000} and so on. */
    void volumes(int count) {
        volumes("v", count);
    }

    void volumes(String prefix, int count) {
        VolumeSpec spec = VolumeSpec.builder(PluginId.of("disk"))
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .build();
        List<io.csi4j.core.command.Command> commands = IntStream.range(0, count)
                .<io.csi4j.core.command.Command>mapToObj(i -> new VolumeCommand.RegisterVolume(
                        VolumeKey.of("default", String.format("%s%06d", prefix, i)),
                        spec,
                        VolumeOrigin.REGISTERED,
                        ProviderFacts.builder()
                                .externalVolumeId(ExternalVolumeId.of(prefix + i))
                                .capacityBytes(10L << 30)
                                .build(),
                        environment.clock().instant()))
                .toList();
        assertThat(store.apply(new Batch(commands, environment.clock().instant()))
                        .accepted())
                .isTrue();
    }

    @Override
    public void close() {
        admin.close();
        lifecycle.close();
        environment.close();
        store.close();
    }
}
