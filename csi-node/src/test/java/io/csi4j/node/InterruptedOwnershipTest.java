package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.node.internal.ownership.OwnershipChange;
import io.csi4j.node.internal.ownership.OwnershipException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A change to another group ends with its agent after each of its changes, on real files. Each later mount, on the same node
 * or on another one, gets the tree that a change without an interruption makes. Needs root on Linux; skipped elsewhere.
 */
class InterruptedOwnershipTest {
    private static final long FORMER = 1001;
    private static final long INTERRUPTED = 2002;

    @TempDir
    Path directory;

    @BeforeEach
    void requireRoot() {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assumeTrue(OwnershipChange.problem().isEmpty(), "needs Linux");
    }

    /** Makes a tree that belongs to the former group, in which the workload then has made files of its own. */
    private Path tree(String name) throws IOException {
        Path root = Files.createDirectory(directory.toRealPath().resolve(name));
        withMode(root, 0755);
        fill(root, "former-");
        change(root, wanted(FORMER, GroupChangePolicy.ON_ROOT_MISMATCH), new OwnershipProgress());
        fill(root, "own-");
        return root;
    }

    private static void fill(Path root, String prefix) throws IOException {
        Path open = Files.createDirectory(root.resolve(prefix + "open"));
        Path closed = Files.createDirectory(root.resolve(prefix + "closed"));
        Path none = Files.createDirectory(open.resolve("none"));
        withMode(Files.createFile(open.resolve("readonly")), 0400);
        withMode(Files.createFile(closed.resolve("secret")), 0600);
        Files.setAttribute(closed.resolve("secret"), "unix:uid", 4321);
        withMode(Files.createFile(none.resolve("setgid")), 02755);
        withMode(Files.createFile(root.resolve(prefix + "setuid")), 04755);
        Files.createSymbolicLink(root.resolve(prefix + "link"), Path.of(prefix + "setuid"));
        Files.createSymbolicLink(closed.resolve("dangling"), Path.of("/nowhere"));
        withMode(open, 0755);
        withMode(closed, 0700);
        withMode(none, 0);
    }

    private static void withMode(Path path, int mode) throws IOException {
        Files.setAttribute(path, "unix:mode", mode);
    }

    private static FileOwnership wanted(long group, GroupChangePolicy policy) {
        return new FileOwnership(group, policy, OptionalLong.empty());
    }

    private static void change(Path root, FileOwnership wanted, OwnershipProgress progress) {
        try {
            OwnershipChange.run(root, wanted, false, progress);
        } catch (OwnershipException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns owner, group and mode of each file of a tree. */
    private static SortedMap<String, String> state(Path root) {
        SortedMap<String, String> state = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                state.put(
                        root.relativize(file).toString(),
                        String.format(
                                "%o %s %s",
                                (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS),
                                Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS),
                                Files.getAttribute(file, "unix:gid", LinkOption.NOFOLLOW_LINKS)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return state;
    }

    /** Changes a tree and stops after some changes; stops before the first one for 0. */
    private static void interrupted(Path root, FileOwnership wanted, long after) {
        AtomicLong left = new AtomicLong(after);
        List<OwnershipProgress> own = new ArrayList<>();
        OwnershipProgress progress = new OwnershipProgress(() -> {
            if (left.decrementAndGet() == 0) {
                own.get(0).cancel();
            }
        });
        own.add(progress);
        if (after == 0) {
            progress.cancel();
        }
        try {
            OwnershipChange.run(root, wanted, false, progress);
        } catch (OwnershipException e) {
            assertThat(e.reason()).isEqualTo(OwnershipException.Reason.CANCELLED);
        }
    }

    private static CompletableFuture<MountedVolume> mount(
            Bench bench, String allocation, long group, GroupChangePolicy policy) {
        return bench.volumes.mount(Bench.request("v", allocation)
                .mountOptions(new MountOptions(
                        "ext4",
                        MountFlags.empty(),
                        String.valueOf(group),
                        new OwnershipOptions(policy, OptionalLong.empty())))
                .build());
    }

    /** Returns the future of a change whose agent ends before the change is recorded. */
    private static CompletableFuture<Void> agentEnds() {
        return new CompletableFuture<>();
    }

    @ParameterizedTest
    @CsvSource({
        "1001, ON_ROOT_MISMATCH, false",
        "1001, ON_ROOT_MISMATCH, true",
        "2002, ON_ROOT_MISMATCH, false",
        "2002, ON_ROOT_MISMATCH, true",
        "3003, ON_ROOT_MISMATCH, true",
        "1001, ALWAYS, false",
        "2002, ALWAYS, true"
    })
    void noMountGetsAHalfChangedTree(long group, GroupChangePolicy policy, boolean otherNode) throws IOException {
        Path reference = tree("reference");
        OwnershipProgress whole = new OwnershipProgress();
        change(reference, wanted(INTERRUPTED, GroupChangePolicy.ON_ROOT_MISMATCH), whole);
        change(reference, wanted(group, GroupChangePolicy.ALWAYS), new OwnershipProgress());
        SortedMap<String, String> expected = state(reference);
        assertThat(whole.changed()).isEqualTo(15);

        for (long changes = 0; changes < whole.changed(); changes++) {
            Path root = tree("tree-" + changes);
            long stop = changes;
            Bench bench = new Bench(Files.createDirectory(directory.resolve("node-" + changes)), 1, true);
            bench.ownership = (target, wanted, progress) -> {
                interrupted(root, wanted, stop);
                return agentEnds();
            };
            CompletableFuture<MountedVolume> lost = mount(bench, "b", INTERRUPTED, GroupChangePolicy.ON_ROOT_MISMATCH);
            bench.time.advance(Duration.ofMinutes(1));
            assertThat(lost).isNotDone();
            bench.crash();

            Bench next = bench;
            if (otherNode) {
                next = new Bench(Files.createDirectory(directory.resolve("other-" + changes)), 2, true);
            } else {
                // The node begins again after its start, and is withdrawn in the middle once more.
                bench.ownership = (target, wanted, progress) -> {
                    interrupted(root, wanted, 1);
                    return CompletableFuture.failedFuture(new IOException("the storage does not answer"));
                };
                bench.open();
                bench.done(bench.unmount("v", "b"));
            }
            next.ownership = (target, wanted, progress) -> {
                change(root, wanted, progress);
                return CompletableFuture.completedFuture(null);
            };
            CompletableFuture<SortedMap<String, String>> handedOut =
                    mount(next, "a", group, policy).thenApply(mounted -> state(root));
            assertThat(next.done(handedOut)).as("after %s changes", changes).isEqualTo(expected);
        }
    }
}
