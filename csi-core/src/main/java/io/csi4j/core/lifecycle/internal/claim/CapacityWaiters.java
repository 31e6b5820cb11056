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
 * Remembers the volumes that a plugin refused to publish because their node was full. The engine retries each of them after a
 * backoff; when capacity becomes free, it retries the volume that has waited longest at once, one volume for each free slot.
 * Thread-safe.
 */
public final class CapacityWaiters {
    private final Consumer<VolumeKey> tryNow;
    private final Map<PluginOnNode, Waiting> places = new HashMap<>();

    /**
     * The refused volumes of one plugin on one node, oldest first, and the volume limit of the state at the last refusal.
     */
    private static final class Waiting {
        private final Set<VolumeKey> volumes = new LinkedHashSet<>();
        private long limit;
    }

    /**
     * Creates an empty collection.
     *
     * @param tryNow requests a plan of a volume without waiting for the time of its next attempt
     */
    public CapacityWaiters(Consumer<VolumeKey> tryNow) {
        this.tryNow = tryNow;
    }

    /** Adds a refused volume. */
    public synchronized void refused(StateReader state, PluginOnNode place, VolumeKey key) {
        Waiting waiting = places.computeIfAbsent(place, at -> new Waiting());
        waiting.volumes.add(key);
        waiting.limit = limit(state, place);
    }

    /** Retries the oldest volume, because another volume was detached from the node. */
    public void detached(StateReader state, PluginOnNode place) {
        tryNow(state, place, 1);
    }

    /** Retries volumes on nodes whose volume limit has grown. */
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

    /** Returns the node's volume limit, or the largest number if the node has no limit. */
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
                // A volume that is refused again returns to the end of the queue.
                volumes.remove();
            }
            if (waiting.volumes.isEmpty()) {
                places.remove(place);
            }
        }
        next.forEach(tryNow);
    }

    /** Removes the volumes that were published or whose claims have ended. */
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

    /** Returns the number of remembered volumes. */
    public synchronized int size() {
        return places.values().stream()
                .mapToInt(waiting -> waiting.volumes.size())
                .sum();
    }
}
