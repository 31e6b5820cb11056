package io.csi4j.simulation.internal.operator;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ExpandResult;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Expands volumes and changes their parameters. A newer request may supersede one in progress. */
public final class RequestedChanges {
    private static final Duration RETRY_DELAY = Duration.ofSeconds(20);
    private static final Duration CRASH_TIMEOUT = Duration.ofMinutes(15);

    private final SimWorld world;
    private final SimServer server;
    private final SimVolumes volumes;
    private final SplittableRandom random;
    private final Set<Request> pending = new LinkedHashSet<>();
    private long lastNumber = 1;

    public RequestedChanges(SimWorld world, SimServer server, SimVolumes volumes, SplittableRandom random) {
        this.world = world;
        this.server = server;
        this.volumes = volumes;
        this.random = random;
    }

    private static final class Request {
        private final VolumeKey key;
        private final String text;
        private final Supplier<CompletableFuture<?>> operation;

        Request(VolumeKey key, String text, Supplier<CompletableFuture<?>> operation) {
            this.key = key;
            this.text = text;
            this.operation = operation;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    public void expand(VolumeKey key) {
        CapacityRange range = CapacityRange.atLeast(++lastNumber << 20);
        begin(new Request(
                key,
                "expand " + key.volumeId() + " to " + range.requiredBytes(),
                () -> server.request(
                        "expand",
                        engine -> engine.volumes().expand(key, range).thenApply(result -> {
                            checkExpanded(key, range, result);
                            return result;
                        }))));
        maybeSupersede(() -> expand(key));
    }

    public void modify(VolumeKey key) {
        if (!SimVolumes.attaches(key)) {
            return;
        }
        Map<String, String> parameters = random.nextBoolean()
                ? Map.of("iops", "" + ++lastNumber)
                : Map.of("iops", "" + ++lastNumber, "tier", "" + lastNumber);
        // Map.of has another order in each process; the same seed has to give the same diagram.
        Map<String, String> inOrder = new TreeMap<>(parameters);
        begin(new Request(
                key,
                "modify " + key.volumeId() + " to " + inOrder,
                () -> server.request("modify", engine -> engine.volumes().modify(key, parameters))));
        maybeSupersede(() -> modify(key));
    }

    /** At random, makes another request soon, which may supersede the request in progress. */
    private void maybeSupersede(Runnable request) {
        if (random.nextInt(3) == 0) {
            world.scheduler().within(RETRY_DELAY, () -> {
                if (world.faults().active()) {
                    request.run();
                }
            });
        }
    }

    private void begin(Request request) {
        pending.add(request);
        send(request);
    }

    /** Repeats the request until it is done or finally refused. */
    private void send(Request request) {
        world.trace().note("operator", request.text);
        var unused = request.operation.get().whenComplete((done, failure) -> {
            boolean retry = failure instanceof CsiException known && (known.retryable() || random.nextInt(3) > 0);
            if (failure == null || volumes.find(request.key).isEmpty() || !retry) {
                pending.remove(request);
            } else {
                world.scheduler().after(RETRY_DELAY, () -> send(request));
            }
        });
        // A crashed server never completes the future.
        SimProcess target = server.lastTarget();
        world.scheduler().after(CRASH_TIMEOUT, () -> {
            if (!target.alive()) {
                pending.remove(request);
            }
        });
    }

    /** Checks that a reported expansion is true at the provider and in the state. */
    void checkExpanded(VolumeKey key, CapacityRange range, ExpandResult result) {
        ExternalVolumeId id = world.externalId(key);
        if (id == null || !world.provider().knows(id) || !SimVolumes.attaches(key)) {
            return;
        }
        long actual = world.provider().size(id);
        long reported = result.volume().facts().capacityBytes();
        if (actual < range.requiredBytes() || reported < range.requiredBytes() || reported > actual) {
            world.reportViolation("R82: " + key + " is reported to have " + reported + " bytes, "
                    + range.requiredBytes() + " were requested, and the provider has " + actual);
        }
    }

    /** The requests without an answer. */
    public String remaining() {
        return pending.isEmpty() ? "" : " pending changes " + pending;
    }
}
