package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.worker.PluginOnNode;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.state.Placement;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Volumes whose claims were admitted, and whose plugin then refused to publish them because the node was full. Each is
 * tried again after a while anyway; when room comes before that, the one that was refused first is tried at once. One
 * for each place that comes: more would only be refused again. Safe for use by many threads.
 */
public final class CapacityWaiters {
    private final Consumer<VolumeKey> tryNow;
    private final Map<PluginOnNode, Waiting> places = new HashMap<>();

    /** Who was refused there, the first of them first, and the limit that the state had then. */
    private static final class Waiting {
        private final Set<VolumeKey> volumes = new LinkedHashSet<>();
        private long limit;
    }

    /**
     * None yet.
     *
     * @param tryNow has a volume looked at without waiting for the time of its next attempt
     */
    public CapacityWaiters(Consumer<VolumeKey> tryNow) {
        this.tryNow = tryNow;
    }

    /** A volume was refused. */
    public synchronized void refused(StateReader state, PluginOnNode place, VolumeKey key) {
        Waiting waiting = places.computeIfAbsent(place, at -> new Waiting());
        waiting.volumes.add(key);
        waiting.limit = limit(state, place);
    }

    /** A volume is attached there no more. */
    public void detached(StateReader state, PluginOnNode place) {
        tryNow(state, place, 1);
    }

    /** Plugins have changed: the limits of nodes may have grown. */
    public void look(StateReader state) {
        Map<PluginOnNode, Long> more = new HashMap<>();
        synchronized (this) {
            places.forEach((place, waiting) -> {
                long now = limit(state, place);
                if (now > waiting.limit) {
                    more.put(place, now == Long.MAX_VALUE ? now : now - waiting.limit);
                }
                waiting.limit = now;
            });
        }
        more.forEach((place, room) -> tryNow(state, place, room));
    }

    /** The limit on record, as a number that can be compared. */
    private static long limit(StateReader state, PluginOnNode place) {
        long told = Placement.nodeInstance(state, place.nodeId(), place.plugin())
                .flatMap(PluginInstance::nodeInfo)
                .map(NodeInfo::maxVolumesPerNode)
                .orElse(0L);
        return told == 0 ? Long.MAX_VALUE : told;
    }

    private void tryNow(StateReader state, PluginOnNode place, long most) {
        List<VolumeKey> next = new ArrayList<>();
        synchronized (this) {
            Waiting waiting = places.get(place);
            if (waiting == null) {
                return;
            }
            forget(state, place, waiting);
            Iterator<VolumeKey> volumes = waiting.volumes.iterator();
            while (volumes.hasNext() && next.size() < most) {
                next.add(volumes.next());
                // If it is refused again it comes back, behind the others.
                volumes.remove();
            }
            if (waiting.volumes.isEmpty()) {
                places.remove(place);
            }
        }
        next.forEach(tryNow);
    }

    /** Forgets those that are published since, or given up. */
    synchronized void forgetSettled(StateReader state) {
        places.forEach((place, waiting) -> forget(state, place, waiting));
        places.values().removeIf(waiting -> waiting.volumes.isEmpty());
    }

    private static void forget(StateReader state, PluginOnNode place, Waiting waiting) {
        waiting.volumes.removeIf(key -> state.volume(key)
                .filter(volume -> awaited(volume, place.nodeId()))
                .isEmpty());
    }

    private static boolean awaited(Volume volume, NodeId nodeId) {
        boolean publishing = volume.attachments()
                .on(nodeId)
                .filter(attachment -> attachment.state() == AttachmentState.PUBLISHING)
                .isPresent();
        if (publishing) {
            for (Claim claim : volume.claims().on(nodeId)) {
                if (claim.state() == ClaimState.TAKEN) {
                    return true;
                }
            }
        }
        return false;
    }

    synchronized void clear() {
        places.clear();
    }

    /** How many are remembered. */
    public synchronized int size() {
        return places.values().stream()
                .mapToInt(waiting -> waiting.volumes.size())
                .sum();
    }
}
