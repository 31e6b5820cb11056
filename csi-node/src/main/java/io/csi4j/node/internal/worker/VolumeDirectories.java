package io.csi4j.node.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.MountPoints;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.internal.ledger.DurableDirectories;
import io.csi4j.node.internal.ledger.StrictPaths;
import io.csi4j.node.internal.mount.MountInspector;
import io.csi4j.node.internal.mount.NodeFailures;
import io.csi4j.node.internal.mount.NodePaths;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** Creates and removes the directories of one volume between its calls. Used in the tasks of the worker only. */
public final class VolumeDirectories {
    private static final System.Logger LOG = System.getLogger(VolumeDirectories.class.getName());

    private final NodePorts ports;
    private final VolumeKey key;
    private final Set<Path> dealtWith = new HashSet<>();
    /** The unmounted paths whose directories still have to be removed. */
    private final Set<Path> goes = new LinkedHashSet<>();
    /** The directories from which an entry was removed; they and their parents are removed if they are empty. */
    private final Set<Path> emptied = new HashSet<>();

    VolumeDirectories(NodePorts ports, VolumeKey key) {
        this.ports = ports;
        this.key = key;
    }

    /** Returns the unpublished and unstaged paths whose directories may still exist. */
    Set<Path> dealtWith() {
        return dealtWith;
    }

    /** Records that a call uses a path, whose directory then must not be removed. */
    void used(Path path) {
        dealtWith.remove(path);
        emptied.remove(directory(path));
    }

    /** Records that the volume is unmounted from a path, whose directory has to be removed before the path is used again. */
    void gone(Path path) {
        dealtWith.add(path);
        goes.add(path);
    }

    /** Returns whether any directory has to be removed. */
    boolean isDue() {
        return !goes.isEmpty();
    }

    /** Removes the directories of unmounted paths, as far as they are empty and no mount points. */
    void clean(Optional<MountPoints> table) {
        goes.forEach(path -> remove(path, table));
        goes.clear();
    }

    private void remove(Path path, Optional<MountPoints> table) {
        String left;
        try {
            if (table.isPresent() && DurableDirectories.remove(path, root(path), table.get())) {
                emptied.add(directory(path));
                return;
            }
            left = table.isPresent() ? "it is not empty" : "the mount table could not be read";
        } catch (IOException e) {
            left = NodeFailures.text(e);
        }
        leftBehind(path, left);
    }

    /** Creates the directories of the next publish in advance. If this fails, the publish creates them again and reports the failure. */
    void willPublish() {
        try {
            DurableDirectories.makeStrictly(ports.paths().targets(key));
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "The directory of the targets of volume {0} cannot be made yet", key);
        }
    }

    /** Removes the directories of a volume that has no uses any more. A failed mount or a crash may have left them. */
    void sweep(MountPoints table) {
        for (Path directory :
                new Path[] {ports.paths().stagings(key), ports.paths().targets(key)}) {
            try {
                if (emptied.contains(directory)
                        && StrictPaths.attributes(directory).isEmpty()) {
                    continue;
                }
                for (Path leaf : MountInspector.leaves(directory)) {
                    DurableDirectories.remove(leaf, root(directory), table);
                }
                // Removes the parents even if the directory is missing, because a crash may have prevented their
                // removal.
                DurableDirectories.remove(directory, root(directory), table);
            } catch (IOException | UncheckedIOException e) {
                leftBehind(directory, NodeFailures.text(e));
            }
        }
    }

    private void leftBehind(Path path, String reason) {
        String message = "The volume is gone from " + path + ", which was not removed: " + reason
                + "; look what is in it, and remove it";
        ports.reporter().report(Kind.LEFT_BEHIND, key, null, message);
    }

    private Path directory(Path path) {
        NodePaths paths = ports.paths();
        return path.startsWith(paths.stagingRoot()) ? paths.stagings(key) : paths.targets(key);
    }

    private Path root(Path path) {
        NodePaths paths = ports.paths();
        return path.startsWith(paths.stagingRoot()) ? paths.stagingRoot() : paths.publishRoot();
    }
}
