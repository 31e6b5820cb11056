package io.csi4j.node.internal.mount;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.node.MountPoints;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StrictPaths;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The result of a call, judged together with the mount table. A plugin's OK for an unmount does not count while the path is mounted, and
 * NOT_FOUND means unmounted only if nothing is mounted (R87, R91). A plugin's OK for NodePublishVolume counts only if the target is
 * published: mounted, or a block device; an inline volume need not be mounted, so nothing that is owed to it follows from the table. An OK for NodeStageVolume counts without a mount, because CSI does not say that a plugin mounts
 * something there; it does not count if the path was a mount point before the call and is none now.
 *
 * @param problem the reason why the call failed; null: success
 * @param observed whether the path is a mount point now; if the table cannot be read, whether it was one before
 * @param vain whether the plugin answered OK for a mount that is missing
 */
public record NodeCallResult(@Nullable Throwable problem, boolean observed, boolean vain) {
    private static final int FILE_TYPE = 0170000;
    private static final int BLOCK_DEVICE = 0060000;

    /**
     * Judges the end of a call.
     *
     * @param table the mount table, read after the call
     * @param publishWithoutMount the plugins that publish without a mount
     */
    public static NodeCallResult of(
            VolumeEntry entry,
            MountAction action,
            Path path,
            @Nullable Throwable error,
            Optional<MountPoints> table,
            Set<PluginId> publishWithoutMount) {
        boolean observed = table.isPresent() && !table.get().within(path).isEmpty();
        if (action.isMaking()) {
            boolean before = observedBefore(entry, action);
            if (error == null && before && !observed && table.isPresent()) {
                return new NodeCallResult(
                        new IOException("the plugin said that it is done, and nothing is mounted at " + path
                                + ", where something was before; it is unmounted and mounted again: check the"
                                + " plugin if that continues"),
                        false,
                        true);
            }
            if (action instanceof MountAction.Publish publish && error == null) {
                NodeVolumeId id = entry.id();
                boolean withoutMount =
                        isInline(entry, publish.use()) || (id != null && publishWithoutMount.contains(id.pluginId()));
                Optional<Exception> problem = unpublished(path, table, isBlock(entry, publish), withoutMount);
                if (problem.isPresent()) {
                    return new NodeCallResult(problem.get(), observed, table.isPresent());
                }
            }
            if (error == null) {
                Optional<Exception> problem = unlabelled(entry, action, path, table);
                if (problem.isPresent()) {
                    return new NodeCallResult(problem.get(), observed, false);
                }
            }
            return new NodeCallResult(error, observed || (before && table.isEmpty()), false);
        }
        if (action.isAboutOwnership()) {
            return new NodeCallResult(error, observed, false);
        }
        if (action instanceof MountAction.DirectUnmount) {
            return new NodeCallResult(directly(path, error, table, observed), observed, false);
        }
        if (error == null && observed) {
            return new NodeCallResult(
                    new IOException("the plugin said that it is done, and " + path
                            + " is still mounted; look who uses it there"),
                    true,
                    false);
        }
        boolean inline = action instanceof MountAction.Unpublish unpublish && isInline(entry, unpublish.use());
        boolean gone = error != null && NodeFailures.notFound(error) && (table.isPresent() || inline) && !observed;
        return new NodeCallResult(gone ? null : error, observed, false);
    }

    /** Returns whether the plugin has mounted without the security label. */
    public boolean isUnlabelled() {
        return problem instanceof NodeVolumeException refused && refused.reason() == Reason.LABEL_NOT_APPLIED;
    }

    /**
     * Returns why a mount does not count although the plugin has answered OK: it lacks the security label that the plugin
     * got. Some mount programs drop a label without an error. A staging without a mount is not looked at, because its
     * targets are.
     */
    private static Optional<Exception> unlabelled(
            VolumeEntry entry, MountAction action, Path path, Optional<MountPoints> table) {
        Optional<SecurityLabel> label = entry.mountedLabel(MountPlan.makes(entry, action));
        if (label.isEmpty()) {
            return Optional.empty();
        }
        if (table.isEmpty()) {
            return Optional.of(
                    new IOException("the plugin said that it is done, and the mount table cannot be read, so it"
                            + " is not known whether " + path + " has the security label; it is tried again"));
        }
        List<Path> mounted = action instanceof MountAction.Stage ? table.get().within(path) : List.of(path);
        boolean all = mounted.stream()
                .allMatch(point -> table.get()
                        .securityContext(point)
                        .filter(label.get()::isSameAs)
                        .isPresent());
        return all
                ? Optional.empty()
                : Optional.of(new NodeVolumeException(
                        Reason.LABEL_NOT_APPLIED,
                        "The plugin said that it is done, and " + path + " is not mounted with the security label "
                                + label.get()
                                + " of the request; it is unmounted. Make SELinux visible to the plugin, or"
                                + " remove securityLabel from its profile; the host then has to label the files"));
    }

    /**
     * Returns the reason why a direct unmount failed; null if it succeeded. It succeeded if the mount table no longer
     * has the path. If the path is still mounted and the call failed, {@code error} is the reason.
     */
    private static @Nullable Throwable directly(
            Path path, @Nullable Throwable error, Optional<MountPoints> table, boolean observed) {
        if (table.isEmpty()) {
            return new IOException("the mount table cannot be read, so it is not known whether the direct unmount of "
                    + path + " succeeded; it is read again");
        }
        if (!observed) {
            return null;
        }
        return error != null
                ? error
                : new IOException("the direct unmount of " + path + " answered OK, and the path is still mounted; it"
                        + " is unmounted again");
    }

    private static boolean isInline(VolumeEntry entry, UseId use) {
        return entry.use(use).filter(one -> one.terms().inline()).isPresent();
    }

    private static boolean isBlock(VolumeEntry entry, MountAction.Publish publish) {
        return entry.use(publish.use())
                .filter(use -> use.terms().capability().attachmentMode() == AttachmentMode.BLOCK)
                .isPresent();
    }

    /**
     * Returns why the volume does not count as published at a target, although the plugin has answered NodePublishVolume
     * with OK; empty if it does. The mount table decides; the plugin may be wrong, or may lie. A target that is a link leads the workload
     * to another place. Does not access the target if it is a mount
     * point, because the mount may hang.
     *
     * @param block whether the volume is published as a block device; some plugins create the device there without a
     *     mount
     * @param withoutMount whether the host says that the plugin publishes without a mount
     */
    private static Optional<Exception> unpublished(
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
                return Optional.of(new NodeVolumeException(
                        Reason.TARGET_NOT_A_MOUNT,
                        "the plugin said that it is done, and " + target
                                + " is a symbolic link, which may lead anywhere; it is unpublished and given to no"
                                + " workload: use a version of the plugin that mounts the volume at its target"));
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

    private static boolean observedBefore(VolumeEntry entry, MountAction action) {
        StagingEntry staging = entry.staging();
        return action instanceof MountAction.Publish publish
                ? entry.use(publish.use()).filter(UseEntry::observed).isPresent()
                : staging != null && staging.observed();
    }
}
