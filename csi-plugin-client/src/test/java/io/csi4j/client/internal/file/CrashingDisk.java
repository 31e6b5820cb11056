package io.csi4j.client.internal.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Simulates a machine that crashes at one step. An unfinished write leaves any subset of its sectors. A rename may be lost in the crash
 * until its directory was synced.
 */
final class CrashingDisk implements Disk {
    private static final int SECTOR = 512;

    private final SplittableRandom random;
    private int stepsLeft;
    private @Nullable Renamed notSynced;

    /** @param stepsLeft the steps that succeed before the crash */
    CrashingDisk(SplittableRandom random, int stepsLeft) {
        this.random = random;
        this.stepsLeft = stepsLeft;
    }

    /** Ends the simulated process; the tested code does not catch this error. */
    static final class Crash extends Error {
        private static final long serialVersionUID = 1L;
    }

    private static final class Renamed {
        private final Path from;
        private final Path to;
        private final byte[] content;
        private final byte @Nullable [] before;

        private Renamed(Path from, Path to) throws IOException {
            this.from = from;
            this.to = to;
            this.content = Files.readAllBytes(from);
            this.before = Files.exists(to) ? Files.readAllBytes(to) : null;
        }
    }

    @Override
    public void writeAndSync(Path file, byte[] content) throws IOException {
        if (crashes()) {
            byte[] torn = Arrays.copyOf(content, random.nextInt(content.length + 1));
            for (int at = 0; at < torn.length; at += SECTOR) {
                if (random.nextBoolean()) {
                    Arrays.fill(torn, at, Math.min(at + SECTOR, torn.length), (byte) 0);
                }
            }
            Files.write(file, torn);
            throw new Crash();
        }
        Files.write(file, content);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        if (crashes()) {
            throw new Crash();
        }
        notSynced = new Renamed(from, to);
        Disk.UNSYNCED.rename(from, to);
    }

    @Override
    public void sync(Path directory) {
        if (crashes()) {
            throw new Crash();
        }
        if (notSynced != null && directory.equals(notSynced.to.getParent())) {
            notSynced = null;
        }
    }

    private boolean crashes() {
        stepsLeft--;
        return stepsLeft < 0;
    }

    void loseWhatWasNotSynced() throws IOException {
        Renamed renamed = notSynced;
        if (renamed != null && random.nextBoolean()) {
            Files.write(renamed.from, renamed.content);
            if (renamed.before == null) {
                Files.delete(renamed.to);
            } else {
                Files.write(renamed.to, renamed.before);
            }
        }
    }
}
