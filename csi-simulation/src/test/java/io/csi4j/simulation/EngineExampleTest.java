package io.csi4j.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.Cluster;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs the examples of docs/engine.md, which are the code of this test. */
class EngineExampleTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void documentedExampleEqualsCodeInThisTest() throws IOException {
        String code = squeezed(Files.readString(Path.of("src/test/java/io/csi4j/simulation/EngineExampleTest.java")));
        Matcher examples = EXAMPLE.matcher(Files.readString(Path.of("../docs/engine.md")));
        int count = 0;
        while (examples.find()) {
            count++;
            assertThat(code).as("%s", examples.group(1)).contains(squeezed(examples.group(1)));
        }
        assertThat(count).isGreaterThan(2);
    }

    private static String squeezed(String text) {
        return text.replaceAll("\\s", "");
    }

    @Test
    void waitingClaimIsGrantedAfterHolderEnds() throws Exception {
        NodeGateway gateway = new InstantGateway();
        PluginId plugin = PluginId.of("ebs");
        try (StateStore store = StateStore.inMemory();
                VolumeLifecycle lifecycle = VolumeLifecycle.of(new LocalCommandLog(store), gateway)) {
            lifecycle.startLeading();

            NodeId node = NodeId.of("n1");
            Cluster cluster = lifecycle.cluster();
            cluster.nodeReady(node).join();
            cluster.nodePlugins(node, List.of(instance(node, plugin))).join();

            VolumeKey key = VolumeKey.of("default", "db");
            RequestedCapability writer = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
            VolumeSpec spec = VolumeSpec.builder(plugin)
                    .externalVolumeId(ExternalVolumeId.of("vol-0f1e2d3c"))
                    .requestedCapabilities(List.of(writer))
                    .build();
            lifecycle.volumes().register(key, spec).join();

            Namespace namespace = Namespace.of("default");
            AllocationId allocation = AllocationId.of("web-1");
            cluster.allocationStarted(allocation, namespace, node).join();
            ClaimGrant grant = lifecycle
                    .claims()
                    .claim(allocation, List.of(ClaimRequest.of(key, ClaimMode.WRITE, writer)))
                    .join();
            // The node stages and publishes the volume with the data of the grant.
            assertThat(grant.volumes().get(0).publishContext()).isNotNull();

            AllocationId next = AllocationId.of("web-2");
            cluster.allocationStarted(next, namespace, node).join();
            CompletableFuture<ClaimGrant> waiting =
                    lifecycle.claims().claim(next, List.of(ClaimRequest.of(key, ClaimMode.WRITE, writer)));
            assertThat(waiting).isNotDone();

            cluster.allocationEnded(allocation).join();
            // The node step and the controller step free the volume; then the next claim is granted.
            waiting.get(10, TimeUnit.SECONDS);
        }
    }

    private static PluginInstance instance(NodeId node, PluginId plugin) {
        return PluginInstance.builder(
                        new InstanceKey(node, plugin, PluginType.MONOLITH, Optional.empty()), Instant.now())
                .provider("ebs.example.com")
                .vendorVersion("1.0")
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)
                        .withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("i-0123"), 0, Optional.empty()))
                .build();
    }
}
