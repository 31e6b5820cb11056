package io.csi4j.simulation;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ExpandResult;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What somebody wishes volumes to become: larger, or with other parameters. Now and then a newer wish comes first. */
final class SimWishes {
    private static final Duration AGAIN = Duration.ofSeconds(20);
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    private final SimWorld world;
    private final SimServer server;
    private final SimVolumes volumes;
    private final SplittableRandom random;
    private final Set<Wish> open = new LinkedHashSet<>();
    private long number = 1;

    SimWishes(SimWorld world, SimServer server, SimVolumes volumes, SplittableRandom random) {
        this.world = world;
        this.server = server;
        this.volumes = volumes;
        this.random = random;
    }

    private static final class Wish {
        private final VolumeKey key;
        private final String text;
        private final Supplier<CompletableFuture<?>> asking;

        Wish(VolumeKey key, String text, Supplier<CompletableFuture<?>> asking) {
            this.key = key;
            this.text = text;
            this.asking = asking;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    void expand(VolumeKey key) {
        CapacityRange range = CapacityRange.atLeast(++number << 20);
        begin(new Wish(
                key,
                "expand " + key.volumeId() + " to " + range.requiredBytes(),
                () -> server.ask(
                        "expand",
                        engine -> engine.volumes().expand(key, range).thenApply(result -> {
                            grown(key, range, result);
                            return result;
                        }))));
        again(() -> expand(key));
    }

    void modify(VolumeKey key) {
        if (!SimVolumes.attaches(key)) {
            return;
        }
        Map<String, String> wanted = random.nextBoolean()
                ? Map.of("iops", "" + ++number)
                : Map.of("iops", "" + ++number, "tier", "" + number);
        begin(new Wish(
                key,
                "modify " + key.volumeId() + " to " + wanted,
                () -> server.ask("modify", engine -> engine.volumes().modify(key, wanted))));
        again(() -> modify(key));
    }

    /** Somebody wants something else before that is done. */
    private void again(Runnable wish) {
        if (random.nextInt(3) == 0) {
            world.scheduler().soon(AGAIN, () -> {
                if (world.faults().happen()) {
                    wish.run();
                }
            });
        }
    }

    private void begin(Wish wish) {
        open.add(wish);
        ask(wish);
    }

    /** Asked again until it is done, or refused for good. */
    private void ask(Wish wish) {
        world.trace().note("operator", wish.text);
        var unused = wish.asking.get().whenComplete((done, failure) -> {
            boolean repeat = failure instanceof CsiException known && (known.retryable() || random.nextInt(3) > 0);
            if (failure == null || volumes.known(wish.key).isEmpty() || !repeat) {
                open.remove(wish);
            } else {
                world.scheduler().after(AGAIN, () -> ask(wish));
            }
        });
        // Nobody answers for a server that crashed.
        SimProcess asked = server.asked();
        world.scheduler().after(PATIENCE, () -> {
            if (!asked.alive()) {
                open.remove(wish);
            }
        });
    }

    /** What is said to be grown is grown, at the provider and on record. */
    private void grown(VolumeKey key, CapacityRange range, ExpandResult result) {
        ExternalVolumeId id = world.externalId(key);
        if (id == null || !world.provider().knows(id) || !SimVolumes.attaches(key)) {
            return;
        }
        long there = world.provider().size(id);
        long said = result.volume().facts().capacityBytes();
        if (there < range.requiredBytes() || said < range.requiredBytes() || said > there) {
            world.violated("R82: " + key + " is said to have " + said + " bytes, " + range.requiredBytes()
                    + " were asked for, and the provider has " + there);
        }
    }

    /** What nobody answered yet. */
    String remains() {
        return open.isEmpty() ? "" : " wished " + open;
    }
}
