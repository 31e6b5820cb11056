package io.csi4j.client.registry;

import io.csi4j.client.registry.instance.InstanceFacts;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.client.registry.instance.StoredPlugins;
import io.csi4j.client.registry.internal.connection.RegistryEnvironment;
import io.csi4j.client.registry.internal.connection.SocketPoller;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.spi.Cancellable;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The plugin instances of one node. Thread-safe.
 *
 * <p>Each instance has one {@link PluginConnection}, which probes it and reconnects after a restart. The newest ready
 * instance of a plugin is the leader. Registering an instance again changes its definition, but does not make it the
 * newest instance. Registrations survive a restart of the host.
 *
 * <p>Reading never blocks. A slow listener, store or plugin does not delay the others: each has its own serial executor, and no lock is
 * held while its code runs.
 */
public final class PluginRegistry implements AutoCloseable {
    private final RegistryParts parts;
    private final InstanceList instances;
    private final RegistryStore store;
    private final SocketPoller poller;
    private final Set<Subscriber> subscribers = ConcurrentHashMap.newKeySet();
    private final Set<HealthyWait> waits = ConcurrentHashMap.newKeySet();

    PluginRegistry(RegistryParts parts, NodeId nodeId, StoredPlugins stored) {
        this.parts = parts;
        this.poller = parts.poller();
        this.instances = new InstanceList(
                nodeId,
                stored.plugins().stream()
                        .map(each -> new InstanceList.Entry(
                                each.registration(),
                                each.registeredAt(),
                                connect(each.registration(), Optional.empty())))
                        .toList(),
                stored.problem());
        // Saves the list again if it has a problem: such a list was restored, and the store may not have it yet.
        this.store = new RegistryStore(
                parts.store(),
                instances::kept,
                parts.environment(),
                stored.problem().isEmpty() ? 1 : 0);
        instances.snapshot().instances().forEach(each -> each.connection().start(poller));
        if (stored.problem().isPresent()) {
            var unused = store.keep(instances.listVersion());
        }
    }

    /**
     * Returns a builder of a registry.
     *
     * @param nodeId the node of the registry
     */
    public static PluginRegistryBuilder builder(NodeId nodeId) {
        Objects.requireNonNull(nodeId, "nodeId");
        return new PluginRegistryBuilder(nodeId);
    }

    private PluginConnection connect(PluginRegistration registration, Optional<InstanceFacts> known) {
        return parts.factory().connect(registration, known, snapshot -> {
            instances.refresh();
            changed();
        });
    }

    /**
     * Registers an instance, or changes its definition. The registry connects to the instance from now on; the instance need not run yet.
     *
     * @param registration the instance and its socket
     * @return the kind of change; completes when the change is stored. Fails with a {@link PluginStoreException} if the change could not be
     *     stored; the instance is registered nevertheless, and storing is retried
     * @throws IllegalArgumentException if the instance is on another node, or another instance has its socket
     * @throws IllegalStateException if the registry is closed
     */
    public CompletableFuture<Registered> register(PluginRegistration registration) {
        Objects.requireNonNull(registration, "registration");
        InstanceKey key = registration.key();
        RegistrySnapshot before = snapshot();
        if (!key.nodeId().equals(before.nodeId())) {
            throw new IllegalArgumentException("PluginRegistry: " + key + " is not on node " + before.nodeId()
                    + "; register it with the registry of its node");
        }
        Optional<RegisteredPlugin> there = before.instance(key);
        instances.mustBeFree(registration);
        if (there.filter(each -> each.registration().equals(registration)).isPresent()) {
            return store.keep(instances.listVersion()).thenApply(kept -> Registered.UNCHANGED);
        }
        PluginConnection fresh =
                connect(registration, there.flatMap(each -> each.snapshot().facts()));
        InstanceList.Change change = put(fresh);
        if (change.registered() == Registered.UNCHANGED) {
            fresh.close();
            return store.keep(change.version()).thenApply(kept -> Registered.UNCHANGED);
        }
        fresh.start(poller);
        PluginConnection replaced = change.ended();
        if (replaced != null) {
            replaced.close();
        }
        changed();
        return store.keep(change.version()).thenApply(kept -> change.registered());
    }

    private InstanceList.Change put(PluginConnection fresh) {
        try {
            return instances.put(fresh, parts.environment().clock().instant());
        } catch (IllegalStateException | IllegalArgumentException refused) {
            fresh.close();
            throw refused;
        }
    }

    /**
     * Removes an instance. Has no effect if it is not registered.
     *
     * @return whether the instance was registered; completes when the removal is stored. Fails with a {@link PluginStoreException} if the
     *     removal could not be stored; the instance is removed nevertheless, and storing is retried. Fails with a {@link
     *     PluginInUseException}, without a change, if volumes need the instance and the {@link StopPolicy} is to refuse
     */
    public CompletableFuture<Boolean> deregister(InstanceKey key) {
        Optional<PluginInUseException> objection =
                parts.stopGuard().objection(snapshot(), Objects.requireNonNull(key, "key"));
        return objection.isPresent() ? CompletableFuture.failedFuture(objection.get()) : forget(key);
    }

    /**
     * Removes an instance even if volumes need it. Call this method for an instance that has ended and will not return.
     * A warning in the log names the volumes.
     *
     * @return the result as for {@link #deregister}, but never a {@link PluginInUseException}
     */
    public CompletableFuture<Boolean> deregisterAnyway(InstanceKey key) {
        parts.stopGuard().goes(snapshot(), Objects.requireNonNull(key, "key"));
        return forget(key);
    }

