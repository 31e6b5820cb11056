package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.node.ScriptedNode.Fate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random mounts, unmounts, faults, kills at every write, restarts and reboots on virtual time. Each run is a seed, from
 * 1 on; run others with {@code -Dcsi4j.node.first=... -Dcsi4j.node.runs=...}, and one alone with {@code
 * -Dcsi4j.node.seed=...}.
 */
class NodeVolumesModelTest {
    private static final int RUNS = Integer.getInteger("csi4j.node.runs", 100);
    private static final int STEPS = 60;
    private static final List<Fate> FATES = List.of(Fate.values());
    private static final List<String> VOLUMES = List.of("v", "w");
    /** The mounts of the allocations a, b and c. The second mount of a has the name of its target. */
    private static final List<String> MOUNTS = List.of("a", "a~1", "b", "c");

    @TempDir
    Path directory;

    /** Ends the simulated process in the middle of a write. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void invariantsHoldInRandomRuns() throws IOException {
        Long one = Long.getLong("csi4j.node.seed");
        long first = one != null ? one : Long.getLong("csi4j.node.first", 1);
        Tally tally = new Tally();
        for (int run = 0; run < (one != null ? 1 : RUNS); run++) {
            long seed = first + run;
            try {
                new Run(Files.createDirectory(directory.resolve("run" + run)), seed, tally).all();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
        if (one == null && RUNS >= 100) {
            // Checks that the runs have included enough crashes. Fewer runs may lack some events.
            assertThat(tally.kills).isGreaterThan(RUNS / 2);
            assertThat(tally.mounted).isGreaterThan(RUNS);
            assertThat(tally.reboots).isPositive();
            assertThat(tally.orphans).isPositive();
        }
    }

    private static final class Tally {
        int kills;
        int mounted;
        int reboots;
        int orphans;
    }

    private static final class Run {
        private final SplittableRandom random;
        private final Bench bench;
        private final Tally tally;
        private final Map<String, CompletableFuture<MountedVolume>> mounting = new HashMap<>();
        private final Set<String> requested = new HashSet<>();
        private final List<String> did = new ArrayList<>();
        /** Futures whose results are ignored, because only their effects are checked. */
        private final List<CompletableFuture<?>> ignored = new ArrayList<>();

        private boolean calm;
        private int writesLeft = -1;
        /** Whether the process was killed at a write, and the next one has not started. */
        private boolean dead;

        Run(Path base, long seed, Tally tally) {
            this.random = new SplittableRandom(seed);
            this.tally = tally;
            this.bench = new Bench(base, seed, random.nextInt(4) != 0);
            bench.node.fates = this::fate;
            bench.checkpoint = () -> {
                if (writesLeft > 0 && --writesLeft == 0) {
                    // Ends the process here. The exception only leaves the write: the worker logs it and does not
                    // rethrow it.
                    dead = true;
                    bench.crash();
                    throw new Killed();
                }
            };
        }

        private Fate fate(Rpc rpc) {
            if (calm || random.nextInt(3) != 0) {
                return Fate.OK;
            }
            Fate fate = FATES.get(random.nextInt(FATES.size()));
            boolean undoing = rpc == Rpc.NODE_UNPUBLISH_VOLUME || rpc == Rpc.NODE_UNSTAGE_VOLUME;
            // Never lets an undone unmount take effect late, because no caller could handle that.
            return undoing && fate == Fate.LATE ? Fate.NOT_DONE : fate;
        }

        void all() throws IOException {
            for (int step = 0; step < STEPS; step++) {
                act();
                bench.time.advance(Duration.ofMillis(random.nextInt(60)));
                if (dead) {
                    killed();
                }
                query();
            }
            end();
        }

        private void act() {
            String volume = VOLUMES.get(random.nextInt(VOLUMES.size()));
            String allocation = MOUNTS.get(random.nextInt(MOUNTS.size()));
            String use = volume + "/" + allocation;
            int what = random.nextInt(20);
            did.add(what + " " + use);
            if (what < 8) {
                if (requested.add(use)) {
                    mounting.put(use, mount(volume, allocation));
                }
            } else if (what < 13) {
                ignored.add(unmount(use));
            } else if (what < 15 && mounting.containsKey(use)) {
                CompletableFuture<MountedVolume> mount = mounting.get(use);
                mount.cancel(false);
                if (mount.isCancelled()) {
                    gone(use);
                }
            } else if (what == 15) {
                writesLeft = 1 + random.nextInt(12);
            } else if (what == 16) {
                killed();
            } else if (what == 17) {
                ignored.add(bench.volumes.check());
            } else if (what == 18) {
                bench.node.there = !bench.node.there;
            } else if (what == 19 && random.nextInt(3) == 0) {
                tally.reboots++;
                bench.crash();
                bench.node.reboot();
                // No workload survives a reboot; each gets its volume again when its mount completes again.
                Set<String> ran = Set.copyOf(bench.node.living);
                bench.node.living.clear();
                reopen(ran);
            }
        }

