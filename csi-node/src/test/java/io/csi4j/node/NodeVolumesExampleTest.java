package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the example of docs/node-volumes.md, which is this code. */
class NodeVolumesExampleTest {
    private static final String MARK = "// DOCS\n";
    private final List<String> called = new CopyOnWriteArrayList<>();

    private NodeService service(NodeService mounting) {
        return (NodeService) Proxy.newProxyInstance(
                NodeService.class.getClassLoader(), new Class<?>[] {NodeService.class}, (proxy, method, arguments) -> {
                    called.add(method.getName());
                    return method.invoke(mounting, arguments);
                });
    }

    private static VolumeGrant grant(AllocationId allocation) {
        NodeVolumeId id = Bench.id("v");
        VolumeSpec spec = VolumeSpec.builder(id.pluginId())
                .externalVolumeId(id.externalVolumeId())
                .requestedCapabilities(List.of(Bench.MANY))
                .build();
        Volume volume = Volume.builder(id.volume(), spec, 1, Instant.EPOCH).build();
        Claim claim = Claim.builder(allocation, NodeId.of("n"), ClaimMode.WRITE, Bench.MANY)
                .build();
        return new VolumeGrant(
                new VolumeView(
                        volume, PluginView.of(volume.pluginId(), List.of(), List.of(), Optional.empty()), List.of()),
                claim,
                PublishContext.empty(),
                MountOptions.none(),
                Secrets.empty(),
                Secrets.empty());
    }

    @Test
    void documentationShowsCompiledExample() throws IOException {
        String source = Files.readString(Path.of("src/test/java/io/csi4j/node/NodeVolumesExampleTest.java"));
        int begin = source.indexOf("        " + MARK) + MARK.length() + 8;
        String displayed = source.substring(begin, source.indexOf("        " + MARK, begin))
                .stripTrailing()
                .stripIndent()
                .strip();
        assertThat(Files.readString(Path.of("../docs/node-volumes.md"))).contains("```java\n" + displayed + "\n```");
    }

    @Test
    void exampleMountsAndUnmountsVolume(@TempDir Path directory) throws Exception {
        assumeTrue(RealMountsTest.canMount(directory), "needs the right to mount");
        ExecutorService threads = Executors.newCachedThreadPool();
        NodeService mounting = RealMountsTest.service(threads);
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        AllocationId allocation = AllocationId.of("web-7f3a");
        NodeVolumeId id = Bench.id("v");
        VolumeGrant grant = grant(allocation);
        NodePlugins plugins = pluginId -> Optional.of(NodePlugin.of(
                service(mounting),
                CapabilitySet.of(NodeCapability.class, List.of(NodeCapability.STAGE_UNSTAGE_VOLUME))));
        // DOCS
        NodeVolumes volumes = NodeVolumes.builder(directory, plugins).build();
        volumes.start().join();
        MountedVolume mounted = volumes.mount(NodeMount.of(grant)).join();
        // run the workload with mounted.targetPath(), then
        volumes.unmount(new NodeUnmount(id, allocation)).join();
        volumes.stop().join();
        // DOCS
        threads.shutdownNow();
        assertThat(mounted.targetPath().toString()).endsWith("publish/ns/v/web-7f3a");
        assertThat(called)
                .containsExactly("nodeStageVolume", "nodePublishVolume", "nodeUnpublishVolume", "nodeUnstageVolume");
        for (Thread own : threadsSince(before)) {
            own.join(10_000);
            assertThat(own.isAlive()).as(own.getName()).isFalse();
        }
    }

    private static List<Thread> threadsSince(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("csi4j-") && !before.contains(thread))
                .toList();
    }
}
