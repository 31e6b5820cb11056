package io.csi4j.registry;

import io.csi4j.client.CsiClient;
import io.csi4j.client.Endpoint;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.Environment;
import io.csi4j.registry.instance.ConnectionOptions;
import io.csi4j.registry.instance.PluginRegistration;
import io.csi4j.registry.instance.StoredPlugin;
import io.csi4j.registry.instance.StoredPlugins;
import io.csi4j.registry.internal.connection.CapabilityCache;
import io.csi4j.registry.internal.connection.ConnectionRules;
import io.csi4j.registry.internal.connection.ElapsedTime;
import io.csi4j.registry.internal.connection.PluginQuestions;
import io.csi4j.registry.internal.connection.PluginServices;
import io.csi4j.registry.internal.connection.RegistryEnvironment;
import io.csi4j.registry.internal.connection.RpcQuestions;
import io.csi4j.registry.internal.connection.SocketFile;
import io.csi4j.registry.internal.connection.SocketPoller;
import java.lang.System.Logger;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Collects what a {@link PluginRegistry} needs. Not safe for use by several threads. */
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
     * Where to keep the instances over restarts of the host. Required.
     *
     * @param store for example {@link FilePluginStateStore#at}; the host closes it, if there is something to close
     * @return this
     */
    public PluginRegistryBuilder store(PluginStateStore store) {
        this.store = Objects.requireNonNull(store, "store");
        return this;
    }

    /**
     * Sets time, threads and randomness. Listeners run on its executor.
     *
     * @param environment the host closes it after the registry; if not set, an {@link Environment#system()} that ends with
     *     the registry
     * @return this
     */
    public PluginRegistryBuilder environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /**
     * Limits and intervals.
     *
     * @param options {@link ConnectionOptions#ofDefaults} unless set
     * @return this
     */
    public PluginRegistryBuilder options(ConnectionOptions options) {
        this.options = Objects.requireNonNull(options, "options");
        return this;
    }

    /**
     * Limits and intervals of single instances, for example a longer start-up limit for a plugin that is slow.
     *
     * @param optionsOf is asked once for each instance, with each registration that changes it, and after a restart
     *     of the host; what it does not care about, it answers with the options of all. The interval of looks at the
     *     sockets is that of {@link #options}: all are looked at in one go
     * @return this
     */
    public PluginRegistryBuilder optionsOf(Function<PluginRegistration, ConnectionOptions> optionsOf) {
        this.optionsOf = Objects.requireNonNull(optionsOf, "optionsOf");
        return this;
    }

    /**
     * What to do when the last node plugin that is ready is deregistered or to be stopped, and volumes need it.
     *
     * @param use which volumes need it; {@link PluginUse#unknown} unless set
     * @param policy what is done; {@link StopPolicy#WARN} unless set
     * @return this
     */
    public PluginRegistryBuilder leaving(PluginUse use, StopPolicy policy) {
        this.stopGuard = new StopGuard(Objects.requireNonNull(use, "use"), Objects.requireNonNull(policy, "policy"));
        return this;
    }

    /**
     * How instances are called.
     *
     * @param settings are asked once for each client; {@link ClientSettings#defaults} unless set
     * @return this
     */
    public PluginRegistryBuilder clients(ClientSettings settings) {
        this.clients = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Reads the store and begins to connect to what is in it. Blocks while the store reads.
     *
     * @return the registry; the caller closes it
     * @throws IllegalStateException if something required is not set
     * @throws PluginStoreException if the store cannot tell what was kept
     * @throws IllegalArgumentException if what was kept is another node's
     */
    public PluginRegistry open() {
        PluginStateStore from = set("store", store);
        StoredPlugins stored = from.load();
        stored.problem().ifPresent(problem -> LOG.log(Logger.Level.WARNING, problem));
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
            // The prober repeats in its own time, and asks for what an earlier process may not have had.
            PluginQuestions questions = new RpcQuestions(
                    PluginServices.of(client.withRetries(RetryOptions.none()).withCapabilities(Capabilities::unknown)),
                    registration.key().type(),
                    cache);
            ConnectionRules rules = new ConnectionRules(forEach.apply(registration));
            PluginConnection connection = new PluginConnection(
                    new ConnectionSetup(registration, client, questions, rules, ofRegistry), known, listener);
            capabilities.connect(connection);
            return connection;
        };
        SocketPoller poller = new SocketPoller(ofRegistry, options.lookInterval(), SocketFile::at);
        return new RegistryParts(ofRegistry, from, factory, poller, stopGuard, closing);
    }

    private static CsiClient client(
            PluginRegistration registration, LazyCapabilities capabilities, ClientSettings settings) {
        return settings.apply(
                        registration,
                        CsiClient.builder(Endpoint.unix(registration.socket()))
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
