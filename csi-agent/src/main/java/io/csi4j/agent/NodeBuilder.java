package io.csi4j.agent;

import io.csi4j.client.CsiClient;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.Environment;
import io.csi4j.node.MountSecretsProvider;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodeVolumeListener;
import io.csi4j.node.NodeVolumeOptions;
import io.csi4j.node.NodeVolumesBuilder;
import io.csi4j.node.VolumeMounter;
import io.csi4j.registry.ClientSettings;
import io.csi4j.registry.RestartPolicy;
import io.csi4j.registry.StopPolicy;
import io.csi4j.registry.SupervisorListener;
import io.csi4j.registry.instance.ConnectionOptions;
import io.csi4j.registry.instance.PluginRegistration;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a node that {@link NodeAgent}s and {@link LocalNode}s have in common. Not safe for use by several threads.
 *
 * @param <B> the builder itself
 */
public abstract sealed class NodeBuilder<B extends NodeBuilder<B>> permits NodeAgentBuilder, LocalNodeBuilder {
    final NodeId nodeId;
    final Path directory;
    private @Nullable Environment environment;
    Duration fingerprintInterval = Duration.ofMinutes(1);
    ConnectionOptions connections = ConnectionOptions.ofDefaults();
    Function<PluginRegistration, ConnectionOptions> connectionsOf = instance -> connections;
    StopPolicy stopPolicy = StopPolicy.WARN;
    RestartPolicy restarts = RestartPolicy.ofDefaults();
    SupervisorListener pluginListener = event -> {};
    NodeVolumeOptions volumeOptions = NodeVolumeOptions.defaults();
    NodeVolumeListener volumeListener = NodeVolumeListener.none();
    MountSecretsProvider secrets = MountSecretsProvider.none();
    VolumeMounter.Factory mounter = NodeVolumesBuilder::build;
    MountTable mountTable = MountTable.ofLinux();
    ClientSettings clients = ClientSettings.defaults();

    NodeBuilder(NodeId nodeId, Path directory) {
        this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
        this.directory = Objects.requireNonNull(directory, "directory");
    }

    abstract B self();

    /**
     * Sets time, threads and randomness.
     *
     * @param environment the host closes it, after the node. If not set, the node has its own {@link Environment#system()} and closes it
     *     with itself
     * @return this
     */
    public B environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return self();
    }

    /**
     * Sets how often the servers are told of plugins that have not changed.
     *
     * @param interval a minute if not set; at least a second
     * @return this
     */
    public B fingerprintInterval(Duration interval) {
        this.fingerprintInterval = Objects.requireNonNull(interval, "interval");
        return self();
    }

    /**
     * Sets how plugins are probed.
     *
     * @param options {@link ConnectionOptions#ofDefaults()} if not set
     * @return this
     */
    public B connections(ConnectionOptions options) {
        this.connections = Objects.requireNonNull(options, "options");
        return self();
    }

    /**
     * Sets how single plugins are probed.
     *
     * @param options see {@link io.csi4j.registry.PluginRegistryBuilder#optionsOf}; those of all if not set
     * @return this
     */
    public B connectionsOf(Function<PluginRegistration, ConnectionOptions> options) {
        this.connectionsOf = Objects.requireNonNull(options, "options");
        return self();
    }

    /**
     * Sets how all plugins are called.
     *
     * @param settings changes the settings of each client, for example its retries; none if not set
     * @return this
     */
    public B clients(UnaryOperator<CsiClient.Builder> settings) {
        Objects.requireNonNull(settings, "settings");
        return clientsOf((instance, client) -> settings.apply(client));
    }

    /**
     * Sets how single plugins are called. Takes the place of {@link #clients}.
     *
     * @param settings changes the settings of the client of an instance, for example its rules; none if not set
     * @return this
     */
    public B clientsOf(ClientSettings settings) {
        this.clients = Objects.requireNonNull(settings, "settings");
        return self();
    }

    /**
     * Sets what is done when the last node plugin is to go that volumes of this node need; see {@code
     * pluginStopping} of {@link NodeAgent} and {@link LocalNode}.
     *
     * @param policy {@link StopPolicy#WARN} if not set
     * @return this
     */
    public B stopPolicy(StopPolicy policy) {
        this.stopPolicy = Objects.requireNonNull(policy, "policy");
        return self();
    }

    /**
     * Sets when plugins should be started anew, and who is told.
     *
     * @param policy when; {@link RestartPolicy#ofDefaults()} if not set
     * @param listener is told of the health of plugins' tasks; nobody if not set
     * @return this
     */
    public B pluginTasks(RestartPolicy policy, SupervisorListener listener) {
        this.restarts = Objects.requireNonNull(policy, "policy");
        this.pluginListener = Objects.requireNonNull(listener, "listener");
        return self();
    }

    /**
     * Sets what mounts and unmounts volumes, in place of {@link io.csi4j.node.NodeVolumes}.
     *
     * @param factory {@link NodeVolumesBuilder#build} if not set. It gets a builder with the settings of this node, so it
     *     can wrap the standard mounter
     * @return this
     */
    public B volumeMounter(VolumeMounter.Factory factory) {
        this.mounter = Objects.requireNonNull(factory, "factory");
        return self();
    }

    /**
     * Sets limits and policies of mounts.
     *
     * @param options {@link NodeVolumeOptions#defaults()} if not set
     * @return this
     */
    public B volumeOptions(NodeVolumeOptions options) {
        this.volumeOptions = Objects.requireNonNull(options, "options");
        return self();
    }

    /**
     * Sets who hears of mounts.
     *
     * @param listener nobody if not set
     * @return this
     */
    public B volumeListener(NodeVolumeListener listener) {
        this.volumeListener = Objects.requireNonNull(listener, "listener");
        return self();
    }

    /**
     * Sets where secrets come from when a mount is made again after a restart.
     *
     * @param provider {@link MountSecretsProvider#none()} if not set
     * @return this
     */
    public B secrets(MountSecretsProvider provider) {
        this.secrets = Objects.requireNonNull(provider, "provider");
        return self();
    }

    /**
     * Sets where mounts are looked up.
     *
     * @param table {@link MountTable#ofLinux()} if not set
     * @return this
     */
    public B mountTable(MountTable table) {
        this.mountTable = Objects.requireNonNull(table, "table");
        return self();
    }

    /** The host's environment, or nothing if the node makes its own. */
    Optional<Environment> environment() {
        return Optional.ofNullable(environment);
    }
}
