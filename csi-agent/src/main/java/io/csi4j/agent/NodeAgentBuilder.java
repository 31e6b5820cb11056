package io.csi4j.agent;

import static io.csi4j.agent.RemoteNodeGateway.required;

import io.csi4j.client.CsiClient;
import io.csi4j.client.Endpoint;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.Environment;
import io.csi4j.node.MountSecretsProvider;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodeVolumeListener;
import io.csi4j.node.NodeVolumeOptions;
import io.csi4j.node.NodeVolumesBuilder;
import io.csi4j.node.VolumeMounter;
import io.csi4j.registry.ClientSettings;
import io.csi4j.registry.ConnectionOptions;
import io.csi4j.registry.PluginRegistration;
import io.csi4j.registry.RestartPolicy;
import io.csi4j.registry.StopPolicy;
import io.csi4j.registry.SupervisorListener;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Builds a {@link NodeAgent}. Not safe for use by several threads. */
public final class NodeAgentBuilder {
    private static final String NAME = "NodeAgent";

    final NodeId nodeId;
    final Path directory;
    private List<Endpoint> servers = List.of();
    private @Nullable Endpoint listen;
    private @Nullable Environment environment;
    PeerRules rules = PeerRules.byUri();
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
    int maxInboundMessageSize = WireCommons.DEFAULT_MAX_INBOUND_MESSAGE_SIZE;

    NodeAgentBuilder(NodeId nodeId, Path directory) {
        this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
        this.directory = Objects.requireNonNull(directory, "directory");
    }

    /**
     * Sets the servers: one is talked to, and the next when that one does not answer. Required.
     *
     * @param endpoints where {@link AgentServer}s listen; at least one. Of {@link Endpoint#remote}, the certificates
     *     have to be servers'
     * @return this
     * @throws IllegalArgumentException if there is none
     */
    public NodeAgentBuilder servers(List<Endpoint> endpoints) {
        Objects.requireNonNull(endpoints, "endpoints");
        if (endpoints.isEmpty()) {
            throw new IllegalArgumentException("servers: there is none; name at least one");
        }
        this.servers = List.copyOf(endpoints);
        return this;
    }

    /**
     * Sets where servers reach this agent. Required.
     *
     * @param endpoint a Unix socket, in a directory that only the host's user may enter; {@link Endpoint#remote} with
     *     {@code trustedCertificates} and {@code clientCertificate}, which is shown here as that of the node; or a
     *     loopback address, where every user of this machine is taken for a server
     * @return this
     */
    public NodeAgentBuilder listen(Endpoint endpoint) {
        this.listen = Objects.requireNonNull(endpoint, "endpoint");
        return this;
    }

    /**
     * Sets time, threads and randomness.
     *
     * @param environment the host closes it, after the agent. If not set, the agent has its own {@link Environment#system()} and
     *     closes it with itself
     * @return this
     */
    public NodeAgentBuilder environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /**
     * Sets whose certificates are whose.
     *
     * @param rules {@link PeerRules#byUri()} if not set
     * @return this
     */
    public NodeAgentBuilder peers(PeerRules rules) {
        this.rules = Objects.requireNonNull(rules, "rules");
        return this;
    }

    /**
     * Sets how often the servers are told of plugins that have not changed.
     *
     * @param interval a minute if not set; at least a second
     * @return this
     */
    public NodeAgentBuilder fingerprintInterval(Duration interval) {
        this.fingerprintInterval = Objects.requireNonNull(interval, "interval");
        return this;
    }

    /**
     * Sets how plugins are probed.
     *
     * @param options {@link ConnectionOptions#ofDefaults()} if not set
     * @return this
     */
    public NodeAgentBuilder connections(ConnectionOptions options) {
        this.connections = Objects.requireNonNull(options, "options");
        return this;
    }

    /**
     * Sets how single plugins are probed.
     *
     * @param options see {@link io.csi4j.registry.PluginRegistryBuilder#optionsOf}; those of all if not set
     * @return this
     */
    public NodeAgentBuilder connectionsOf(Function<PluginRegistration, ConnectionOptions> options) {
        this.connectionsOf = Objects.requireNonNull(options, "options");
        return this;
    }

    /**
     * Sets how all plugins are called.
     *
     * @param settings changes the settings of each client, for example its retries; none if not set
     * @return this
     */
    public NodeAgentBuilder clients(UnaryOperator<CsiClient.Builder> settings) {
        Objects.requireNonNull(settings, "settings");
        return clientsOf((instance, client) -> settings.apply(client));
    }

