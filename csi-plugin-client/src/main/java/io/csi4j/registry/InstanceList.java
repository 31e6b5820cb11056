package io.csi4j.registry;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.registry.instance.PluginRegistration;
import io.csi4j.registry.instance.StoredPlugin;
import io.csi4j.registry.instance.StoredPlugins;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The instances of a registry, the newest first. Each method holds a lock for a short time and calls no foreign code.
 * The caller starts and closes connections after a change.
 */
final class InstanceList {
    private final NodeId nodeId;
    private final List<Entry> newestFirst = new ArrayList<>();
    /** Why instances may be missing, until somebody has confirmed that none is. */
    private Optional<String> problem;

    private boolean closed;
    /** When the newest came that there ever was: one that left and comes back is another one. */
    private Instant newest;
    /** Of the picture that showed the last instance come, go or be replaced, or the list confirmed. */
    private long listVersion = 1;

    private volatile RegistrySnapshot picture;

    /** One instance. */
    record Entry(PluginRegistration registration, Instant registeredAt, PluginConnection connection) {
        RegisteredPlugin now() {
            return new RegisteredPlugin(registration, registeredAt, connection.snapshot(), connection);
        }
    }

    /**
     * What a change came to.
     *
     * @param registered how
     * @param version of the picture that shows it
     * @param ended what has to be closed, or null
     */
    record Change(
            Registered registered, long version, @Nullable PluginConnection ended) {}

    InstanceList(NodeId nodeId, List<Entry> restored, Optional<String> problem) {
        this.nodeId = nodeId;
        this.newestFirst.addAll(restored);
        this.problem = problem;
        this.newest = restored.isEmpty() ? Instant.MIN : restored.get(0).registeredAt();
        this.picture = new RegistrySnapshot(
                nodeId, 1, restored.stream().map(Entry::now).toList(), problem.isEmpty());
    }

    RegistrySnapshot picture() {
        return picture;
    }

    /**
     * Each instance has a socket of its own.
     *
     * @throws IllegalArgumentException if the socket is another instance's
     */
    synchronized void mustBeFree(PluginRegistration registration) {
        Path socket = registration.socket().normalize();
        for (Entry each : newestFirst) {
            InstanceKey other = each.registration().key();
            if (!other.equals(registration.key())
                    && each.registration().socket().normalize().equals(socket)) {
                throw new IllegalArgumentException("PluginRegistry: the socket " + registration.socket() + " of "
                        + registration.key() + " is that of " + other + "; give each instance its own");
            }
        }
    }

    /**
     * Adds or replaces; {@code fresh} has to be closed by the caller if the instance is known as it is, or refused.
     *
     * @throws IllegalArgumentException if its socket is another instance's
     */
    synchronized Change put(PluginConnection fresh, Instant now) {
        if (closed) {
            throw new IllegalStateException("the plugin registry of node " + nodeId + " is closed");
        }
        // Again, and under the lock: another instance may have come while the connection was made.
        mustBeFree(fresh.registration());
        int place = place(fresh.registration().key());
        if (place < 0) {
            newestFirst.add(0, new Entry(fresh.registration(), later(now), fresh));
            return new Change(Registered.ADDED, publishList(), null);
        }
        Entry before = newestFirst.get(place);
        if (before.registration().equals(fresh.registration())) {
            return new Change(Registered.UNCHANGED, listVersion, null);
        }
        newestFirst.set(place, new Entry(fresh.registration(), before.registeredAt(), fresh));
        return new Change(Registered.REPLACED, publishList(), before.connection());
    }

    /** The times of registration are the order of the instances, whatever the clock does. */
    private Instant later(Instant now) {
        newest = now.isAfter(newest) ? now : newest.plusNanos(1);
        return newest;
    }

    private int place(InstanceKey key) {
        for (int i = 0; i < newestFirst.size(); i++) {
            if (newestFirst.get(i).registration().key().equals(key)) {
                return i;
            }
        }
        return -1;
    }

    /** Empty if it was not there. */
    synchronized Optional<Change> remove(InstanceKey key) {
        int place = place(key);
        if (place < 0 || closed) {
            return Optional.empty();
        }
        Entry removed = newestFirst.remove(place);
        return Optional.of(new Change(Registered.UNCHANGED, publishList(), removed.connection()));
    }

    /** The version of the list that says so, which is one to be kept. */
    synchronized long confirmComplete() {
        if (problem.isPresent()) {
            problem = Optional.empty();
            publishList();
        }
        return listVersion;
    }

    /** A connection may have a new snapshot. */
    synchronized void refresh() {
        if (!closed && !current().equals(picture.instances())) {
            publish();
        }
    }

    private List<RegisteredPlugin> current() {
        return newestFirst.stream().map(Entry::now).toList();
    }

    /** Which version shows the list as it is. */
    synchronized long listVersion() {
        return listVersion;
    }

    private long publishList() {
        listVersion = publish();
        return listVersion;
    }

    private long publish() {
        long version = picture.version() + 1;
        picture = new RegistrySnapshot(nodeId, version, current(), problem.isEmpty());
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
