package io.csi4j.node.internal.ledger;

import io.csi4j.node.MountPoints;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

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
     * Creates a directory in which plugins may write.
     *
     * @param directory absolute and without symbolic links
     * @throws IOException if the directory cannot be created, or a part of the path is a symbolic link: it may lead
     *     anywhere
     */
    public static void makeStrictly(Path directory) throws IOException {
        make(directory, strictly -> StrictPaths.call(strictly, DurableDirectories::made));
    }

    /** Creates a directory above which no plugin may write. */
    public static void make(Path directory) throws IOException {
        make(directory, DurableDirectories::made);
    }

    /** Tries to create a directory; returns false if its parent is missing. */
    private interface Maker {
        boolean made(Path directory) throws IOException;
    }

    private static void make(Path directory, Maker maker) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                makeOnce(directory, maker);
                return;
            } catch (NoSuchFileException e) {
                if (attempt == TRIES) {
                    throw e;
                }
            } catch (FileAlreadyExistsException e) {
                throw new IOException("'" + e.getFile() + "' is there and is no directory; move it away", e);
            }
        }
    }

    private static void makeOnce(Path directory, Maker maker) throws IOException {
        if (maker.made(directory)) {
            return;
        }
        Path parent = directory.getParent();
        if (parent != null) {
            makeOnce(parent, maker);
        }
        if (!maker.made(directory)) {
            throw new NoSuchFileException(directory.toString(), null, "its parent was removed meanwhile");
        }
    }

    /** Does not look for the parent first, because it usually exists. */
    private static boolean made(Path directory) throws IOException {
        try {
            Files.createDirectory(directory, PRIVATE);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (FileAlreadyExistsException e) {
            if (!Files.readAttributes(directory, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .isDirectory()) {
                throw e;
            }
            return true;
        }
    }

    /**
     * Removes an empty directory that is no mount point, or an empty file or a link. Then removes its empty parents
     * below a root.
     *
     * @param leaf absolute; a symbolic link above it is an error, because it may lead anywhere
     * @return whether the directory or file was removed; false if it is a mount point or not empty
     */
    public static boolean remove(Path leaf, Path root, MountPoints mounted) throws IOException {
        if (!mounted.within(leaf).isEmpty()) {
            return false;
        }
        boolean hasContent = StrictPaths.attributes(leaf)
                .filter(file -> file.isRegularFile() && file.size() > 0)
                .isPresent();
        if (hasContent || !removedOrMissing(leaf)) {
            return false;
        }
        for (Path parent = leaf.getParent();
                parent != null && parent.startsWith(root) && !parent.equals(root) && removedOrMissing(parent);
                parent = parent.getParent()) {}
        return true;
    }

    /** Removes a file or directory; returns false if it is a directory that is not empty. */
    private static boolean removedOrMissing(Path path) throws IOException {
        try {
            boolean unused = StrictPaths.call(path, Files::deleteIfExists);
            return true;
        } catch (DirectoryNotEmptyException e) {
            return false;
        }
    }
}
