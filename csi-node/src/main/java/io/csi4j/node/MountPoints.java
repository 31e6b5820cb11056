package io.csi4j.node;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** The mount points at one time. Immutable. */
public final class MountPoints {
    /** The mount points, sorted by their text, so that the paths below a path are next to each other. */
    private final NavigableMap<String, Path> points;

    private final Function<Path, String> entries;
    /** The contexts of the mount points that are mounted with one, by the text of the mount point. */
    private final Map<String, String> contexts;

    private MountPoints(
            NavigableMap<String, Path> points, Function<Path, String> entries, Map<String, String> contexts) {
        this.points = points;
        this.entries = entries;
        this.contexts = contexts;
    }

    /**
     * Returns a snapshot of mount points.
     *
     * @param points absolute paths without symbolic links
     */
    public static MountPoints of(Collection<Path> points) {
        return of(points, point -> "");
    }

    /**
     * Returns a snapshot of mount points with their entries in the mount table.
     *
     * @param points absolute paths without symbolic links
     * @param entries returns for a mount point a short text that is another one for another mount, and for a mount with
     *     other options; empty if it is not known. Several mounts on top of each other have one text together. It is
     *     called seldom, for the mount points of plugins that are called again for a mounted volume
     */
    public static MountPoints of(Collection<Path> points, Function<Path, String> entries) {
        NavigableMap<String, Path> sorted = new TreeMap<>();
        points.forEach(point -> sorted.put(point.toString(), point));
        return new MountPoints(sorted, entries, Map.of());
    }

    /**
     * Returns the entry of a mount point, for a comparison with an earlier one; empty if it is not known.
     *
     * @param path absolute, without symbolic links
     */
    public String entry(Path path) {
        return contains(path) ? entries.apply(path) : "";
    }

    /**
     * Returns these mount points, some of which are mounted with a security context (the mount option {@code context} of
     * SELinux).
     *
     * @param mounted the contexts by mount point, without quotes; of several mounts at one point, that of the topmost
     */
    public MountPoints withContexts(Map<Path, String> mounted) {
        Map<String, String> named = new HashMap<>();
        mounted.forEach((point, value) -> named.put(point.toString(), value));
        return new MountPoints(points, entries, Map.copyOf(named));
    }

    /**
     * Returns the security context with which the topmost mount at a path is mounted.
     *
     * @param path absolute, without symbolic links
     * @return empty if the path is no mount point, or is mounted without a context
     */
    public Optional<String> securityContext(Path path) {
        return Optional.ofNullable(contexts.get(path.toString()));
    }

    /**
     * Returns whether a path is a mount point.
     *
     * @param path absolute, without symbolic links
     */
    public boolean contains(Path path) {
        return points.containsKey(path.toString());
    }

    /**
     * Returns the mount points at a path or below it, in order.
     *
     * @param path absolute, without symbolic links
     */
    public List<Path> within(Path path) {
        String text = path.toString();
        String below = text.equals("/") ? text : text + "/";
        List<Path> found = new ArrayList<>();
        if (points.containsKey(text)) {
            found.add(points.get(text));
        }
        // All paths below the directory begin with its path and "/". The upper bound of the range is the path with "0"
        // at its end, because "0" is the character after "/".
        found.addAll(points.subMap(below, false, below.substring(0, below.length() - 1) + "0", false)
                .values());
        return List.copyOf(found);
    }
}
