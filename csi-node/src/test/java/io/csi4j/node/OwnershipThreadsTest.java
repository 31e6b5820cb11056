package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.node.internal.ownership.OwnershipChange;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The threads of one change of ownership, on real files. Needs root on Linux; skipped elsewhere. */
class OwnershipThreadsTest {
    /** More than the kernel returns at once, so two threads share the root directory. */
    private static final int DIRECTORIES = 1_500;

    @TempDir
    Path directory;

    @Test
    @Timeout(60)
    void anotherThreadTakesThePlaceOfTheFirstOneWhenThatHasNoMoreEntries() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assumeTrue(OwnershipChange.problem().isEmpty(), "needs Linux");
        Path root = directory.toRealPath();
        for (int i = 0; i < DIRECTORIES; i++) {
            Files.createFile(
                    Files.createDirectory(root.resolve("directory-" + i)).resolve("file"));
        }
        Thread first = Thread.currentThread();
        Set<Thread> changing = ConcurrentHashMap.newKeySet();
        OwnershipProgress progress = new OwnershipProgress(() -> {
            Thread thread = Thread.currentThread();
            if (changing.add(thread) && thread != first) {
                // The first thread waits for the others only when it has changed all that it read.
                while (first.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
            }
        });

        OwnershipChange.run(
                root, new FileOwnership(1001, GroupChangePolicy.ALWAYS, OptionalLong.empty()), false, progress);

        assertThat(progress.changed()).isEqualTo(2 * DIRECTORIES + 1);
        // With one processor, one thread does all.
        boolean shared = Runtime.getRuntime().availableProcessors() > 1;
        assertThat(changing).hasSizeGreaterThan(shared ? 2 : 0);
    }
}
