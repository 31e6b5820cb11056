package io.csi4j.node.internal.mount;

import io.csi4j.node.MountPoints;
import io.csi4j.node.internal.ledger.StrictPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * Decides whether a volume is published at a target after the plugin has answered NodePublishVolume with OK. The mount
 * table decides; the plugin may be wrong, or may lie. A target that is a link leads the workload to another place.
 */
final class PublishedTarget {
    private static final int FILE_TYPE = 0170000;
    private static final int BLOCK_DEVICE = 0060000;

    private PublishedTarget() {}

    /**
     * Returns why the volume does not count as published; empty if it does. Does not access the target if it is a mount
     * point, because the mount may hang.
     *
     * @param block whether the volume is published as a block device; some plugins create the device there without a
     *     mount
     * @param withoutMount whether the host says that the plugin publishes without a mount
     */
    static Optional<IOException> problem(
            Path target, Optional<MountPoints> table, boolean block, boolean withoutMount) {
        if (table.isPresent() && table.get().contains(target)) {
            return Optional.empty();
        }
        if (table.isEmpty() && !withoutMount) {
            return Optional.of(new IOException("the plugin said that it is done, and the mount table cannot be read, so"
                    + " it is not known whether " + target + " is mounted; it is tried again"));
        }
        try {
            Optional<BasicFileAttributes> file = StrictPaths.attributes(target);
            if (file.filter(BasicFileAttributes::isSymbolicLink).isPresent()) {
                return Optional.of(new IOException("the plugin said that it is done, and " + target
                        + " is a symbolic link, which may lead anywhere; it is unpublished and published again: check"
                        + " the plugin if that continues"));
            }
            return withoutMount || (block && isBlockDevice(target))
                    ? Optional.empty()
                    : Optional.of(new IOException("the plugin said that it is done, and nothing is mounted at " + target
                            + "; it is unpublished and published again: check the plugin if that continues, or name it"
                            + " in NodeVolumeOptions.publishesWithoutMount if it publishes without a mount"));
        } catch (IOException e) {
            return Optional.of(new IOException(
                    "the plugin said that it is done, and " + target + " cannot be examined: " + NodeFailures.text(e),
                    e));
        }
    }

    private static boolean isBlockDevice(Path path) throws IOException {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return false;
        }
        try {
            Object mode = StrictPaths.call(
                    path, strict -> Files.getAttribute(strict, "unix:mode", LinkOption.NOFOLLOW_LINKS));
            return mode instanceof Integer bits && (bits & FILE_TYPE) == BLOCK_DEVICE;
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
