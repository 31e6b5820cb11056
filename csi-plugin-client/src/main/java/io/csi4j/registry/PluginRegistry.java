package io.csi4j.registry;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.registry.instance.InstanceFacts;
import io.csi4j.registry.instance.PluginRegistration;
import io.csi4j.registry.instance.PluginRole;
import io.csi4j.registry.instance.StoredPlugins;
import io.csi4j.registry.internal.connection.RegistryEnvironment;
import io.csi4j.registry.internal.connection.SocketPoller;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The instances of plugins on one node. Safe for use by many threads.
 *
 * <p>Each instance has one {@link PluginConnection}, which probes it and finds it again after a restart. Of several
 * instances of a plugin the newest leads; while it is not ready, an older one that is takes its place. Registering
 * an instance again changes its definition and not its place. What is registered outlives the host.
 *
 * <p>Reading never waits. No listener, store or plugin delays another: each has its own serial executor, and no lock is
 * held while it runs.
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
        // What was rebuilt is in no file yet.
        this.store = new RegistryStore(
                parts.store(),
                instances::kept,
                parts.environment(),
                stored.problem().isEmpty() ? 1 : 0);
        instances.picture().instances().forEach(each -> each.connection().start(poller));
        if (stored.problem().isPresent()) {
            var unused = store.keep(instances.listVersion());
        }
    }

    /**
     * A builder of a registry.
     *
     * @param nodeId the node it is for
     * @return a new builder
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
     * Registers an instance, or changes the definition of one. It is connected from now on, and need not run yet.
     *
     * @param registration which instance, and where
     * @return what came of it, when it is stored; exceptionally, with a {@link PluginStoreException}, if it could not
     *     be: the instance is registered all the same, and storing it is tried again
     * @throws IllegalArgumentException if the instance is on another node, or its socket is another instance's
     * @throws IllegalStateException if the registry is closed
     */
    public CompletableFuture<Registered> register(PluginRegistration registration) {
        Objects.requireNonNull(registration, "registration");
        InstanceKey key = registration.key();
        RegistrySnapshot before = picture();
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
        ended(change);
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
     * Forgets an instance. Does nothing if it is not registered.
     *
     * @param key which instance
     * @return whether it was registered, when that is stored; exceptionally, with a {@link PluginStoreException}, if
     *     it could not be: the instance is forgotten all the same, and storing that is tried again; with a {@link
     *     PluginInUseException} if volumes need it and the {@link StopPolicy} says to refuse: nothing has changed then
     */
    public CompletableFuture<Boolean> deregister(InstanceKey key) {
        Optional<PluginInUseException> objection =
                parts.stopGuard().objection(picture(), Objects.requireNonNull(key, "key"));
        return objection.isPresent() ? CompletableFuture.failedFuture(objection.get()) : forget(key);
    }

    /**
     * As {@link #deregister}, whatever needs it: for an instance that has ended and will not come back. What needs it
     * is named in a warning in the log.
     *
     * @param key which instance
     * @return as {@link #deregister}, without the refusal
     */
    public CompletableFuture<Boolean> deregisterAnyway(InstanceKey key) {
        parts.stopGuard().goes(picture(), Objects.requireNonNull(key, "key"));
        return forget(key);
    }

    /** Before a plugin is stopped: whether it may be. */
    Optional<PluginInUseException> objectionToStopping(InstanceKey key) {
        return parts.stopGuard().objection(picture(), key);
    }

    private CompletableFuture<Boolean> forget(InstanceKey key) {
        Optional<InstanceList.Change> change = instances.remove(key);
        if (change.isEmpty()) {
            return CompletableFuture.completedFuture(false);
        }
        ended(change.get());
        changed();
        return store.keep(change.get().version()).thenApply(kept -> true);
    }

    private static void ended(InstanceList.Change change) {
        PluginConnection ended = change.ended();
        if (ended != null) {
            ended.close();
        }
    }

    private void changed() {
        RegistrySnapshot now = picture();
        waits.forEach(wait -> wait.check(now));
        subscribers.forEach(Subscriber::nudge);
    }

    /**
     * All instances as they are.
     *
     * @return the newest picture
     */
    public RegistrySnapshot picture() {
        return instances.picture();
    }

    /**
     * Has the instance that leads a plugin's node service asked anew how many volumes the node can take and where it is
     * (NodeGetInfo, R93); see {@link PluginConnection#refreshNodeInfo}. What it tells goes into the next fingerprint, at
     * once.
     *
     * @param pluginId the plugin
     * @return completes once it was asked; fails with UNAVAILABLE if no instance is ready
     */
    public CompletableFuture<@Nullable Void> refreshNodeInfo(PluginId pluginId) {
        return picture()
                .leader(PluginRole.NODE, Objects.requireNonNull(pluginId, "pluginId"))
                .map(leader -> leader.connection().refreshNodeInfo())
                .orElseGet(() -> CompletableFuture.failedFuture(new CsiCallException(
                        Rpc.NODE_GET_INFO,
                        pluginId.value(),
                        null,
                        StatusCode.UNAVAILABLE,
                        CallOutcome.of(Rpc.NODE_GET_INFO, StatusCode.UNAVAILABLE, false),
                        "NodeGetInfo was not sent: plugin " + pluginId + " has no instance on node "
                                + picture().nodeId() + " that is ready",
                        null)));
    }

    /**
     * Says that all plugins that run on the node are registered, after the store had lost them. Until then a {@link
     * Fingerprinter} says nothing, because what is missing in what it says counts as stopped. It is kept like what is
     * registered: until it is said, the same holds after each restart of the host.
     */
    public void confirmComplete() {
        long version = instances.confirmComplete();
        changed();
        var unused = store.keep(version);
    }

    /**
     * Waits until a plugin can be called in a role. Cancelling the future ends the waiting.
     *
     * @param role the role
     * @param pluginId the plugin; it need not be registered yet
     * @param timeout how long to wait
     * @return the instance that leads then; exceptionally, with a {@link PluginNotReadyException} that says what is
     *     the matter, if none is ready in time or the registry is closed. Stages that depend on it run on the
     *     registry's executor
     */
    public CompletableFuture<RegisteredPlugin> waitForHealthy(PluginRole role, PluginId pluginId, Duration timeout) {
        HealthyWait wait = new HealthyWait(
                Objects.requireNonNull(role, "role"),
                Objects.requireNonNull(pluginId, "pluginId"),
                Objects.requireNonNull(timeout, "timeout"),
                parts.environment());
        waits.add(wait);
        CompletableFuture<RegisteredPlugin> future = wait.begin(this, () -> waits.remove(wait));
        // After it was added: a change that comes now finds it, one that came before is in the picture.
        if (instances.isClosed()) {
            wait.close();
        } else {
            wait.check(picture());
        }
        return future;
    }

    /**
     * Tells a listener of the instances: all of them at once, and from then on what changes.
     *
     * @param listener is called on the registry's executor; one that blocks misses what comes and goes meanwhile,
     *     and holds up nobody
     * @return ends it; a call that has begun goes on
     */
    public Cancellable subscribe(PluginListener listener) {
        Subscriber subscriber =
                new Subscriber(parts.environment(), Objects.requireNonNull(listener, "listener"), this::picture);
        subscribers.add(subscriber);
        subscriber.nudge();
        return () -> {
            subscribers.remove(subscriber);
            subscriber.cancel();
        };
    }

    /** Time, threads and randomness; the supervisor and the fingerprinter of this registry use them too. */
    RegistryEnvironment environment() {
        return parts.environment();
    }

    /**
     * Ends all connections, in the background, and all waiting. The plugins go on, and what is stored stays: the next registry begins with it.
     * Wait for what {@link #register} and {@link #deregister} returned before another registry opens the same store.
     * Does nothing the second time.
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
        RegistrySnapshot now = picture();
        return "PluginRegistry[node " + now.nodeId() + ", " + now.instances() + "]";
    }
}
