package io.csi4j.agent;

import io.csi4j.agent.internal.node.LocalNodeGateway;
import io.csi4j.agent.internal.node.NodeRuntime;
import io.csi4j.client.CallDeadlines;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.VolumeLifecycleBuilder;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** Builds {@link LocalNode}s. Not thread-safe. */
public final class LocalNodeBuilder extends NodeBuilder<LocalNodeBuilder> {
    private final CommandLog log;
    private CallDeadlines deadlines = CallDeadlines.ofDefaults();
    private UnaryOperator<VolumeLifecycleBuilder> lifecycle = UnaryOperator.identity();

    LocalNodeBuilder(CommandLog log, NodeId nodeId, Path directory) {
        super(nodeId, directory);
        this.log = Objects.requireNonNull(log, "log");
    }

    @Override
    LocalNodeBuilder self() {
        return this;
    }

    /**
     * Changes settings of the engine, for example its options, access control, secrets, event listeners and fencing.
     *
     * @param settings changes the builder of the engine, which already has the log, gateway and environment of this
     *     node
     */
    public LocalNodeBuilder lifecycle(UnaryOperator<VolumeLifecycleBuilder> settings) {
        this.lifecycle = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Sets the deadlines for the responses of plugins. The deadline of a detach is the sum of those of NodeUnpublishVolume and
     * NodeUnstageVolume. Default: {@link CallDeadlines#ofDefaults()}.
     */
    public LocalNodeBuilder deadlines(CallDeadlines deadlines) {
        this.deadlines = Objects.requireNonNull(deadlines, "deadlines");
        return this;
    }

    /**
     * Reads the files of an earlier process, connects to its plugins, and makes the engine the leader. Blocks briefly on the disk.
     *
     * @return a running node; the host closes it
     * @throws IllegalArgumentException if the directory's path is too long or relative
     * @throws io.csi4j.node.NodeVolumeException if another process uses the directory
     * @throws io.csi4j.client.registry.PluginStoreException if the list of plugins cannot be read
     * @throws IOException if the directory cannot be used
     */
    public LocalNode start() throws IOException {
        Environment world = environment().orElseGet(Environment::system);
        Runnable closeEnvironment = environment().isEmpty() ? world::close : () -> {};
        try {
            NodeRuntime node = NodeStarter.start(this, world);
            try {
                return LocalNode.start(this, node, engine(node, world), world.timer(), closeEnvironment);
            } catch (RuntimeException unstarted) {
                node.abandon(unstarted);
                throw unstarted;
            }
        } catch (IOException | RuntimeException unstarted) {
            closeEnvironment.run();
            throw unstarted;
        }
    }

    private VolumeLifecycle engine(NodeRuntime node, Environment world) {
        return lifecycle
                .apply(VolumeLifecycle.builder())
                .log(log)
                .gateway(new LocalNodeGateway(nodeId, node, deadlines, world))
                .environment(world)
                .build();
    }
}