    /** Returns the exception for an instance that must not be stopped now; empty if it may be stopped. */
    Optional<PluginInUseException> objectionToStopping(InstanceKey key) {
        return parts.stopGuard().objection(snapshot(), key);
    }

    private CompletableFuture<Boolean> forget(InstanceKey key) {
        Optional<InstanceList.Removal> removal = instances.remove(key);
        if (removal.isEmpty()) {
            return CompletableFuture.completedFuture(false);
        }
        removal.get().ended().close();
        changed();
        return store.keep(removal.get().version()).thenApply(kept -> true);
    }

    private void changed() {
        RegistrySnapshot now = snapshot();
        waits.forEach(wait -> wait.check(now));
        subscribers.forEach(Subscriber::nudge);
    }

    /** Returns the newest snapshot of all instances. */
    public RegistrySnapshot snapshot() {
        return instances.snapshot();
    }

    /**
     * Queries the volume limit and the topology of the node from the leader of a plugin's node service (NodeGetInfo,
     * R93); see {@link PluginConnection#refreshNodeInfo}. A fingerprint with the new values is sent at once.
     *
     * @return completes when the response has arrived; fails with UNAVAILABLE if no instance is ready
     */
    public CompletableFuture<@Nullable Void> refreshNodeInfo(PluginId pluginId) {
        return leader(pluginId, Rpc.NODE_GET_INFO, PluginConnection::refreshNodeInfo);
    }

    /**
     * Asks the leader of a plugin's node service for the plugin's name and version (GetPluginInfo, R37). Each call asks
     * the plugin.
     *
     * @return the response; fails with UNAVAILABLE if no instance is ready
     */
    public CompletableFuture<GetPluginInfoResponse> pluginInfo(PluginId pluginId) {
        return leader(pluginId, Rpc.GET_PLUGIN_INFO, PluginConnection::pluginInfo);
    }

    private <R extends @Nullable Object> CompletableFuture<R> leader(
            PluginId pluginId, Rpc rpc, Function<PluginConnection, CompletableFuture<R>> call) {
        return snapshot()
                .leader(PluginRole.NODE, Objects.requireNonNull(pluginId, "pluginId"))
                .map(leader -> call.apply(leader.connection()))
                .orElseGet(() -> CompletableFuture.failedFuture(new CsiCallException(
                        rpc,
                        pluginId.value(),
                        null,
                        StatusCode.UNAVAILABLE,
                        CallOutcome.of(rpc, StatusCode.UNAVAILABLE, false),
                        rpc.csiName() + " was not sent: plugin " + pluginId + " has no instance on node "
                                + snapshot().nodeId() + " that is ready",
                        null)));
    }

    /**
     * Confirms that the list of instances is complete. Call this method after the stored list was lost and all plugins
     * that run on the node were registered again. Until this confirmation a {@link Fingerprinter} sends nothing,
     * because the host would take a missing instance for a stopped one. The store keeps a list marked as incomplete
     * until then, also over restarts of the host.
     */
    public void confirmComplete() {
        long version = instances.confirmComplete();
        changed();
        var unused = store.keep(version);
    }

    /**
     * Waits until a plugin can be called in a role. Cancelling the future ends the waiting.
     *
     * @param pluginId the plugin; it need not be registered yet
     * @param timeout the longest time to wait
     * @return completes with the leader. Fails with a {@link PluginNotReadyException}, which has the reason, if no
     *     instance is ready in time or the registry is closed. Dependent stages run on the registry's executor
     */
    public CompletableFuture<RegisteredPlugin> waitForHealthy(PluginRole role, PluginId pluginId, Duration timeout) {
        HealthyWait wait = new HealthyWait(
                Objects.requireNonNull(role, "role"),
                Objects.requireNonNull(pluginId, "pluginId"),
                Objects.requireNonNull(timeout, "timeout"),
                parts.environment());
        waits.add(wait);
        CompletableFuture<RegisteredPlugin> future = wait.begin(this, () -> waits.remove(wait));
        // Checks the snapshot only after the wait was added, so that no change is missed: the snapshot contains all
        // earlier changes, and the registry notifies the wait of each later one.
        if (instances.isClosed()) {
            wait.close();
        } else {
            wait.check(snapshot());
        }
        return future;
    }

    /**
     * Subscribes a listener to the instances: all of them at once, and then their changes.
     *
     * @param listener called on the registry's executor; a blocking listener misses intermediate snapshots and delays no other listener
     * @return an object that ends the subscription; a call of the listener that has begun continues
     */
    public Cancellable subscribe(PluginListener listener) {
        Subscriber subscriber =
                new Subscriber(parts.environment(), Objects.requireNonNull(listener, "listener"), this::snapshot);
        subscribers.add(subscriber);
        subscriber.nudge();
        return () -> {
            subscribers.remove(subscriber);
            subscriber.cancel();
        };
    }

    /** Returns the environment of this registry; the supervisor and the fingerprinter of the registry use it, too. */
    RegistryEnvironment environment() {
        return parts.environment();
    }

    /**
     * Closes all connections in the background and ends all waits. The plugins continue to run, and the stored list is kept for the next registry. Wait for the
     * futures of {@link #register} and {@link #deregister} before another registry opens the same store. Further calls have no effect.
     */
    @Override
    public void close() {
        parts.environment().closing();
        store.close();
        instances.close().forEach(PluginConnection::close);
        waits.forEach(HealthyWait::close);
        subscribers.forEach(Subscriber::cancel);
        subscribers.clear();
        parts.closing().run();
    }

    @Override
    public String toString() {
        RegistrySnapshot now = snapshot();
        return "PluginRegistry[node " + now.nodeId() + ", " + now.instances() + "]";
    }
}
