package io.csi4j.node.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.MountPoints;
import io.csi4j.node.NodeVolumeEvent.Kind;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Finds mounts below the base directory that belong to no known volume. */
public final class UnrecordedMounts {
    private final NodePorts ports;

    UnrecordedMounts(NodePorts ports) {
        this.ports = ports;
    }

    /** Returns the unknown volumes that are mounted; reports each mount whose path names no volume. */
    Set<VolumeKey> volumes(MountPoints table, Collection<VolumeKey> known) {
        Set<VolumeKey> volumes = new TreeSet<>();
        for (Path point : strangers(table, known)) {
            Optional<VolumeKey> key = ports.paths().volume(point);
            key.ifPresent(volumes::add);
            if (key.isEmpty()) {
                ports.reporter()
                        .report(
                                Kind.OWNER_UNKNOWN,
                                null,
                                null,
                                "There is a mount at " + point
                                        + " of which nothing is known; unmount its volume by name, or unmount it by hand");
            }
        }
        return volumes;
    }

    private Set<Path> strangers(MountPoints table, Collection<VolumeKey> known) {
        Set<Path> places = new HashSet<>();
        for (VolumeKey key : known) {
            places.add(ports.paths().stagings(key));
            places.add(ports.paths().targets(key));
        }
        Set<Path> strangers = new TreeSet<>();
        for (Path root : new Path[] {ports.paths().stagingRoot(), ports.paths().publishRoot()}) {
            table.within(root).stream().filter(point -> !isKnown(point, places)).forEach(strangers::add);
        }
        return strangers;
    }

    private static boolean isKnown(Path point, Set<Path> known) {
        Path at = point;
        while (at != null && !known.contains(at)) {
            at = at.getParent();
        }
        return at != null;
    }
}
