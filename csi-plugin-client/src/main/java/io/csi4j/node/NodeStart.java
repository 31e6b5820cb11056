package io.csi4j.node;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeEvent.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What there is at the start: the records, and what is mounted without one. */
final class NodeStart {
    private final LanePorts ports;
    private final NodeLookout lookout;
    private final Map<VolumeKey, VolumeEntry> entries = new LinkedHashMap<>();

    NodeStart(LanePorts ports, NodeLookout lookout) {
        this.ports = ports;
        this.lookout = lookout;
    }

    Collection<VolumeEntry> records() throws IOException {
        VolumeLedger.Contents contents = ports.ledger().load();
        for (VolumeEntry entry : contents.entries()) {
            entries.put(
                    entry.key(),
                    unfinished(entry) ? entry.uncertainAt(ports.clock().millis()) : entry);
        }
        for (VolumeLedger.SetAside aside : contents.setAside()) {
            ports.reporter().tell(Kind.RECORD_SET_ASIDE, aside.volume().orElse(null), null, aside.message());
            aside.volume().ifPresent(key -> entries.putIfAbsent(key, VolumeEntry.empty(key, true)));
        }
        unrecorded();
        return entries.values();
    }

    /**
     * A call of the process before this one may still be at work (R27, R30). One that publishes may be even for whoever
     * leaves: the wish may have ended while it was under way.
     */
    private static boolean unfinished(VolumeEntry entry) {
        StagingEntry staging = entry.staging();
        return (staging != null && staging.phase() == StagingPhase.STAGING)
                || entry.users().stream()
                        .anyMatch(user -> user.phase() == UserPhase.PUBLISHING
                                || user.phase().goes());
    }

    private static boolean isKnown(Path point, Set<Path> known) {
        Path at = point;
        while (at != null && !known.contains(at)) {
            at = at.getParent();
        }
        return at != null;
    }

    private void unrecorded() {
        Optional<MountPoints> table = lookout.table();
        if (table.isEmpty()) {
            return;
        }
        Set<Path> known = new HashSet<>();
        for (VolumeKey key : entries.keySet()) {
            known.add(ports.paths().stagings(key));
            known.add(ports.paths().targets(key));
        }
        Set<Path> strangers = new TreeSet<>();
        for (Path root : new Path[] {ports.paths().stagingRoot(), ports.paths().publishRoot()}) {
            table.get().within(root).stream()
                    .filter(point -> !isKnown(point, known))
                    .forEach(strangers::add);
        }
        for (Path point : strangers) {
            Optional<VolumeKey> key = ports.paths().volume(point);
            key.ifPresent(volume -> entries.putIfAbsent(volume, VolumeEntry.empty(volume, true)));
            if (key.isEmpty()) {
                ports.reporter()
                        .tell(
                                Kind.OWNER_UNKNOWN,
                                null,
                                null,
                                "There is a mount at " + point
                                        + " of which nothing is known; unmount its volume by name, or unmount it by hand");
            }
        }
    }
}
