package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.Placement;
import io.csi4j.core.lifecycle.internal.step.PluginOnNode;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
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
 * Remembers the volumes that a plugin refused to publish because their node was full. The engine retries each of them
 * after a backoff; when a slot on the node becomes free, the engine retries at once the volume that has waited longest.
 * Thread-safe.
 */
public final class CapacityWaiters {
    private final Consumer<VolumeKey> tryNow;
    private final Map<PluginOnNode, Waiting> waitersByPlugin = new HashMap<>();

    /**
     * The refused volumes of one plugin on one node, oldest first, and the node's volume limit in the state at the last
     * refusal.
     */
    private static final class Waiting {
        private final Set<VolumeKey> volumes = new LinkedHashSet<>();
        private long limit;
    }

    /**
     * Creates the object without any volumes.
     *
     * @param tryNow requests a plan of a volume without waiting for the end of a backoff
     */
    public CapacityWaiters(Consumer<VolumeKey> tryNow) {
        this.tryNow = tryNow;
    }

    /** Remembers a volume that the plugin refused to publish because the node was full. */
    public synchronized void refused(StateReader state, PluginOnNode pluginOnNode, VolumeKey key) {
        Waiting waiting = waitersByPlugin.computeIfAbsent(pluginOnNode, at -> new Waiting());
        waiting.volumes.add(key);
        waiting.limit = limit(state, pluginOnNode);
    }

    /** Retries the volume that has waited longest for the node, because another volume was detached from the node. */
    public void detached(StateReader state, PluginOnNode pluginOnNode) {
        tryNow(state, pluginOnNode, 1);
    }

    /** Retries refused volumes on nodes whose volume limit has grown. */
    public void recheck(StateReader state) {
        Map<PluginOnNode, Long> more = new HashMap<>();
        synchronized (this) {
            waitersByPlugin.forEach((pluginOnNode, waiting) -> {
                long now = limit(state, pluginOnNode);
                if (now > waiting.limit) {
                    more.put(pluginOnNode, now == Long.MAX_VALUE ? now : now - waiting.limit);
                }
                waiting.limit = now;
            });
        }
        more.forEach((pluginOnNode, free) -> tryNow(state, pluginOnNode, free));
    }

    /** Returns the node's volume limit, or {@code Long.MAX_VALUE} if the node has no limit. */
    private static long limit(StateReader state, PluginOnNode pluginOnNode) {
        long reported = Placement.nodeInstance(state, pluginOnNode.nodeId(), pluginOnNode.plugin())
                .flatMap(PluginInstance::nodeInfo)
                .map(NodeInfo::maxVolumesPerNode)
                .orElse(0L);
        return reported == 0 ? Long.MAX_VALUE : reported;
    }

    private void tryNow(StateReader state, PluginOnNode pluginOnNode, long max) {
        List<VolumeKey> next = new ArrayList<>();
        synchronized (this) {
            Waiting waiting = waitersByPlugin.get(pluginOnNode);
            if (waiting == null) {
                return;
            }
            forget(state, pluginOnNode, waiting);
            Iterator<VolumeKey> volumes = waiting.volumes.iterator();
            while (volumes.hasNext() && next.size() < max) {
                next.add(volumes.next());
                // The volume leaves the queue before its retry. If the plugin refuses the volume again, the volume
                // returns to the end of the queue.
                volumes.remove();
            }
            if (waiting.volumes.isEmpty()) {
                waitersByPlugin.remove(pluginOnNode);
            }
        }
        next.forEach(tryNow);
    }

    /** Forgets the volumes that were published or whose claims have ended. */
    synchronized void forgetSettled(StateReader state) {
        waitersByPlugin.forEach((pluginOnNode, waiting) -> forget(state, pluginOnNode, waiting));
        waitersByPlugin.values().removeIf(waiting -> waiting.volumes.isEmpty());
    }

    private static void forget(StateReader state, PluginOnNode pluginOnNode, Waiting waiting) {
        waiting.volumes.removeIf(key -> state.volume(key)
                .filter(volume -> awaited(volume, pluginOnNode.nodeId()))
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
        waitersByPlugin.clear();
    }

    /** Returns the number of remembered volumes. */
    public synchronized int size() {
        return waitersByPlugin.values().stream()
                .mapToInt(waiting -> waiting.volumes.size())
                .sum();
    }
}
