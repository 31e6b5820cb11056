package io.csi4j.node.internal.ownership;

import io.csi4j.core.internal.text.Text;
import io.csi4j.node.FileOwnership;
import io.csi4j.node.OwnershipProgress;
import io.csi4j.node.internal.ownership.OwnershipException.Reason;
import java.util.ArrayDeque;
import java.util.Deque;

/** Changes entries of one directory and all below them, in one thread. */
final class Walker implements AutoCloseable {
    /** The number of directories inside each other; one descriptor is open for each of them. */
    static final int MAX_DEPTH = 512;

    static final int GROUP_OF_FILE = 0060;
    static final int GROUP_OF_DIRECTORY = 02070;

    private static final int SPECIAL = 07000;
    private static final int BELOW =
            Linux.RESOLVE_BENEATH | Linux.RESOLVE_NO_XDEV | Linux.RESOLVE_NO_SYMLINKS | Linux.RESOLVE_NO_MAGICLINKS;

    private final TreeWalk walk;
    private final FileOwnership wanted;
    private final OwnershipProgress progress;
    private final NativeBuffer how = new NativeBuffer(Linux.HOW_BYTES);
    private final FileStatus status = new FileStatus();
    private final Deque<Level> levels = new ArrayDeque<>();
    private final Deque<Entries> spare = new ArrayDeque<>();

    Walker(TreeWalk walk, FileOwnership wanted, OwnershipProgress progress, OpenDirectory directory, Entries first) {
        this.walk = walk;
        this.wanted = wanted;
        this.progress = progress;
        levels.addLast(new Level(directory, first));
    }

    /** A directory that this walker reads, with the entries that were read last. */
    private static final class Level {
        final OpenDirectory directory;
        Entries entries;

        Level(OpenDirectory directory, Entries entries) {
            this.directory = directory;
            this.entries = entries;
        }
    }

    void run() throws OwnershipException {
        while (!levels.isEmpty()) {
            Level level = levels.getLast();
            if (level.entries.advance()) {
                visit(level.directory, level.entries);
            } else if (!readMore(level)) {
                leave();
            }
        }
    }

    private boolean readMore(Level level) throws OwnershipException {
        while (true) {
            int read = level.entries.read(level.directory.descriptor());
            if (read < 0 && read != -Linux.ENOENT) {
                throw OwnershipException.failed("the directory could not be read", level.directory.path(""), read);
            }
            if (read <= 0) {
                return false;
            }
            if (!walk.handOver(level.directory, level.entries)) {
                return true;
            }
            level.entries = entries();
        }
    }

    private Entries entries() {
        return spare.isEmpty() ? new Entries() : spare.removeLast();
    }

    private void leave() {
        Level level = levels.removeLast();
        level.directory.release();
        spare.addLast(level.entries);
    }

    private void visit(OpenDirectory directory, Entries entries) throws OwnershipException {
        walk.check();
        progress.visit();
        if (entries.isLink() || walk.excludes(directory, entries)) {
            return;
        }
        int file = Linux.open(directory.descriptor(), entries.nameAddress(), Linux.O_PATH, BELOW, how);
        if (isElsewhere(file)) {
            return;
        }
        if (file < 0) {
            throw failed("the file could not be opened", directory, entries, file);
        }
        boolean enters;
        try {
            int read = status.read(file);
            if (read < 0) {
                throw failed("the file could not be read", directory, entries, read);
            }
            if (!status.isContent()) {
                return;
            }
            enters = status.isDirectory();
            change(directory, entries, file);
        } finally {
            Linux.closeFile(file);
        }
        if (enters) {
            enter(directory, entries);
        }
    }

    private void change(OpenDirectory directory, Entries entries, int file) throws OwnershipException {
        int mode = status.mode();
        int goal = mode | (status.isDirectory() ? GROUP_OF_DIRECTORY : GROUP_OF_FILE);
        boolean otherGroup = status.group() != (int) wanted.group();
        // A change of the group takes the setuid and setgid bits from a file.
        boolean lost = otherGroup && !status.isDirectory() && (mode & SPECIAL) != 0;
        if (otherGroup) {
            changed(directory, entries, Linux.owner(file, Linux.UNCHANGED, (int) wanted.group(), how));
        }
        if (goal != mode || lost) {
            changed(directory, entries, Linux.mode(file, goal, how));
        }
        if (otherGroup || goal != mode) {
            progress.change();
        }
    }

    private void changed(OpenDirectory directory, Entries entries, int result) throws OwnershipException {
        if (Linux.isRefusal(result) && progress.changed() == 0) {
            throw OwnershipException.unsupported(
                    "the group or the mode of '" + Text.printable(directory.path(entries.name())) + "'", result);
        }
        if (result < 0 && result != -Linux.ENOENT) {
            throw failed("the group or the mode could not be changed", directory, entries, result);
        }
    }

    private static OwnershipException failed(String what, OpenDirectory directory, Entries entries, int error) {
        return OwnershipException.failed(what, directory.path(entries.name()), error);
    }

    private void enter(OpenDirectory directory, Entries entries) throws OwnershipException {
        if (directory.depth() + 1 >= MAX_DEPTH) {
            throw new OwnershipException(
                    Reason.FAILED,
                    "'" + Text.printable(directory.path(entries.name())) + "' is deeper than " + MAX_DEPTH
                            + " directories; make the tree flatter, or change the root directory only");
        }
        int opened = Linux.open(directory.descriptor(), entries.nameAddress(), Linux.O_DIRECTORY, BELOW, how);
        if (isElsewhere(opened) || opened == -Linux.ENOTDIR) {
            return;
        }
        if (opened < 0) {
            throw failed("the directory could not be opened", directory, entries, opened);
        }
        levels.addLast(new Level(directory.child(opened, entries.name()), entries()));
    }

    /** Whether a name disappeared, became a link, or is a mount point: such a file does not belong to the tree. */
    private static boolean isElsewhere(int opened) {
        return opened == -Linux.ENOENT || opened == -Linux.ELOOP || opened == -Linux.EXDEV;
    }

    @Override
    public void close() {
        while (!levels.isEmpty()) {
            leave();
        }
        spare.forEach(Entries::close);
        status.close();
        how.close();
    }
}
