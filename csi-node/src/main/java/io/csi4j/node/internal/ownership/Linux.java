package io.csi4j.node.internal.ownership;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The system calls of Linux that work with the descriptor of a directory; the JDK has none that changes a file without
 * opening it. Addresses are passed as numbers, so only 64-bit systems are supported. Each method returns a negative
 * number if the call failed: the number of the error, negated.
 */
final class Linux {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EACCES = 13;
    static final int EXDEV = 18;
    static final int ENOTDIR = 20;
    static final int EINVAL = 22;
    static final int EROFS = 30;
    static final int EAGAIN = 11;
    static final int ENOSYS = 38;
    static final int ELOOP = 40;
    static final int EOPNOTSUPP = 95;

    /** The working directory; absolute paths ignore it. */
    static final int AT_FDCWD = -100;

    static final int O_DIRECTORY = Platform.isARM() || Platform.isPPC() ? 0x4000 : 0x10000;
    private static final int O_CLOEXEC = 0x80000;
    static final int O_PATH = 0x200000;

    /** Do not pass a mount point; also not the mount of a single file. */
    static final int RESOLVE_NO_XDEV = 0x01;

    static final int RESOLVE_NO_MAGICLINKS = 0x02;
    static final int RESOLVE_NO_SYMLINKS = 0x04;
    static final int RESOLVE_BENEATH = 0x08;

    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_BASIC_STATS = 0x7ff;
    /** These numbers are the same on all processors. */
    private static final int SYS_OPENAT2 = 437;

    private static final int SYS_FCHMODAT2 = 452;

    /** The size of the arguments that {@link #open} writes. */
    static final int HOW_BYTES = 24;

    /** An owner or a group that stays. */
    static final int UNCHANGED = -1;

    private static final int TRIES = 100;

    private static final Optional<String> PROBLEM = bind();

    private Linux() {}

    /** Returns the reason why this machine cannot change ownership, with the remedy; empty if it can. */
    static Optional<String> problem() {
        return PROBLEM;
    }

    private static Optional<String> bind() {
        if (!Platform.isLinux() || !Platform.is64Bit()) {
            return Optional.of("only 64-bit Linux can change ownership below a mount without following links");
        }
        try {
            Native.register(Linux.class, NativeLibrary.getInstance(Platform.C_LIBRARY_NAME));
        } catch (UnsatisfiedLinkError | NoClassDefFoundError e) {
            return Optional.of("the native part of JNA could not be loaded (" + e.getMessage()
                    + "); give the JVM a directory for temporary files whose programs may run (-Djna.tmpdir)");
        }
        return Optional.empty();
    }

    /**
     * Opens a file below a directory.
     *
     * @param name the address of the name, which ends with a zero byte
     * @param how memory that this method may write
     */
    static int open(int directory, long name, int flags, int resolve, NativeBuffer how) {
        how.putLong(0, Integer.toUnsignedLong(flags | O_CLOEXEC));
        how.putLong(8, 0);
        how.putLong(16, resolve);
        int opened = -EAGAIN;
        // The kernel asks to try again if something is renamed or mounted while it resolves a name.
        for (int attempt = 1; attempt <= TRIES && opened == -EAGAIN; attempt++) {
            opened = (int) result(syscall(SYS_OPENAT2, directory, name, how.address(), HOW_BYTES));
        }
        return opened;
    }

    /** Whether a result says that this file system, or this process, may not make a change at all. */
    static boolean isRefusal(int result) {
        return result == -EPERM || result == -EACCES || result == -EROFS || result == -EOPNOTSUPP;
    }

    /** Reads the attributes of an open file into the buffer. */
    static int attributes(int file, NativeBuffer statx) {
        return (int) result(statx(file, statx.emptyText(), AT_EMPTY_PATH, STATX_BASIC_STATS, statx.address()));
    }

    /** Changes the owner and the group of an open file; -1 leaves one as it is. */
    static int owner(int file, int owner, int group, NativeBuffer any) {
        return (int) result(fchownat(file, any.emptyText(), owner, group, AT_EMPTY_PATH));
    }

    /** Changes the mode of an open file. */
    static int mode(int file, int mode, NativeBuffer any) {
        int changed = (int) result(syscall(SYS_FCHMODAT2, file, any.emptyText(), mode, AT_EMPTY_PATH));
        if (changed != -ENOSYS) {
            return changed;
        }
        // Before Linux 6.6, a descriptor of O_PATH has no chmod; its name in /proc leads to the same file.
        byte[] path = ("/proc/self/fd/" + file + "\0").getBytes(StandardCharsets.US_ASCII);
        return (int) result(chmod(path, mode));
    }

    /** Reads more entries of an open directory into the buffer; returns the number of bytes, 0 at the end. */
    static int entries(int directory, NativeBuffer entries) {
        return (int) result(getdents64(directory, entries.address(), entries.bytes()));
    }

    /** Writes all changes of the file system of an open file to its disk. */
    static int sync(int file) {
        return (int) result(syncfs(file));
    }

    static void closeFile(int file) {
        int unused = close(file);
    }

    /** Returns the words of the system for the number of an error. */
    static String words(int error) {
        return strerror(error);
    }

    private static long result(long returned) {
        return returned < 0 ? -Native.getLastError() : returned;
    }

    private static native long syscall(long number, long file, long name, long third, long fourth);

    private static native int statx(int directory, long path, int flags, int mask, long buffer);

    private static native int fchownat(int directory, long path, int owner, int group, int flags);

    private static native int chmod(byte[] path, int mode);

    private static native long getdents64(int directory, long buffer, long bytes);

    private static native int syncfs(int file);

    private static native int close(int file);

    private static native String strerror(int error);
}
