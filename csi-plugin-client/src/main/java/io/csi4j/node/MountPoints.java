package io.csi4j.node;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** What was mounted at one moment. Immutable. */
public final class MountPoints {
    private final Set<Path> points;

    private MountPoints(Set<Path> points) {
        this.points = points;
    }

    /**
     * The given mount points.
     *
     * @param points absolute paths without links
     * @return a snapshot of them
     */
    public static MountPoints of(Collection<Path> points) {
        return new MountPoints(Set.copyOf(points));
    }

    /**
     * Whether something is mounted at a path.
     *
     * @param path absolute, without links
     * @return true if it is a mount point
     */
    public boolean contains(Path path) {
        return points.contains(path);
    }

    /**
     * What is mounted at a path or below it.
     *
     * @param path absolute, without links
     * @return the mount points, in their order
     */
    public List<Path> within(Path path) {
        return points.stream().filter(point -> point.startsWith(path)).sorted().toList();
    }
}
