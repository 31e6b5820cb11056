package io.csi4j.node;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What was mounted at one moment. Immutable. */
public final class MountPoints {
    /** By their texts: what is below a path stands together. */
    private final NavigableMap<String, Path> points;

    private MountPoints(NavigableMap<String, Path> points) {
        this.points = points;
    }

    /**
     * The given mount points.
     *
     * @param points absolute paths without links
     * @return a snapshot of them
     */
    public static MountPoints of(Collection<Path> points) {
        NavigableMap<String, Path> sorted = new TreeMap<>();
        points.forEach(point -> sorted.put(point.toString(), point));
        return new MountPoints(sorted);
    }

    /**
     * Whether something is mounted at a path.
     *
     * @param path absolute, without links
     * @return true if it is a mount point
     */
    public boolean contains(Path path) {
        return points.containsKey(path.toString());
    }

    /**
     * What is mounted at a path or below it.
     *
     * @param path absolute, without links
     * @return the mount points, in their order
     */
    public List<Path> within(Path path) {
        String text = path.toString();
        String below = text.equals("/") ? text : text + "/";
        List<Path> found = new ArrayList<>();
        if (points.containsKey(text)) {
            found.add(points.get(text));
        }
        // The character after the slash ends what is below.
        found.addAll(points.subMap(below, false, below.substring(0, below.length() - 1) + "0", false)
                .values());
        return List.copyOf(found);
    }
}
