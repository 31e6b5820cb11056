package io.csi4j.testkit.internal.disk;

import io.csi4j.testkit.internal.rule.CallRefusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The kernel permissions of this process. */
final class Privilege {
    private static final int CAP_SYS_ADMIN = 21;

    private Privilege() {}

    static void requireMounting() {
        if (!mayMount()) {
            throw CallRefusal.denied(
                    "the fake plugin has a state directory and so makes real mounts, but its process may"
                            + " not mount; run it as root or with CAP_SYS_ADMIN (R8), or without a state directory, where it"
                            + " only pretends");
        }
    }

    private static boolean mayMount() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("CapEff:")) {
                    long effective = Long.parseUnsignedLong(
                            line.substring("CapEff:".length()).strip(), 16);
                    return (effective >>> CAP_SYS_ADMIN & 1) == 1;
                }
            }
            return false;
        } catch (IOException e) {
            return false; // Without /proc, this is not Linux, and mounting is impossible.
        }
    }
}
