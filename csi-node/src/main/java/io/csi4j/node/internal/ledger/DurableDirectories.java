package io.csi4j.node.internal.ledger;

import io.csi4j.node.MountPoints;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Creates and removes the directories of csi4j. A new directory is accessible to the host's user only. A mount point is never removed. */
public final class DurableDirectories {
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /**
     * The largest number of attempts to create a directory. An attempt fails if another thread removes the empty parent
     * directory at the same time.
     */
    private static final int TRIES = 100;

    private DurableDirectories() {}

    /**
     * Creates a directory below {@code root}. Plugins may write to the root, so a symbolic link below it is an error:
     * it may lead anywhere.
     *
     * @throws IOException if the directory cannot be created, or a part of the path is a symbolic link
     */
    public static void makeBelow(Path root, Path directory) throws IOException {
        mustHaveNoLinks(root, directory.getParent());
        make(directory);
    }

    private static void mustHaveNoLinks(Path root, @Nullable Path way) throws IOException {
        for (Path at = way; at != null && at.startsWith(root); at = at.getParent()) {
            if (Files.isSymbolicLink(at)) {
                throw new IOException("'" + at + "' is a link, and no directory of ours; look who put it there, and"
                        + " move it away");
            }
        }
    }

    public static void make(Path directory) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                makeOnce(directory);
                return;
            } catch (NoSuchFileException e) {
                if (attempt == TRIES) {
                    throw e;
                }
            }
        }
    }

    private static void makeOnce(Path directory) throws IOException {
        if (made(directory)) {
            return;
        }
        Path parent = directory.getParent();
        if (parent != null) {
            makeOnce(parent);
        }
        if (!made(directory)) {
            throw new NoSuchFileException(directory.toString(), null, "its parent was removed meanwhile");
        }
    }

    /**
     * Tries to create the directory; returns false if its parent is missing. Does not look for the parent first,
     * because it usually exists.
     */
    private static boolean made(Path directory) throws IOException {
        try {
            Files.createDirectory(directory, PRIVATE);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException("'" + directory + "' is there and is no directory; move it away", e);
            }
            return true;
        }
    }

    /**
     * Removes an empty directory that is no mount point, or an empty file. Then removes its empty parents below a root.
     *
     * @return whether the directory or file was removed; false if it is a mount point or not empty
     */
    public static boolean remove(Path leaf, Path root, MountPoints mounted) throws IOException {
        if (!mounted.within(leaf).isEmpty()) {
            return false;
        }
        mustHaveNoLinks(root, leaf.getParent());
        try {
            if (Files.isRegularFile(leaf, LinkOption.NOFOLLOW_LINKS) && Files.size(leaf) > 0) {
                return false;
            }
            Files.deleteIfExists(leaf);
        } catch (DirectoryNotEmptyException e) {
            return false;
        }
        for (Path parent = leaf.getParent();
                parent != null && parent.startsWith(root) && !parent.equals(root);
                parent = parent.getParent()) {
            try {
                Files.deleteIfExists(parent);
            } catch (DirectoryNotEmptyException e) {
                return true;
            }
        }
        return true;
    }
}
