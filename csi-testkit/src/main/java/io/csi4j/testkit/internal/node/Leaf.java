package io.csi4j.testkit.internal.node;

import io.csi4j.testkit.internal.rule.CallRefusal;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** The entry at a target path: the caller creates its parent directory, the plugin creates the entry (R88). */
public final class Leaf {
    private Leaf() {}

    /**
     * Creates the entry; accepts an existing empty entry of the same kind.
     *
     * @param block whether the entry is a file, for a block device; false: a directory
     */
    public static void make(String targetPath, boolean block) {
        Path target = Path.of(targetPath);
        Path parent = target.getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw CallRefusal.invalid(
                    "target_path: the parent of '" + targetPath + "' is no directory; the caller has to make it (R88)");
        }
        try {
            if (block) {
                Files.createFile(target);
            } else {
                Files.createDirectory(target);
            }
        } catch (FileAlreadyExistsException e) {
            requireEmpty(target, block);
        } catch (IOException e) {
            throw CallRefusal.internal("cannot make '" + targetPath + "': " + e);
        }
    }

    private static void requireEmpty(Path target, boolean block) {
        boolean fine = block
                ? Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)
                : Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS);
        try {
            if (fine && block) {
                fine = Files.size(target) == 0;
            } else if (fine) {
                try (var entries = Files.list(target)) {
                    fine = entries.findAny().isEmpty();
                }
            }
        } catch (IOException e) {
            throw CallRefusal.internal("cannot read '" + target + "': " + e);
        }
        if (!fine) {
            throw CallRefusal.internal(
                    "'" + target + "' exists and is not " + (block ? "an empty file" : "an empty directory")
                            + "; move it away, the plugin makes the entry itself (R88)");
        }
    }

    /** Removes the entry if it exists; never removes an entry with contents. */
    public static void remove(String targetPath) {
        Path target = Path.of(targetPath);
        try {
            if (Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS) && Files.size(target) > 0) {
                throw CallRefusal.internal(
                        "'" + targetPath + "' is a file with contents, so it is not the entry that was"
                                + " published; move it away and unpublish again");
            }
            Files.deleteIfExists(target);
        } catch (DirectoryNotEmptyException e) {
            throw CallRefusal.internal(
                    "'" + targetPath + "' is not empty; this plugin removes nothing that it has not made:"
                            + " empty it and unpublish again");
        } catch (IOException e) {
            throw CallRefusal.internal("cannot remove '" + targetPath + "': " + e);
        }
    }
}
