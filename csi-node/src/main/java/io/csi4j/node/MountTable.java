package io.csi4j.node;

import io.csi4j.node.internal.mount.LinuxMountTable;
import java.io.IOException;
import java.util.Optional;

/** What the operating system says about mounts. Safe for use by many threads. */
public interface MountTable {
    /**
     * All mount points that this process sees. Must not touch the mounts themselves: one that hangs would hang it.
     *
     * @return the mount points now
     * @throws IOException if they cannot be had; then nothing is concluded, and no directory removed
     */
    MountPoints read() throws IOException;

    /**
     * What tells this run of the machine from the one before: mounts do not outlive it.
     *
     * @return empty if it cannot be had: then no reboot is assumed
     */
    Optional<String> bootId();

    /**
     * The table of Linux: {@code /proc/self/mountinfo} and {@code /proc/sys/kernel/random/boot_id}.
     *
     * @return the table
     */
    static MountTable ofLinux() {
        return new LinuxMountTable();
    }
}
