package io.csi4j.simulation.internal.disk;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The disk of one machine. Its content outlives processes. A power loss undoes a random part of the changes that were
 * not synced.
 */
public final class SimDisk {
    /** A file or a directory. */
    abstract static class Inode {}

    static final class FileNode extends Inode {
        byte[] content = new byte[0];
        /** The content after a power loss; null: the present content is kept or lost at random. */
        byte @Nullable [] synced;
        /**
         * The process that holds the lock of this file, given as its view of the disk; null: the file is not locked.
         */
        @Nullable SimFileSystem lockedBy;
    }

    static final class DirectoryNode extends Inode {
        Map<String, Inode> names = new TreeMap<>();
        /** The directory entries at the last sync. A power loss may bring them back in place of later changes. */
        Map<String, Inode> synced = new TreeMap<>();
    }

    private final SplittableRandom random;
    private final DirectoryNode root = new DirectoryNode();

    public SimDisk(SplittableRandom random) {
        this.random = random;
    }

    /**
     * Returns a view for a new process.
     *
     * @param gate called before each write; the write is not performed if the gate throws an exception
     */
    public SimFileSystem openFor(WriteGate gate) {
        return new SimFileSystem(this, gate);
    }

    DirectoryNode root() {
        return root;
    }

    /**
     * Loses power. Each name that was not synced is kept or replaced by its last synced state, and each content that
     * was not synced is kept or lost, at random.
     */
    public void losePower() {
        losePower(root);
    }

    private void losePower(DirectoryNode directory) {
        TreeSet<String> all = new TreeSet<>(directory.names.keySet());
        all.addAll(directory.synced.keySet());
        for (String name : all) {
            Inode now = directory.names.get(name);
            Inode before = directory.synced.get(name);
            if (!Objects.equals(now, before) && random.nextBoolean()) {
                if (before == null) {
                    directory.names.remove(name);
                } else {
                    directory.names.put(name, before);
                }
            }
        }
        directory.synced = new TreeMap<>(directory.names);
        for (Inode inode : directory.names.values()) {
            if (inode instanceof DirectoryNode below) {
                losePower(below);
            } else if (inode instanceof FileNode file) {
                file.lockedBy = null;
                byte[] synced = file.synced;
                if (synced != null) {
                    file.content = synced;
                } else if (random.nextBoolean()) {
                    file.content = new byte[0];
                }
                file.synced = file.content;
            }
        }
    }

    /** Returns whether there is a directory at an absolute path. */
    public boolean isDirectory(String path) {
        return find(path).filter(DirectoryNode.class::isInstance).isPresent();
    }

    /**
     * Creates a directory or an empty file at an absolute path, as a plugin does. Has no effect if the path exists, or
     * if its parent does not.
     */
    public void plugIn(String path, boolean directory) {
        int end = path.lastIndexOf('/');
        Optional<Inode> parent = find(path.substring(0, end));
        if (parent.isPresent() && parent.get() instanceof DirectoryNode node) {
            node.names.computeIfAbsent(
                    path.substring(end + 1), name -> directory ? new DirectoryNode() : new FileNode());
        }
    }

    /** Removes an empty directory or a file, as a plugin does. */
    public void unplug(String path) {
        int end = path.lastIndexOf('/');
        Optional<Inode> parent = find(path.substring(0, end));
        Optional<Inode> leaf = find(path);
        boolean empty = leaf.isPresent() && !(leaf.get() instanceof DirectoryNode node && !node.names.isEmpty());
        if (empty && parent.isPresent() && parent.get() instanceof DirectoryNode node) {
            node.names.remove(path.substring(end + 1));
        }
    }

    /** Returns the paths of all files below an absolute path, in order. */
    public List<String> filesBelow(String path) {
        List<String> files = new ArrayList<>();
        find(path).ifPresent(inode -> addFiles(path, inode, files));
        return files;
    }

    private static void addFiles(String path, Inode inode, List<String> files) {
        if (inode instanceof DirectoryNode directory) {
            directory.names.forEach((name, below) -> addFiles(path + "/" + name, below, files));
        } else {
            files.add(path);
        }
    }

    Optional<Inode> find(String absolutePath) {
        Inode at = root;
        int end;
        for (int start = 0; start < absolutePath.length(); start = end + 1) {
            int slash = absolutePath.indexOf('/', start);
            end = slash < 0 ? absolutePath.length() : slash;
            if (end == start) {
                continue;
            }
            if (!(at instanceof DirectoryNode directory)) {
                return Optional.empty();
            }
            Inode next = directory.names.get(absolutePath.substring(start, end));
            if (next == null) {
                return Optional.empty();
            }
            at = next;
        }
        return Optional.of(at);
    }
}
