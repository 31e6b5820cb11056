package io.csi4j.node;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeEvent.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Removes the directories of one volume that are in use no more. Belongs to the turns of its lane. */
final class LaneCleaning {
    private final LanePorts ports;
    private final VolumeKey key;
    private final Set<Path> dealtWith = new HashSet<>();

    LaneCleaning(LanePorts ports, VolumeKey key) {
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
    }

    /** The volume is gone from a path. */
    void gone(Path path, Optional<MountPoints> table) {
        dealtWith.add(path);
        String left;
        try {
            if (table.isPresent() && Directories.remove(path, root(path), table.get())) {
                return;
            }
            left = table.isPresent() ? "it is not empty" : "the mount table could not be read";
        } catch (IOException e) {
            left = Causes.text(e);
        }
        leftBehind(path, left);
    }

    /** Removes what a crash between a call and the cleaning up has left. */
    void sweep(MountPoints table) {
        for (Path directory :
                new Path[] {ports.paths().stagings(key), ports.paths().targets(key)}) {
            try {
                for (Path leaf : NodeLookout.leaves(directory)) {
                    Directories.remove(leaf, root(directory), table);
                }
                Directories.remove(directory, root(directory), table);
            } catch (IOException e) {
                leftBehind(directory, Causes.text(e));
            }
        }
    }

    private void leftBehind(Path path, String why) {
        String message = "The volume is gone from " + path + ", which was not removed: " + why
                + "; look what is in it, and remove it";
        ports.reporter().tell(Kind.LEFT_BEHIND, key, null, message);
    }

    private Path root(Path path) {
        NodePaths paths = ports.paths();
        return path.startsWith(paths.stagingRoot()) ? paths.stagingRoot() : paths.publishRoot();
    }
}
