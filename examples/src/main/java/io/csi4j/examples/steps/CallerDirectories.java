package io.csi4j.examples.steps;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Creates and removes the directories of a CSI caller: the staging directory and the parent of the target (R85, R88). Nothing below a mount
 * point is deleted, because the data there belongs to the volume.
 */
public final class CallerDirectories {
    private static final long UMOUNT_SECONDS = 5;

    private CallerDirectories() {}

    /**
     * Creates a directory that only this user can read. A directory of an earlier run may exist already, if this user owns it.
     *
     * @param directory the directory, whose parent has to exist
     * @return the directory
     * @throws IOException if the directory cannot be created, or another user owns it
     */
    public static Path createOwned(Path directory) throws IOException {
        try {
            return Files.createDirectory(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            // Reads the user of this process, who owns /proc/self.
            Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            boolean owned = Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                    && self.equals(Files.getAttribute(directory, "unix:uid"));
            if (!owned) {
                throw new IOException(
                        directory + " exists, but is not a directory of this user; remove it, or choose another"
                                + " --volume-name or --work-dir",
                        e);
            }
            return directory;
        }
    }

    /**
     * Removes a directory with the empty directories and empty files that the plugin left in it. Other files are an error.
     *
     * @param directory the directory, which may be missing
     * @throws IOException if the directory has a mount or a file that is not empty
     */
    public static void removeEmpty(Path directory) throws IOException {
        remove(directory, true);
    }

    /**
     * Removes a directory with all its files.
     *
     * @param directory the directory, which may be missing
     * @throws IOException if the directory has a mount
     */
    public static void removeAll(Path directory) throws IOException {
        remove(directory, false);
    }

    private static void remove(Path directory, boolean onlyEmptyFiles) throws IOException {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        List<ProcessMounts.Mount> mounts = ProcessMounts.read().under(directory);
        if (!mounts.isEmpty()) {
            throw new IOException(
                    "there is still a mount at " + mounts.get(0).path() + "; nothing is deleted beneath a mount");
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (onlyEmptyFiles
                        && !attributes.isSymbolicLink()
                        && (!attributes.isRegularFile() || attributes.size() > 0)) {
                    throw new IOException(file + " is not empty, and is not ours to delete");
                }
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /**
     * Unmounts all mounts in a directory after the plugin has ended.
     *
     * @param directory a directory of this program
     * @return the number of mounts
     * @throws IOException if one of them cannot be unmounted
     */
    public static int unmountAll(Path directory) throws IOException {
        List<ProcessMounts.Mount> mounts = ProcessMounts.read().under(directory);
        for (ProcessMounts.Mount mount : mounts) {
            unmount(mount.path());
        }
        return mounts.size();
    }

    private static void unmount(Path path) throws IOException {
        Process umount = new ProcessBuilder("umount", "--", path.toString())
                .redirectErrorStream(true)
                .start();
        try {
            umount.getOutputStream().close();
            if (!umount.waitFor(UMOUNT_SECONDS, TimeUnit.SECONDS)) {
                umount.destroyForcibly();
                throw new IOException("umount " + path + " does not end");
            }
            if (umount.exitValue() != 0) {
                throw new IOException("umount " + path + " failed: "
                        + new String(umount.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
            }
        } catch (InterruptedException e) {
            umount.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while unmounting " + path, e);
        }
    }
}
