package io.csi4j.testkit.cluster;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.VolumeLifecycleBuilder;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.testkit.FakeCsiPluginBuilder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Builds a {@link FakeCluster}. Without settings, it runs on virtual time, and its nodes have one plugin with the defaults. Not thread-safe. */
public final class FakeClusterBuilder {
    private static final PluginId DEFAULT_PLUGIN = PluginId.of("fake");

    private @Nullable VirtualTime virtual = VirtualTime.inOrder();
    private long seed = 1;
    private final Map<PluginId, BiConsumer<FakeCsiPluginBuilder, String>> plugins = new LinkedHashMap<>();

    private UnaryOperator<CommandLog> commands = UnaryOperator.identity();
    private UnaryOperator<VolumeLifecycleBuilder> lifecycle = UnaryOperator.identity();

    FakeClusterBuilder() {}

    /**
     * Runs simultaneous tasks in a random order, on virtual time.
     *
     * @param newSeed the seed of the random order; the same seed gives the same run
     */
    public FakeClusterBuilder shuffled(long newSeed) {
        seed = newSeed;
        virtual = VirtualTime.shuffled(newSeed);
        return this;
    }

    /** Runs on the time and the threads of the system. */
    public FakeClusterBuilder onRealTime() {
        virtual = null;
        return this;
    }

    /**
     * Adds a plugin, of which each node gets an instance. All instances share a storage, which other plugins do not see.
     * Call this method once for each plugin; the first one is {@link FakeCluster#plugin()}.
     *
     * @param id the id of the plugin in specifications of volumes
     * @param settings changes the builder of an instance: name, capabilities, limit, topology, whether it serves only node
     *     or only controller. Its second argument is the name of the node, which the builder has as the node's id at
     *     the provider. The settings are also used for nodes that are added later
     * @throws IllegalArgumentException if the cluster has a plugin of that id
     */
    public FakeClusterBuilder plugin(PluginId id, BiConsumer<FakeCsiPluginBuilder, String> settings) {
        if (plugins.putIfAbsent(id, Objects.requireNonNull(settings, "settings")) != null) {
            throw new IllegalArgumentException("plugin " + id + " is set already; give each plugin another id");
        }
        return this;
    }

    /**
     * Changes the log through which each server of the cluster submits its commands and reads the state, for example by {@code
     * CsiMeters.timed}.
     *
     * @param decorator returns the log that a server uses, from the log of the cluster
     */
    public FakeClusterBuilder commands(UnaryOperator<CommandLog> decorator) {
        commands = Objects.requireNonNull(decorator, "decorator");
        return this;
    }

    /**
     * Changes the engine of each server of the cluster: its secrets, listener, options and access control, as a program does on its
     * own builder. The cluster sets the log, the gateway, the environment and the executor of callbacks.
     *
     * @param settings receives the builder of the engine and returns it
     */
    public FakeClusterBuilder lifecycle(UnaryOperator<VolumeLifecycleBuilder> settings) {
        lifecycle = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /** Returns a cluster without nodes. It has one server, which is the leader; the test closes it. */
    public FakeCluster build() {
        Map<PluginId, BiConsumer<FakeCsiPluginBuilder, String>> all =
                plugins.isEmpty() ? Map.of(DEFAULT_PLUGIN, (builder, node) -> {}) : plugins;
        return new FakeCluster(new ClusterTime(virtual, new SplittableRandom(seed)), all, commands, lifecycle);
    }
}
