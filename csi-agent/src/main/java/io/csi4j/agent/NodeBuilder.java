package io.csi4j.agent;

import io.csi4j.client.CsiClient;
import io.csi4j.client.registry.ClientSettings;
import io.csi4j.client.registry.RestartPolicy;
import io.csi4j.client.registry.StopPolicy;
import io.csi4j.client.registry.SupervisorListener;
import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.Environment;
import io.csi4j.node.MountSecretsProvider;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodeVolumeListener;
import io.csi4j.node.NodeVolumeOptions;
import io.csi4j.node.NodeVolumesBuilder;
import io.csi4j.node.PublishTokenProvider;
import io.csi4j.node.VolumeMounter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The common settings of {@link NodeAgent}s and {@link LocalNode}s. Not thread-safe.
 *
 * @param <B> the type of the builder itself
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
    PublishTokenProvider tokens = PublishTokenProvider.none();
    VolumeMounter.Factory mounter = NodeVolumesBuilder::build;
    MountTable mountTable = MountTable.ofLinux();
    Predicate<AllocationId> stillRuns = allocation -> true;
    ClientSettings clients = ClientSettings.defaults();

    NodeBuilder(NodeId nodeId, Path directory) {
        this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
        this.directory = Objects.requireNonNull(directory, "directory");
    }

    abstract B self();

    /**
     * Sets the clock, the timer, the threads and the random numbers.
     *
     * @param environment the host's environment, which the host closes after the node; if not set, the node has its own {@link
     *     Environment#system()} and closes it
     */
    public B environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return self();
    }

    /**
     * Sets the interval at which plugins are reported to the servers even if nothing has changed.
     *
     * @param interval at least a second. Default: a minute
     */
    public B fingerprintInterval(Duration interval) {
        this.fingerprintInterval = Objects.requireNonNull(interval, "interval");
        return self();
    }

    /** Sets the limits and intervals of the connections to plugins. Default: {@link ConnectionOptions#ofDefaults()}. */
    public B connections(ConnectionOptions options) {
        this.connections = Objects.requireNonNull(options, "options");
        return self();
    }

    /**
     * Sets the limits and intervals of the connections to individual plugins.
     *
     * @param options see {@link io.csi4j.client.registry.PluginRegistryBuilder#optionsOf}. Default: the options of {@link
     *     #connections} for every plugin
     */
    public B connectionsOf(Function<PluginRegistration, ConnectionOptions> options) {
        this.connectionsOf = Objects.requireNonNull(options, "options");
        return self();
    }

    /**
     * Sets the client settings of all plugins.
     *
     * @param settings changes the settings of each client, for example its retries. Default: none
     */
    public B clients(UnaryOperator<CsiClient.Builder> settings) {
        Objects.requireNonNull(settings, "settings");
        return clientsOf((instance, client) -> settings.apply(client));
    }

    /**
     * Sets the client settings of individual plugins. Replaces {@link #clients}.
     *
     * @param settings changes the settings of the client of a plugin instance, for example the deadlines. Default: none
     */
    public B clientsOf(ClientSettings settings) {
        this.clients = Objects.requireNonNull(settings, "settings");
        return self();
    }

    /**
     * Sets the policy for stopping the last node plugin that volumes of this node need; see {@code pluginStopping} of {@link NodeAgent} and
     * {@link LocalNode}. Default: {@link StopPolicy#WARN}.
     */
    public B stopPolicy(StopPolicy policy) {
        this.stopPolicy = Objects.requireNonNull(policy, "policy");
        return self();
    }

    /**
     * Sets the conditions for a restart of plugins, and the listener for their events.
     *
     * @param policy the conditions. Default: {@link RestartPolicy#ofDefaults()}
     * @param listener gets the events of the plugins' tasks. Default: none
     */
    public B pluginTasks(RestartPolicy policy, SupervisorListener listener) {
        this.restarts = Objects.requireNonNull(policy, "policy");
        this.pluginListener = Objects.requireNonNull(listener, "listener");
        return self();
    }

    /**
     * Sets the mounter of volumes, in place of {@link io.csi4j.node.NodeVolumes}.
     *
     * @param factory gets a builder with the settings of this node, so it can wrap the standard mounter. Default: {@link
     *     NodeVolumesBuilder#build}
     */
    public B volumeMounter(VolumeMounter.Factory factory) {
        this.mounter = Objects.requireNonNull(factory, "factory");
        return self();
    }

    /** Sets limits and policies of mounts. Default: {@link NodeVolumeOptions#defaults()}. */
    public B volumeOptions(NodeVolumeOptions options) {
        this.volumeOptions = Objects.requireNonNull(options, "options");
        return self();
    }

    /** Sets the listener for events of volumes. Default: none. */
    public B volumeListener(NodeVolumeListener listener) {
        this.volumeListener = Objects.requireNonNull(listener, "listener");
        return self();
    }

    /** Sets the source of secrets for mounts that are made again after a restart. Default: {@link MountSecretsProvider#none()}. */
    public B secrets(MountSecretsProvider provider) {
        this.secrets = Objects.requireNonNull(provider, "provider");
        return self();
    }

    /**
     * Sets the source of the tokens of NodePublishVolume, for plugins whose profile names audiences. Default: {@link
     * PublishTokenProvider#none()}.
     */
    public B publishTokens(PublishTokenProvider provider) {
        this.tokens = Objects.requireNonNull(provider, "provider");
        return self();
    }

    /**
     * Sets the function that says whether an allocation still runs. When the node starts, it calls the function for
     * each allocation in its files. If an allocation no longer runs, the node unmounts its volumes.
     *
     * @param runs returns quickly and does not block. Default: every allocation still runs
     */
    public B stillRuns(Predicate<AllocationId> runs) {
        this.stillRuns = Objects.requireNonNull(runs, "runs");
        return self();
    }

    /** Sets the mount table. Default: {@link MountTable#ofLinux()}. */
    public B mountTable(MountTable table) {
        this.mountTable = Objects.requireNonNull(table, "table");
        return self();
    }

    /** Returns the host's environment; empty: the node creates its own. */
    Optional<Environment> environment() {
        return Optional.ofNullable(environment);
    }
}
