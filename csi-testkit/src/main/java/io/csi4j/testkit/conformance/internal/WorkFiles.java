package io.csi4j.testkit.conformance.internal;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Creates and removes the directories that the caller of a plugin has to provide. Deletes no mount point and no file
 * with contents.
 */
final class WorkFiles {
    private static final long UMOUNT_SECONDS = 10;

    private WorkFiles() {}

    static Path create(Path directory) throws IOException {
        Files.createDirectories(directory.getParent());
        return Files.createDirectory(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /**
     * Unmounts the mounts that a plugin left behind and cannot remove itself, because it has lost its record of the
     * volume.
     *
     * @return the mounts, the newest first
     */
    static List<Path> unmountAll(Path directory) throws IOException {
        List<Path> mounts = new ArrayList<>(KernelMounts.under(directory));
        Collections.reverse(mounts);
        for (Path mount : mounts) {
            Process umount = new ProcessBuilder("umount", "--", mount.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                if (!umount.waitFor(UMOUNT_SECONDS, TimeUnit.SECONDS)) {
                    umount.destroyForcibly();
                    throw new IOException("umount " + mount + " does not end");
                }
            } catch (InterruptedException e) {
                umount.destroyForcibly();
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while unmounting " + mount, e);
            }
        }
        return mounts;
    }

    /**
     * Removes a directory with empty directories and empty files in it.
     *
     * @return the reason why something stays; null if all is removed
     */
    static @Nullable String remove(Path directory) throws IOException {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        List<Path> mounts = KernelMounts.under(directory);
        if (!mounts.isEmpty()) {
            return "a mount is left at " + mounts.get(0);
        }
        String[] left = new String[1];
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (attributes.isRegularFile() && attributes.size() > 0) {
                    left[0] = "the file " + file + " is left";
                } else {
                    Files.delete(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure) throws IOException {
                try {
                    Files.delete(visited);
                } catch (DirectoryNotEmptyException e) {
                    left[0] = left[0] == null ? "the directory " + visited + " is left" : left[0];
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return left[0];
    }
}
