package io.csi4j.node.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.MountPoints;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.internal.ledger.DurableDirectories;
import io.csi4j.node.internal.mount.MountInspector;
import io.csi4j.node.internal.mount.NodeFailures;
import io.csi4j.node.internal.mount.NodePaths;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** Makes and removes the directories of one volume between its calls. Used in the tasks of the worker only. */
public final class VolumeDirectories {
    private static final System.Logger LOG = System.getLogger(VolumeDirectories.class.getName());

    private final NodePorts ports;
    private final VolumeKey key;
    private final Set<Path> dealtWith = new HashSet<>();
    /** What was dealt with and is still to be removed. */
    private final Set<Path> goes = new LinkedHashSet<>();
    /** DurableDirectories of the volume out of which something was removed, and they and their parents with it where empty. */
    private final Set<Path> emptied = new HashSet<>();

    VolumeDirectories(NodePorts ports, VolumeKey key) {
        this.ports = ports;
        this.key = key;
    }

    /** What was unpublished or unstaged, and may have left something behind. */
    Set<Path> dealtWith() {
        return dealtWith;
    }

    /** A call is made about a path, so that what was there before counts no more. */
    void used(Path path) {
        dealtWith.remove(path);
        emptied.remove(directory(path));
    }

    /** The volume is gone from a path, which is to be removed before anything is done about it again. */
    void gone(Path path) {
        dealtWith.add(path);
        goes.add(path);
    }

    /** Whether anything is to be removed. */
    boolean isDue() {
        return !goes.isEmpty();
    }

    /** Removes what is to be removed. */
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

    /** Makes what the next step needs. If that fails, that step tries again, and tells of it. */
    void willPublish() {
        try {
            DurableDirectories.makeBelow(
                    ports.paths().publishRoot(), ports.paths().targets(key));
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "The directory of the targets of volume {0} cannot be made yet", key);
        }
    }

    /** Removes what is left of a volume that has nothing: what was made for a mount that did not come, or before a crash. */
    void sweep(MountPoints table) {
        for (Path directory :
                new Path[] {ports.paths().stagings(key), ports.paths().targets(key)}) {
            try {
                if (emptied.contains(directory) && !Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
                    continue;
                }
                for (Path leaf : MountInspector.leaves(directory)) {
                    DurableDirectories.remove(leaf, root(directory), table);
                }
                // Also where it is gone: a crash may have come before its parent was removed.
                DurableDirectories.remove(directory, root(directory), table);
            } catch (IOException | UncheckedIOException e) {
                leftBehind(directory, NodeFailures.text(e));
            }
        }
    }

    private void leftBehind(Path path, String why) {
        String message = "The volume is gone from " + path + ", which was not removed: " + why
                + "; look what is in it, and remove it";
        ports.reporter().tell(Kind.LEFT_BEHIND, key, null, message);
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
