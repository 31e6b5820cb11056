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

/** Builds a {@link LocalNode}. Not safe for use by several threads. */
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
     * Sets the ports and options of the engine: access control, secrets, events, fencing.
     *
     * @param settings changes the builder of the engine; log, gateway and environment are those of this node
     * @return this
     */
    public LocalNodeBuilder lifecycle(UnaryOperator<VolumeLifecycleBuilder> settings) {
        this.lifecycle = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Sets how long the engine waits for the answers of plugins. A detach has the time of NodeUnpublishVolume and
     * NodeUnstageVolume together.
     *
     * @param deadlines {@link CallDeadlines#ofDefaults()} if not set
     * @return this
     */
    public LocalNodeBuilder deadlines(CallDeadlines deadlines) {
        this.deadlines = Objects.requireNonNull(deadlines, "deadlines");
        return this;
    }

    /**
     * Reads the files of an earlier process, begins to look for plugins, and leads. Blocks on the disk, briefly.
     *
     * @return a node at work; the host closes it
     * @throws IllegalArgumentException if the directory's path is too long or relative
     * @throws io.csi4j.node.NodeVolumeException if another process uses the directory
     * @throws io.csi4j.registry.PluginStoreException if the list of plugins cannot be read
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
