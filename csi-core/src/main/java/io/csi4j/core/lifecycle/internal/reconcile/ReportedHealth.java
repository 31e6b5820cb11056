package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.HealthVerdict;
import io.csi4j.core.lifecycle.VolumeHealthReport;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The health of volumes as their plugins reported it to this server last: in answers to questions about one volume, and
 * in lists of the provider. It is not stored, and its size is limited. Thread-safe.
 */
public final class ReportedHealth {
    /** The largest number of volumes; an abnormal volume takes the place of the oldest report, a healthy one takes none. */
    static final int MAX = 10_000;

    private final Map<VolumeKey, OfVolume> volumes = new LinkedHashMap<>();

    /** A report of a plugin's controller, if the node is empty, or of its instance on a node. */
    public record Reported(Optional<NodeId> nodeId, VolumeHealthReport health, Instant at) {}

    /** The reports of one volume, by node; the empty text stands for the controller. */
    private record OfVolume(long createIndex, Map<String, Reported> reports) {}

    /** Takes note of a report; a plugin that reports nothing leaves the earlier report as it is. */
    synchronized void record(Volume volume, Reported reported) {
        HealthVerdict verdict = reported.health().verdict();
        if (verdict == HealthVerdict.NOT_REPORTED) {
            return;
        }
        OfVolume known = volumes.get(volume.key());
        if (known == null || known.createIndex() != volume.createIndex()) {
            volumes.remove(volume.key());
            if (volumes.size() >= MAX) {
                if (verdict == HealthVerdict.HEALTHY) {
                    return;
                }
                volumes.remove(volumes.keySet().iterator().next());
            }
            known = new OfVolume(volume.createIndex(), new TreeMap<>());
            volumes.put(volume.key(), known);
        }
        known.reports().values().removeIf(report -> hasLeft(volume, report));
        known.reports().put(reported.nodeId().map(NodeId::value).orElse(""), reported);
    }

    /** Drops all reports, because another server renews them from now on. */
    public synchronized void clear() {
        volumes.clear();
    }

    /** Returns the last reports: of the controller, and of each node on which the volume still is. */
    public synchronized List<Reported> of(Volume volume) {
        OfVolume known = volumes.get(volume.key());
        if (known == null || known.createIndex() != volume.createIndex()) {
            return List.of();
        }
        return known.reports().values().stream()
                .filter(report -> !hasLeft(volume, report))
                .toList();
    }

    private static boolean hasLeft(Volume volume, Reported report) {
        return report.nodeId().filter(node -> !volume.isOn(node)).isPresent();
    }
}
