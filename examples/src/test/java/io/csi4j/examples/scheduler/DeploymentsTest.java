package io.csi4j.examples.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.RemoteNodeGateway;
import io.csi4j.agent.spi.NodeDirectory;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.Cluster;
import io.csi4j.core.lifecycle.PluginReport;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.examples.MarkedCode;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Several plugins in one job, and several jobs for one plugin, as the guide shows them. */
class DeploymentsTest {
    private static final Path SOURCE = Path.of("src/test/java/io/csi4j/examples/scheduler/DeploymentsTest.java");

    private final PluginId disk = PluginId.of("disk");
    private final PluginId share = PluginId.of("share");
    private final NodeId nodeOne = NodeId.of("node-1");

    @Test
    void guideShowsThisExample() throws IOException {
        assertThat(Files.readString(Path.of("../docs/guide/embed.md"))).contains(MarkedCode.block(SOURCE));
    }

    @Test
    void deploymentsOfSeveralPluginsAndPluginsOfSeveralDeploymentsAreCounted() {
        try (StateStore store = StateStore.inMemory();
                RemoteNodeGateway gateway =
                        RemoteNodeGateway.builder(NodeDirectory.of(Map.of())).build();
                VolumeLifecycle lifecycle = VolumeLifecycle.builder()
                        .log(new LocalCommandLog(store))
                        .gateway(gateway)
                        .controllers(ControllerTrust.declaredDeployments())
                        .build()) {
            Cluster cluster = lifecycle.cluster();
            cluster.nodeReady(nodeOne).join();
            // DOC
            // One job runs the controllers of two plugins; another job runs their node plugins.
            DeploymentId control = DeploymentId.of("system", "storage-control");
            cluster.deploymentDeclared(PluginDeployment.of(
                            control, Map.of(disk, new ExpectedInstances(2, 0), share, new ExpectedInstances(1, 0))))
                    .join();
            DeploymentId daemons = DeploymentId.of("system", "storage-nodes");
            cluster.deploymentDeclared(PluginDeployment.of(
                            daemons, Map.of(disk, new ExpectedInstances(0, 3), share, new ExpectedInstances(0, 3))))
                    .join();

            // Each allocation names its job. Its node reports the instances; the counts are sums over both jobs.
            AllocationId controller = AllocationId.of("control-1");
            cluster.allocationStarted(controller, control.namespace(), nodeOne, control)
                    .join();
            report(cluster, controller);
            PluginReport running = lifecycle.operator().plugin(disk).join().orElseThrow();

            // A further declaration replaces the earlier one: the job runs no controller of "share" any more.
            cluster.deploymentDeclared(PluginDeployment.of(control, Map.of(disk, new ExpectedInstances(2, 0))))
                    .join();
            PluginReport reduced = lifecycle.operator().plugin(share).join().orElseThrow();

            // The job is deleted. A plugin stays while it has an instance or another job.
            cluster.deploymentRemoved(daemons).join();
            // DOC
            assertThat(running.plugin().expected()).isEqualTo(new ExpectedInstances(2, 3));
            assertThat(running.plugin().healthyControllers())
                    .as("a controller of a declared job is called")
                    .isOne();
            assertThat(running.plugin().healthyNodes()).isZero();
            assertThat(running.plugin().deployments())
                    .extracting(PluginDeployment::id)
                    .containsExactly(control, daemons);
            assertThat(running.allocations())
                    .extracting(allocation -> allocation.id())
                    .containsExactly(controller);
            assertThat(reduced.plugin().expected()).isEqualTo(new ExpectedInstances(0, 3));
            assertThat(lifecycle.operator().plugin(share).join())
                    .as("no job and no instance is left")
                    .isEmpty();
            assertThat(lifecycle
                            .operator()
                            .plugin(disk)
                            .join()
                            .orElseThrow()
                            .plugin()
                            .expected())
                    .isEqualTo(new ExpectedInstances(2, 0));
        }
    }

    private void report(Cluster cluster, AllocationId allocation) {
        InstanceKey key = new InstanceKey(nodeOne, disk, PluginType.CONTROLLER, Optional.of(allocation));
        cluster.nodePlugins(
                        nodeOne,
                        List.of(PluginInstance.builder(key, Instant.now()).build()))
                .join();
    }
}
