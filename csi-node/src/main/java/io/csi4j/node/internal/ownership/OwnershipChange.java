package io.csi4j.node.internal.ownership;

import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.node.FileOwnership;
import io.csi4j.node.OwnershipProgress;
import io.csi4j.node.internal.ownership.OwnershipException.Reason;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Gives a mounted file system to a group: the root directory and all below it get the group; files get rights to read
 * and write for it, directories to read, write and enter, and the bit that gives the group to new entries (setgid).
 * Other rights and the owners stay. Symbolic links, devices and what is mounted inside are left out, and so are excluded
 * entries of the root directory with all below them.
 *
 * <p>Each file is opened by its name in a directory that is open already, and the kernel refuses links and mount points
 * on the way, so a process that exchanges names during the walk cannot lead it out of the mount.
 *
 * <p>Whether a volume is empty is read from the open root directory; no entry is opened for it.
 *
 * <p>The root loses its setgid bit before the first change and gets its group and the bit after the last one. So a tree
 * that is not finished never looks finished, for any group, on any machine.
 */
public final class OwnershipChange {
    private static final int SETGID = 02000;

    private final Path target;
    private final FileOwnership wanted;
    private final OwnershipProgress progress;
    private final int root;
    private final NativeBuffer any;
    private final FileStatus status;

    private OwnershipChange(
            Path target,
            FileOwnership wanted,
            OwnershipProgress progress,
            int root,
            NativeBuffer any,
            FileStatus status) {
        this.target = target;
        this.wanted = wanted;
        this.progress = progress;
        this.root = root;
        this.any = any;
        this.status = status;
    }

    /** Returns the reason why this machine cannot change ownership, with the remedy; empty if it can. */
    public static Optional<String> problem() {
        return Linux.problem();
    }

    /**
     * Changes the ownership of a mounted file system. Blocks until all is done.
     *
     * @param target the absolute path of the root directory, without symbolic links
     * @param mounted whether the path has to be the root of a mount
     * @param progress is updated during the walk, and may cancel it
     * @throws OwnershipException if the ownership was not changed, or not of all files
     */
    public static void run(Path target, FileOwnership wanted, boolean mounted, OwnershipProgress progress)
            throws OwnershipException {
        Optional<String> problem = problem();
        if (problem.isPresent()) {
            throw new OwnershipException(Reason.UNSUPPORTED_HERE, problem.get());
        }
        byte[] path = target.toString().getBytes(StandardCharsets.UTF_8);
        try (NativeBuffer any = new NativeBuffer(Math.max(Linux.HOW_BYTES, path.length + 1));
                FileStatus status = new FileStatus()) {
            int root = open(target, path);
            try {
                new OwnershipChange(target, wanted, progress, root, any, status).run(mounted);
            } finally {
                Linux.closeFile(root);
            }
        }
    }

    private static int open(Path target, byte[] path) throws OwnershipException {
        try (NativeBuffer name = new NativeBuffer(path.length + 1);
                NativeBuffer how = new NativeBuffer(Linux.HOW_BYTES)) {
            name.put(path);
            int root = Linux.open(Linux.AT_FDCWD, name.address(), Linux.O_DIRECTORY, Linux.RESOLVE_NO_SYMLINKS, how);
            if (root == -Linux.ELOOP || root == -Linux.ENOTDIR || root == -Linux.ENOENT) {
                throw new OwnershipException(
                        Reason.NOT_A_MOUNT,
                        "the target '" + target + "' is no directory of this node, or a link is in its path ("
                                + Linux.words(-root) + "); the plugin has to mount the volume at the target itself");
            }
            if (root == -Linux.ENOSYS) {
                throw new OwnershipException(
                        Reason.UNSUPPORTED_HERE,
                        "the kernel of this node has no openat2, so links could be followed; use Linux 5.6 or later");
            }
            return require(root, "the root directory could not be opened");
        }
    }

