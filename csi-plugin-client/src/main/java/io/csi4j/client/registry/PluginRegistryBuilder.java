package io.csi4j.client.registry;

import io.csi4j.client.CsiClient;
import io.csi4j.client.internal.transport.ElapsedTime;
import io.csi4j.client.internal.transport.SocketFile;
import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.StoredPlugin;
import io.csi4j.client.registry.instance.StoredPlugins;
import io.csi4j.client.registry.internal.connection.CapabilityCache;
import io.csi4j.client.registry.internal.connection.ConnectedServices;
import io.csi4j.client.registry.internal.connection.ConnectionRules;
import io.csi4j.client.registry.internal.connection.RegistryEnvironment;
import io.csi4j.client.registry.internal.connection.RpcQuestions;
import io.csi4j.client.registry.internal.connection.SocketPoller;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.Environment;
import java.lang.System.Logger;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Builds {@link PluginRegistry}s. Not thread-safe. */
public final class PluginRegistryBuilder {
    private static final Logger LOG = System.getLogger(PluginRegistry.class.getName());

    private final NodeId nodeId;
    private @Nullable PluginStateStore store;
    private @Nullable Environment environment;
    private ConnectionOptions options = ConnectionOptions.ofDefaults();
    private @Nullable Function<PluginRegistration, ConnectionOptions> optionsOf;
    private StopGuard stopGuard = new StopGuard(PluginUse.unknown(), StopPolicy.WARN);
    private ClientSettings clients = ClientSettings.defaults();

    PluginRegistryBuilder(NodeId nodeId) {
        this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
    }

    /**
     * Sets the store that keeps the instances over restarts of the host. Required.
     *
     * @param store for example {@link FilePluginStateStore#at}; the host closes it if necessary
     */
    public PluginRegistryBuilder store(PluginStateStore store) {
        this.store = Objects.requireNonNull(store, "store");
        return this;
    }

    /**
     * Sets the clock, the timer, the threads and the random numbers. Listeners run on its executor.
     *
     * @param environment the host's environment, which the host closes after the registry; if not set, an {@link Environment#system()}
     *     that ends with the registry
     */
    public PluginRegistryBuilder environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /** Sets the limits and intervals of connections. Default: {@link ConnectionOptions#ofDefaults}. */
    public PluginRegistryBuilder options(ConnectionOptions options) {
        this.options = Objects.requireNonNull(options, "options");
        return this;
    }

    /**
     * Sets the limits and intervals of individual instances, for example a longer start-up limit for a slow plugin.
     *
     * @param optionsOf returns the options of an instance. Called once for each instance, for each changed
     *     registration, and after a restart of the host. Default: the options of {@link #options}. The interval of
     *     socket checks always comes from {@link #options}, because all sockets are checked together
     */
    public PluginRegistryBuilder optionsOf(Function<PluginRegistration, ConnectionOptions> optionsOf) {
        this.optionsOf = Objects.requireNonNull(optionsOf, "optionsOf");
        return this;
    }

    /**
     * Sets the policy for the removal of the last ready node plugin that volumes need.
     *
     * @param use finds the volumes that need a plugin. Default: {@link PluginUse#unknown}
     * @param policy the policy. Default: {@link StopPolicy#WARN}
     */
    public PluginRegistryBuilder stopPolicy(PluginUse use, StopPolicy policy) {
        this.stopGuard = new StopGuard(Objects.requireNonNull(use, "use"), Objects.requireNonNull(policy, "policy"));
        return this;
    }

    /**
     * Sets the function that configures the clients of instances. Default: {@link ClientSettings#defaults}.
     *
     * @param settings the function; it is called once for each client
     */
    public PluginRegistryBuilder clients(ClientSettings settings) {
        this.clients = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Reads the store and starts to connect to its instances. Blocks while the store reads.
     *
     * @return the registry; the caller closes it
     * @throws IllegalStateException if a required part is not set
     * @throws PluginStoreException if the store cannot return the list
     * @throws IllegalArgumentException if the stored list is of another node
     */
    public PluginRegistry open() {
        PluginStateStore from = set("store", store);
        StoredPlugins stored = from.load();
        stored.problem()
                .ifPresent(problem ->
                        LOG.log(Logger.Level.WARNING, "The list of plugins may not be complete: " + problem));
        for (StoredPlugin each : stored.plugins()) {
            if (!each.registration().key().nodeId().equals(nodeId)) {
                throw new IllegalArgumentException("PluginRegistry: the store of node " + nodeId + " holds "
                        + each.registration().key() + "; each node needs a store of its own");
            }
        }
        Environment used = environment != null ? environment : Environment.system();
        Runnable closing = environment != null ? () -> {} : used::close;
        try {
            RegistryEnvironment ofRegistry = new RegistryEnvironment(used, ElapsedTime.system());
            return new PluginRegistry(parts(from, ofRegistry, closing), nodeId, stored);
        } catch (RuntimeException | Error e) {
            closing.run();
            throw e;
        }
    }

    private RegistryParts parts(PluginStateStore from, RegistryEnvironment ofRegistry, Runnable closing) {
        CapabilityCache cache = new CapabilityCache(ofRegistry.elapsed());
        ConnectionOptions forAll = options;
        Function<PluginRegistration, ConnectionOptions> forEach = optionsOf == null ? each -> forAll : optionsOf;
        ClientSettings settings = clients;
        ConnectionFactory factory = (registration, known, listener) -> {
            LazyCapabilities capabilities = new LazyCapabilities();
            CsiClient client = client(registration, capabilities, settings);
            // Turns off retries and capability checks of the client: the connection retries at its own rate, and a new
            // process may have RPCs that an earlier one did not have.
            RpcQuestions questions = new RpcQuestions(
                    ConnectedServices.of(
                            client.withRetries(RetryOptions.none()).withCapabilities(Capabilities::unknown)),
                    registration.key().type(),
                    cache);
            ConnectionRules rules = new ConnectionRules(forEach.apply(registration));
            PluginConnection connection = new PluginConnection(
                    new ConnectionSetup(registration, client, questions, rules, ofRegistry), known, listener);
            capabilities.connect(connection);
            return connection;
        };
        SocketPoller poller = new SocketPoller(ofRegistry, options.socketPollInterval(), SocketFile::at);
        return new RegistryParts(ofRegistry, from, factory, poller, stopGuard, closing);
    }

    private static CsiClient client(
            PluginRegistration registration, LazyCapabilities capabilities, ClientSettings settings) {
        return settings.apply(
                        registration,
                        CsiClient.builder(registration.endpoint())
                                .plugin(registration.key().pluginId().value())
                                .capabilities(capabilities))
                .build();
    }

    private static <T> T set(String part, @Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("PluginRegistryBuilder: " + part + " is not set; set it before open()");
        }
        return value;
    }
}