    /**
     * Sets how single plugins are called. Takes the place of {@link #clients}.
     *
     * @param settings changes the settings of the client of an instance, for example its rules; none if not set
     * @return this
     */
    public NodeAgentBuilder clientsOf(ClientSettings settings) {
        this.clients = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Sets what is done when the last node plugin is to go that volumes of this node need; see {@link
     * NodeAgent#pluginStopping}.
     *
     * @param policy {@link StopPolicy#WARN} if not set
     * @return this
     */
    public NodeAgentBuilder stopPolicy(StopPolicy policy) {
        this.stopPolicy = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /**
     * Sets when plugins should be started anew, and who is told.
     *
     * @param policy when; {@link RestartPolicy#ofDefaults()} if not set
     * @param listener is told of the health of plugins' tasks; nobody if not set
     * @return this
     */
    public NodeAgentBuilder pluginTasks(RestartPolicy policy, SupervisorListener listener) {
        this.restarts = Objects.requireNonNull(policy, "policy");
        this.pluginListener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Sets what mounts and unmounts volumes, in place of {@link io.csi4j.node.NodeVolumes}.
     *
     * @param factory {@link NodeVolumesBuilder#build} if not set. It gets a builder with the settings of this agent, so it
     *     can wrap the standard mounter
     * @return this
     */
    public NodeAgentBuilder volumeMounter(VolumeMounter.Factory factory) {
        this.mounter = Objects.requireNonNull(factory, "factory");
        return this;
    }

    /**
     * Sets limits and policies of mounts.
     *
     * @param options {@link NodeVolumeOptions#defaults()} if not set
     * @return this
     */
    public NodeAgentBuilder volumeOptions(NodeVolumeOptions options) {
        this.volumeOptions = Objects.requireNonNull(options, "options");
        return this;
    }

    /**
     * Sets who hears of mounts.
     *
     * @param listener nobody if not set
     * @return this
     */
    public NodeAgentBuilder volumeListener(NodeVolumeListener listener) {
        this.volumeListener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Sets where secrets come from when a mount is made again after a restart.
     *
     * @param provider {@link MountSecretsProvider#none()} if not set
     * @return this
     */
    public NodeAgentBuilder secrets(MountSecretsProvider provider) {
        this.secrets = Objects.requireNonNull(provider, "provider");
        return this;
    }

    /**
     * Sets where mounts are looked up.
     *
     * @param table {@link MountTable#ofLinux()} if not set
     * @return this
     */
    public NodeAgentBuilder mountTable(MountTable table) {
        this.mountTable = Objects.requireNonNull(table, "table");
        return this;
    }

    /**
     * Sets the largest message to accept of servers: their calls, and their answers. Messages hold what plugins ask and answer, and a little more: whoever
     * raises {@link io.csi4j.client.CsiClient.Builder#maxInboundMessageSize} for plugins that do not page their lists
     * raises this too. Who sends more is told the sizes and the name of this setting.
     *
     * @param bytes 16 MiB if not set; at least 1
     * @return this
     * @throws IllegalArgumentException if the number is zero or negative
     */
    public NodeAgentBuilder maxInboundMessageSize(int bytes) {
        this.maxInboundMessageSize = WireCommons.checkedMessageSize(bytes);
        return this;
    }

    List<Endpoint> servers() {
        if (servers.isEmpty()) {
            throw new IllegalStateException(NAME + ": servers is not set; it has no default");
        }
        return servers;
    }

    Endpoint listen() {
        return required(NAME, "listen", listen);
    }

    /** The host's environment, or nothing if the agent makes its own. */
    Optional<Environment> environment() {
        return Optional.ofNullable(environment);
    }

    /**
     * Reads what an earlier process left, begins to look for plugins, and serves. Blocks on the disk, briefly.
     *
     * @return an agent at work; the host closes it
     * @throws IllegalStateException if something required was not set
     * @throws IllegalArgumentException if the directory's path is too long or relative, or certificates cannot be used
     * @throws io.csi4j.node.NodeVolumeException if another process uses the directory
     * @throws io.csi4j.registry.PluginStoreException if what was kept of plugins cannot be read
     * @throws IOException if the directory cannot be used, or it cannot be listened at the place
     */
    public NodeAgent start() throws IOException {
        return new AgentStart(this).start();
    }
}
