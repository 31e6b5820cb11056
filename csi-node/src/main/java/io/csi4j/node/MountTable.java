package io.csi4j.node;

import io.csi4j.node.internal.mount.LinuxMountTable;
import java.io.IOException;
import java.util.Optional;

/** The mount table of the operating system. Thread-safe. */
public interface MountTable {
    /**
     * Returns all mount points that this process sees, with the security contexts of those that are mounted with one. A mount
     * with a security label fails if the table does not have it. Must not access the mounts, because a hung mount would block it.
     *
     * @throws IOException if the table cannot be read; the mounts then count as unknown, and no directory is removed
     */
    MountPoints read() throws IOException;

    /**
     * Returns the id of the present boot of the machine. A changed id shows that the machine was rebooted, and so has
     * lost its mounts.
     *
     * @return the id; empty if it is not known: then the caller assumes that no reboot has happened
     */
    Optional<String> bootId();

    /**
     * Returns the mount table of Linux, from {@code /proc/self/mountinfo} and {@code /proc/sys/kernel/random/boot_id}.
     */
    static MountTable ofLinux() {
        return new LinuxMountTable();
    }
}
