package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.Drift;
import io.csi4j.core.spi.DriftEvent;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Volume;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Counts, for the periodic comparison, how often each difference was repaired without a change in the provider's next
 * list. A provider whose list has the names of nodes in another format reports the same differences for ever; its
 * repairs stop after {@value #MAX}. Thread-safe.
 */
final class VainRepairs {
    /** The number of repairs of a difference after which the periodic comparison stops to repair it. */
    static final int MAX = 3;

    private final Map<Difference, Integer> repairs = new HashMap<>();

    /**
     * A difference between the provider and one attachment.
     *
     * @param createIndex the index at which the attachment, or without an attachment the volume, was added to the state;
     *     a new attachment is a new difference
     */
    private record Difference(
            PluginId plugin, DriftEvent.Kind kind, VolumeKey volume, long createIndex, ExternalNodeId node) {
        static Difference of(Drift drift, Volume volume) {
            long index = volume.createIndex();
            for (Attachment attachment : volume.attachments()) {
                if (attachment.externalNodeId().equals(Optional.of(drift.externalNodeId()))) {
                    index = attachment.createIndex();
                }
            }
            return new Difference(volume.pluginId(), drift.kind(), drift.volume(), index, drift.externalNodeId());
        }
    }

    /** Whether a difference is repaired. */
    enum Verdict {
        REPAIR,
        /** The difference was repaired too often; this comparison is the first one that does not repair it. */
        STOP,
        STOPPED
    }

    /** Decides about a difference that a comparison has found again. */
    synchronized Verdict verdict(Drift drift, Volume volume) {
        Difference difference = Difference.of(drift, volume);
        int done = repairs.getOrDefault(difference, 0);
        if (done < MAX) {
            return Verdict.REPAIR;
        }
        repairs.put(difference, MAX + 1);
        return done == MAX ? Verdict.STOP : Verdict.STOPPED;
    }

    /** Counts a repair that the provider has confirmed, or that the leader has begun. */
    synchronized void repaired(Drift drift, Volume volume) {
        repairs.merge(Difference.of(drift, volume), 1, Integer::sum);
    }

    /**
     * Forgets the differences that have ended, and those of volumes that do not exist any more.
     *
     * @param found the differences of this comparison
     * @param compared the volumes of the plugin that this comparison has compared; a volume that changed meanwhile is
     *     none of them
     * @param existing the volumes of the plugin
     */
    synchronized void retain(
            PluginId plugin, Map<Drift, Volume> found, Set<VolumeKey> compared, Set<VolumeKey> existing) {
        Set<Difference> present = new HashSet<>();
        found.forEach((drift, volume) -> present.add(Difference.of(drift, volume)));
        repairs.keySet()
                .removeIf(difference -> difference.plugin().equals(plugin)
                        && (!existing.contains(difference.volume())
                                || (compared.contains(difference.volume()) && !present.contains(difference))));
    }
}
