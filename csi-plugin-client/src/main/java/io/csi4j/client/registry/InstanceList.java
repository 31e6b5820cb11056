package io.csi4j.client.registry;

import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.StoredPlugin;
import io.csi4j.client.registry.instance.StoredPlugins;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.InstanceKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The instances of a registry, newest first. Each method holds the lock only for a short time, and calls no code of the host under the
 * lock. The caller starts and closes connections after a change.
 */
final class InstanceList {
    private final NodeId nodeId;
    private final List<Entry> newestFirst = new ArrayList<>();
    /** The reason why instances may be missing, until the host has confirmed that the list is complete. */
    private Optional<String> problem;

    private boolean closed;
    /** The latest registration time so far. An instance that is removed and registered again gets a later time. */
    private Instant newest;
    /**
     * The version of the snapshot in which the list last changed. The list changes when an instance is added, removed
     * or replaced, or when the list is confirmed as complete; other snapshots change only the state of instances.
     */
    private long listVersion = 1;

    private volatile RegistrySnapshot snapshot;

    /** One registered instance with its connection. */
    record Entry(PluginRegistration registration, Instant registeredAt, PluginConnection connection) {
        RegisteredPlugin now() {
            return new RegisteredPlugin(registration, registeredAt, connection.snapshot(), connection);
        }
    }

    /**
     * The result of a registration.
     *
     * @param registered the kind of change
     * @param version the version of the first snapshot with the change
     * @param ended the connection to close, or null
     */
    record Change(
            Registered registered, long version, @Nullable PluginConnection ended) {}

    /**
     * The removal of an instance.
     *
     * @param version the version of the first snapshot without the instance
     * @param ended the connection to close
     */
    record Removal(long version, PluginConnection ended) {}

    InstanceList(NodeId nodeId, List<Entry> restored, Optional<String> problem) {
        this.nodeId = nodeId;
        this.newestFirst.addAll(restored);
        this.problem = problem;
        this.newest = restored.isEmpty() ? Instant.MIN : restored.get(0).registeredAt();
        this.snapshot = new RegistrySnapshot(
                nodeId, 1, restored.stream().map(Entry::now).toList(), problem.isEmpty());
    }

    RegistrySnapshot snapshot() {
        return snapshot;
    }

    /**
     * Checks that no other instance has the same socket.
     *
     * @throws IllegalArgumentException if another instance has the socket
     */
    synchronized void mustBeFree(PluginRegistration registration) {
        Endpoint endpoint = normalized(registration.endpoint());
        for (Entry each : newestFirst) {
            InstanceKey other = each.registration().key();
            if (!other.equals(registration.key())
                    && normalized(each.registration().endpoint()).equals(endpoint)) {
                throw new IllegalArgumentException("PluginRegistry: the socket " + registration.endpoint() + " of "
                        + registration.key() + " is that of " + other + "; give each instance its own");
            }
        }
    }

    private static Endpoint normalized(Endpoint endpoint) {
        Endpoint normalized =
                endpoint.path().map(path -> Endpoint.unix(path.normalize())).orElse(endpoint);
        return endpoint.owner().map(normalized::ownedBy).orElse(normalized);
    }

    /**
     * Adds or replaces an instance. The caller closes {@code fresh} if the instance is unchanged or rejected.
     *
     * @throws IllegalArgumentException if another instance has the socket
     */
    synchronized Change put(PluginConnection fresh, Instant now) {
        if (closed) {
            throw new IllegalStateException("the plugin registry of node " + nodeId + " is closed");
        }
        // Checked again under the lock: another instance may have been added while the connection was created.
        mustBeFree(fresh.registration());
        int position = position(fresh.registration().key());
        if (position < 0) {
            newestFirst.add(0, new Entry(fresh.registration(), later(now), fresh));
            return new Change(Registered.ADDED, publishList(), null);
        }
        Entry before = newestFirst.get(position);
        if (before.registration().equals(fresh.registration())) {
            return new Change(Registered.UNCHANGED, listVersion, null);
        }
        newestFirst.set(position, new Entry(fresh.registration(), before.registeredAt(), fresh));
        return new Change(Registered.REPLACED, publishList(), before.connection());
    }

    /**
     * Returns a registration time that is later than all earlier ones, even if the clock was set back, because the instances are ordered by
     * these times.
     */
    private Instant later(Instant now) {
        newest = now.isAfter(newest) ? now : newest.plusNanos(1);
        return newest;
    }

    private int position(InstanceKey key) {
        for (int i = 0; i < newestFirst.size(); i++) {
            if (newestFirst.get(i).registration().key().equals(key)) {
                return i;
            }
        }
        return -1;
    }

    /** Removes an instance; returns empty if it is not registered. */
    synchronized Optional<Removal> remove(InstanceKey key) {
        int position = position(key);
        if (position < 0 || closed) {
            return Optional.empty();
        }
        Entry removed = newestFirst.remove(position);
        return Optional.of(new Removal(publishList(), removed.connection()));
    }

    /** Records that the list is complete. Returns the version of the list, which the caller saves to the store. */
    synchronized long confirmComplete() {
        if (problem.isPresent()) {
            problem = Optional.empty();
            publishList();
        }
        return listVersion;
    }

    /** Updates the snapshot of the registry after the snapshot of a connection has changed. */
    synchronized void refresh() {
        if (!closed && !current().equals(snapshot.instances())) {
            publish();
        }
    }

    private List<RegisteredPlugin> current() {
        return newestFirst.stream().map(Entry::now).toList();
    }

    /** Returns the version of the snapshot at the last change of the list. */
    synchronized long listVersion() {
        return listVersion;
    }

    private long publishList() {
        listVersion = publish();
        return listVersion;
    }

    private long publish() {
        long version = snapshot.version() + 1;
        snapshot = new RegistrySnapshot(nodeId, version, current(), problem.isEmpty());
        return version;
    }

    synchronized RegistryStore.Kept kept() {
        return new RegistryStore.Kept(
                listVersion,
                new StoredPlugins(
                        newestFirst.stream()
                                .map(each -> new StoredPlugin(each.registration(), each.registeredAt()))
                                .toList(),
                        problem));
    }

    synchronized boolean isClosed() {
        return closed;
    }

    synchronized List<PluginConnection> close() {
        if (closed) {
            return List.of();
        }
        closed = true;
        return newestFirst.stream().map(Entry::connection).toList();
    }
}