        /**
         * Mounts a volume. Allocation c needs other mount options, so it cannot use a volume together with the others. The
         * second mount of a has other flags and is read-only.
         */
        private CompletableFuture<MountedVolume> mount(String volume, String mount) {
            boolean second = mount.endsWith("~1");
            String fsType = mount.equals("c") ? "xfs" : "ext4";
            return bench.volumes.mount(Bench.request(volume, allocation(mount))
                    .mountOptions(MountOptions.of(fsType, "noatime"))
                    .targetFlags(MountFlags.of(second ? "nosuid" : "noatime"))
                    .readonly(second)
                    .number(second ? 1 : 0)
                    .build());
        }

        private static String allocation(String mount) {
            return mount.split("~", -1)[0];
        }

        private CompletableFuture<Void> unmount(String use) {
            String[] parts = use.split("/", -1);
            for (String mount : MOUNTS) {
                if (allocation(mount).equals(allocation(parts[1]))) {
                    gone(parts[0] + "/" + mount);
                }
            }
            return bench.unmount(parts[0], allocation(parts[1]));
        }

        private void gone(String use) {
            requested.remove(use);
            mounting.remove(use);
            bench.node.living.remove(target(use));
        }

        private String target(String use) {
            String[] parts = use.split("/", -1);
            return bench.target(parts[0], parts[1]);
        }

        private void killed() {
            tally.kills++;
            did.add("killed");
            if (!dead) {
                bench.crash();
            }
            dead = false;
            // The next process needs time to start, so the plugin receives the calls of this one first.
            bench.time.advance(Duration.ofMillis(1));
            reopen(Set.copyOf(bench.node.living));
        }

        /** Starts the next process: its host knows the running workloads, and requests the unmount of all other recorded uses. */
        private void reopen(Set<String> ran) {
            writesLeft = -1;
            mounting.clear();
            bench.open();
            for (String use : List.copyOf(requested)) {
                String[] parts = use.split("/", -1);
                if (!requested.contains(use)) {
                    // The host has ended its allocation.
                    continue;
                }
                if (ran.contains(target(use)) || random.nextBoolean()) {
                    mounting.put(use, mount(parts[0], parts[1]));
                } else {
                    ignored.add(unmount(use));
                }
            }
        }

        private void query() {
            for (Map.Entry<String, CompletableFuture<MountedVolume>> each :
                    Map.copyOf(mounting).entrySet()) {
                if (!each.getValue().isDone()) {
                    continue;
                }
                if (each.getValue().isCompletedExceptionally()) {
                    // No run lasts as long as the limit of a mount, until the quarter of an hour without faults.
                    assertThat(each.getValue()
                                    .handle((value, error) -> String.valueOf(error))
                                    .join())
                            .as("the mount %s ends, after %s %s", each.getKey(), did, bench.node.log)
                            .doesNotContain(" was not mounted for allocation ");
                    boolean refused = !bench.node.living.contains(target(each.getKey()));
                    if (refused) {
                        gone(each.getKey());
                    }
                } else if (bench.node.living.add(target(each.getKey()))) {
                    tally.mounted++;
                    assertThat(bench.node.published)
                            .as("a mounted volume is published, after %s %s", did, bench.node.log)
                            .containsKey(target(each.getKey()));
                }
            }
            check();
        }

        private void check() {
            assertThat(bench.node.violations)
                    .as("after %s %s", did, bench.node.log)
                    .isEmpty();
        }

        private void end() throws IOException {
            calm = true;
            writesLeft = -1;
            bench.node.there = true;
            bench.time.advance(Duration.ofMinutes(15));
            query();
            for (String target : bench.node.living) {
                assertThat(bench.node.published)
                        .as("a volume in use is published, after %s %s", did, bench.node.log)
                        .containsKey(target);
            }
            List<CompletableFuture<Void>> unmounts = new ArrayList<>();
            for (String volume : VOLUMES) {
                for (String allocation : MOUNTS) {
                    unmounts.add(unmount(volume + "/" + allocation));
                }
            }
            bench.time.advance(Duration.ofMinutes(10));
            unmounts.forEach(CompletableFuture::join);
            bench.time.advance(Duration.ofHours(3));
            check();
            tally.orphans += (int) bench.events.stream()
                    .filter(event -> event.kind() == NodeVolumeEvent.Kind.ORPHAN_FOUND)
                    .count();
            assertThat(bench.node.mounts).as("after %s %s", did, bench.node.log).isEmpty();
            assertThat(bench.node.staged).isEmpty();
            assertThat(bench.volumes.volumesFor(AllocationId.of("a"))).isEmpty();
            assertThat(left()).as("after %s %s", did, bench.node.log).isEmpty();
            bench.crash();
        }

        private List<String> left() throws IOException {
            try (Stream<Path> files = Files.walk(bench.base)) {
                return files.map(file -> bench.base.relativize(file).toString())
                        .filter(name ->
                                name.contains(".rec") || name.startsWith("publish/") || name.startsWith("staging/"))
                        .toList();
            }
        }
    }
}
