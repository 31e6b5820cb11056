package io.csi4j.agent.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CallDeadlines;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.VolumeMounter;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Cancelling the future of a request to the node cancels the work of the volume mounter. */
class LocalNodeGatewayTest {
    private static final NodeId NODE = NodeId.of("node-1");
    private static final VolumeKey KEY = VolumeKey.of("team", "db");
    private static final PluginId PLUGIN = PluginId.of("ebs");
    private static final ExternalVolumeId EXTERNAL = ExternalVolumeId.of("vol-1");
    private static final AllocationId WEB = AllocationId.of("web-1");
    private static final NodeVolumeQuery QUERY = new NodeVolumeQuery(KEY, PLUGIN, EXTERNAL, WEB);

    private final Environment environment = Environment.system();
    private final CompletableFuture<Object> work = new CompletableFuture<>();

    @AfterEach
    void close() {
        environment.close();
    }

    static Stream<Named<Function<NodeGateway, CompletableFuture<?>>>> requests() {
        return Stream.of(
                Named.of(
                        "detach",
                        gateway -> gateway.detach(
                                NODE,
                                new NodeDetach(
                                        KEY,
                                        PLUGIN,
                                        EXTERNAL,
                                        WEB,
                                        Optional.empty(),
                                        ClaimMode.WRITE,
                                        RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER),
                                        MountOptions.none()))),
                Named.of("volumeStats", gateway -> gateway.volumeStats(NODE, QUERY)),
                Named.of("volumeHealth", gateway -> gateway.volumeHealth(NODE, QUERY)),
                Named.of(
                        "storageHealth",
                        gateway -> gateway.storageHealth(NODE, new StorageHealthQuery(PLUGIN, Secrets.empty()))));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void cancellationReachesTheWork(Function<NodeGateway, CompletableFuture<?>> request) {
        NodeRuntime node = new NodeRuntime(null, null, null, mounter(), () -> {});
        NodeGateway gateway = new LocalNodeGateway(NODE, node, CallDeadlines.ofDefaults(), environment);
        CompletableFuture<?> answer = request.apply(gateway);
        assertThat(work).isNotDone();
        answer.cancel(false);
        assertThat(work).isCancelled();
    }

    /** Returns a mounter whose requests all return the same future. */
    private VolumeMounter mounter() {
        return (VolumeMounter) Proxy.newProxyInstance(
                VolumeMounter.class.getClassLoader(),
                new Class<?>[] {VolumeMounter.class},
                (proxy, method, arguments) -> method.getReturnType() == Optional.class ? Optional.empty() : work);
    }
}
