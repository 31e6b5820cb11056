package io.csi4j.client.registry;

import io.csi4j.client.CsiClient;
import io.csi4j.client.internal.file.UnusableFileException;
import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.StoredPlugin;
import io.csi4j.client.registry.instance.StoredPlugins;
import io.csi4j.client.registry.internal.connection.CapabilityCache;
import io.csi4j.client.registry.internal.connection.ConnectionRules;
import io.csi4j.client.registry.internal.connection.RegistryEnvironment;
import io.csi4j.client.registry.internal.connection.RpcQuestions;
import io.csi4j.client.registry.internal.connection.SocketPoller;
import io.csi4j.client.registry.internal.store.PluginRecords;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.proto.file.v1.FileProto;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** A registry with virtual time, scripted plugins at its socket paths, and a store that keeps encoded lists. */
final class RegistryWorld implements AutoCloseable {
    static final NodeId NODE = NodeId.of("node-1");

    final VirtualTime time = VirtualTime.inOrder();
    final HostThreads threads = new HostThreads(time);
    final RegistryEnvironment environment;
    final Map<Path, ScriptedPlugin> plugins = new HashMap<>();
    final MessageStore store = new MessageStore();
    private final CsiClient client = ScriptedPlugin.unused();
    private final ConnectionOptions options;
    private final StopGuard stopGuard;
    /** Code that runs while a connection is created. */
    Consumer<PluginRegistration> connecting = registration -> {};

    PluginRegistry registry;

    /** A store that keeps the same encoded list as a file would. */
    static final class MessageStore implements PluginStateStore {
        FileProto.PluginList list = PluginRecords.encode(StoredPlugins.all(List.of()));
        Optional<String> problem = Optional.empty();
        boolean broken;
        int saves;
        Runnable saving = () -> {};

        @Override
        public StoredPlugins load() {
            return problem.isEmpty() ? kept() : new StoredPlugins(stored(), problem);
        }

        List<StoredPlugin> stored() {
            return kept().plugins();
        }

        private StoredPlugins kept() {
            try {
                return PluginRecords.decode(list);
            } catch (UnusableFileException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void save(StoredPlugins all) {
            saves++;
            Runnable first = saving;
            saving = () -> {};
            first.run();
            if (broken) {
                throw new PluginStoreException("the disk is full", null);
            }
            list = PluginRecords.encode(all);
        }
    }

    RegistryWorld(long seed) {
        this(seed, ConnectionOptions.ofDefaults());
    }

    RegistryWorld(long seed, ConnectionOptions options) {
        this(seed, options, new StopGuard(PluginUse.unknown(), StopPolicy.WARN));
    }

    RegistryWorld(long seed, ConnectionOptions options, StopGuard stopGuard) {
        this.stopGuard = stopGuard;
        this.environment = threads.environment(seed);
        this.options = options;
        this.registry = open();
    }

    private PluginRegistry open() {
        CapabilityCache cache = new CapabilityCache(() -> time.elapsed().toNanos());
        ConnectionFactory factory = (registration, known, listener) -> {
            connecting.accept(registration);
            return new PluginConnection(
                    new ConnectionSetup(
                            registration,
                            client,
                            new RpcQuestions(
                                    at(registration.socket()).services(),
                                    registration.key().type(),
                                    cache),
                            new ConnectionRules(options),
                            environment),
                    known,
                    listener);
        };
        SocketPoller query = new SocketPoller(environment, options.socketPollInterval(), path -> at(path).socket);
        return new PluginRegistry(
                new RegistryParts(environment, store, factory, query, stopGuard, () -> {}), NODE, store.load());
    }

    /** Restarts the host; the plugins continue to run. */
    void restartHost() {
        registry.close();
        time.run();
        registry = open();
        time.run();
    }

    ScriptedPlugin at(Path socket) {
        return plugins.computeIfAbsent(socket, unused -> new ScriptedPlugin(time));
    }

    static InstanceKey key(String plugin, PluginType type, String allocation) {
        return new InstanceKey(NODE, PluginId.of(plugin), type, Optional.of(AllocationId.of(allocation)));
    }

    static PluginRegistration registration(InstanceKey key, int socket) {
        return PluginRegistration.of(
                key, Path.of("/run/" + key.pluginId() + "-" + key.allocationId().orElseThrow() + "-" + socket));
    }

    /** Registers an instance whose plugin listens, and lets it become ready. */
    InstanceKey ready(String plugin, PluginType type, String allocation) {
        InstanceKey key = key(plugin, type, allocation);
        PluginRegistration registration = registration(key, 0);
        at(registration.socket()).listen();
        var unused = registry.register(registration);
        time.advance(Duration.ofSeconds(1));
        return key;
    }

    ScriptedPlugin pluginOf(InstanceKey key) {
        return at(registry.snapshot().instance(key).orElseThrow().registration().socket());
    }

    @Override
    public void close() {
        registry.close();
        time.run();
        client.close();
    }
}