    private void run(boolean mounted) throws OwnershipException {
        int unused = require(status.read(root), "the root directory could not be read");
        if (mounted && status.isNoMount()) {
            throw new OwnershipException(
                    Reason.NOT_A_MOUNT,
                    "nothing is mounted at the target '" + target + "' any more; look what unmounted it");
        }
        int before = status.mode();
        int goal = before | Walker.GROUP_OF_DIRECTORY;
        int owner = wanted.owner().isPresent() ? (int) wanted.owner().getAsLong() : status.owner();
        boolean matches = status.group() == (int) wanted.group() && before == goal;
        boolean ifEmpty = wanted.policy() == GroupChangePolicy.ROOT_IF_EMPTY;
        boolean rootOnly = ifEmpty
                || wanted.policy() == GroupChangePolicy.ROOT_ONLY
                || (wanted.policy() == GroupChangePolicy.ON_ROOT_MISMATCH && matches);
        if (rootOnly && matches && owner == status.owner()) {
            return;
        }
        if (ifEmpty && !isEmpty()) {
            progress.because("the volume is not empty, so its root directory stays as it is (ROOT_IF_EMPTY)");
            return;
        }
        progress.because(reason(matches, before, goal, owner));
        if (!rootOnly) {
            try {
                changeEntries(before);
            } catch (OwnershipException e) {
                if (e.reason() == Reason.UNSUPPORTED_HERE) {
                    restore(before);
                }
                throw e;
            }
        }
        finish(before, goal, owner);
    }

    /** Returns whether the root directory has only entries that do not come from a workload. */
    private boolean isEmpty() throws OwnershipException {
        List<byte[]> notCounted = names();
        notCounted.add(bytes("lost+found"));
        try (Entries entries = new Entries()) {
            while (require(entries.read(root), "the root directory could not be read") > 0) {
                while (entries.advance()) {
                    if (!entries.isOneOf(notCounted)) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private List<byte[]> names() {
        return wanted.excludes().stream().map(OwnershipChange::bytes).collect(Collectors.toCollection(ArrayList::new));
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns why something is changed, so that operators see a plugin that sets the root directory at each mount. */
    private String reason(boolean matches, int before, int goal, int owner) {
        List<String> differences = new ArrayList<>();
        if (status.group() != (int) wanted.group()) {
            differences.add("group " + Integer.toUnsignedString(status.group()) + " instead of " + wanted.group());
        }
        if (before != goal) {
            differences.add(String.format("mode %04o instead of %04o", before, goal));
        }
        if (owner != status.owner()) {
            differences.add("owner " + Integer.toUnsignedString(status.owner()) + " instead of "
                    + Integer.toUnsignedString(owner));
        }
        return matches && wanted.policy() == GroupChangePolicy.ALWAYS
                ? "the request wants all files to be changed at each mount"
                : "the root directory has " + String.join(", ", differences);
    }

    private void changeEntries(int before) throws OwnershipException {
        // Takes the sign of a finished change from the root. This is the first change, so it shows what is possible
        // here.
        int marked = Linux.mode(root, before & ~SETGID, any);
        if (marked < 0) {
            throw OwnershipException.unsupported("the mode of the root directory", marked);
        }
        new TreeWalk(wanted, names(), progress).run(root);
        // Otherwise the disk could have the root's change after a power failure, and not those before it.
        int unused = require(Linux.sync(root), "the file system could not be written to its disk");
    }

    private void finish(int before, int goal, int owner) throws OwnershipException {
        int given = Linux.owner(root, owner, (int) wanted.group(), any);
        int set = given < 0 ? given : Linux.mode(root, goal, any);
        if (set < 0 && progress.changed() == 0) {
            restore(before);
            throw OwnershipException.unsupported("the owner, the group or the mode of the root directory", set);
        }
        int unused = require(set, "the group or the mode of the root directory could not be changed");
        unused = require(status.read(root), "the root directory could not be read");
        if (status.group() != (int) wanted.group() || status.mode() != goal || status.owner() != owner) {
            throw new OwnershipException(
                    Reason.UNSUPPORTED_HERE,
                    "the file system accepted a change of its root directory and did not make it; let the plugin or the"
                            + " server set the group, and name none in the request");
        }
        progress.change();
    }

    private void restore(int mode) {
        int unused = Linux.mode(root, mode, any);
    }

    private static int require(int result, String what) throws OwnershipException {
        if (result < 0) {
            throw OwnershipException.failed(what, "", result);
        }
        return result;
    }
}
