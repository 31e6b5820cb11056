package io.csi4j.node.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.internal.ledger.Renewal;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Says when NodePublishVolume has to be repeated for the mounts of one volume. The due time is in the ledger, and follows
 * from the last success: a failure puts the next attempt off in memory only, so that a restart forgets no mount. A process
 * waits by elapsed time from the moment at which it reads a due time, and never longer than an interval, so that a clock
 * that is set moves nothing. Used in the tasks of the worker only.
 */
final class Renewals {
    private static final double PART_OF_LIFE = 0.8;

    private final VolumeKey key;
    private final NodePorts ports;
    private final Consumer<Runnable> inTurn;
    private final Map<UseId, Wait> waits = new HashMap<>();
    /** The mounts whose problem may be shown. */
    private final Set<UseId> shown = new HashSet<>();

    private @Nullable Cancellable timer;
    private long timerAt;
    private boolean closed;

    /** The elapsed times of one mount, in nanoseconds. */
    private static final class Wait {
        private final Renewal renewal;
        private final long expiresAt;
        private long dueAt;
        private int failures;
        private String error = "";
        private boolean expired;

        private Wait(Renewal renewal, long dueAt, long expiresAt) {
            this.renewal = renewal;
            this.dueAt = dueAt;
            this.expiresAt = expiresAt;
        }
    }

    Renewals(VolumeKey key, NodePorts ports, Consumer<Runnable> inTurn) {
        this.key = key;
        this.ports = ports;
        this.inTurn = inTurn;
    }

    /** Returns the mounts that are due now, and wakes the worker when the next one is. */
    Set<UseId> due(VolumeEntry entry) {
        if (shown.isEmpty() && entry.uses().stream().noneMatch(Renewals::counts)) {
            return Set.of();
        }
        long now = ports.timer().nanoTime();
        Set<UseId> due = new HashSet<>();
        Set<UseId> counted = new HashSet<>();
        long next = Long.MAX_VALUE;
        for (UseEntry use : entry.uses()) {
            if (!counts(use)) {
                continue;
            }
            counted.add(use.id());
            if (use.renewal().changed()) {
                ports.republish()
                        .problem(
                                target(use.id()),
                                "MOUNT_CHANGED: the plugin has changed or removed the mount when NodePublishVolume was"
                                        + " repeated; end the workload, unmount the volume and mount it again");
                continue;
            }
            Wait wait = waitOf(use, now);
            if (wait.dueAt - now <= 0) {
                due.add(use.id());
            } else {
                next = Math.min(next, wait.dueAt - now);
            }
            if (use.renewal().expiresMillis() != 0 && !wait.expired) {
                if (wait.expiresAt - now > 0) {
                    next = Math.min(next, wait.expiresAt - now);
                } else {
                    expired(use, wait);
                }
            }
            show(use, wait);
        }
        shown.removeAll(counted);
        shown.forEach(gone -> ports.republish().problem(target(gone), ""));
        shown.clear();
        shown.addAll(counted);
        waits.keySet().retainAll(counted);
        wakeIn(next, now);
        return due;
    }

    private static boolean counts(UseEntry use) {
        return use.phase() == UsePhase.PUBLISHED
                && (use.renewal().repeats() || use.renewal().changed());
    }

    private Wait waitOf(UseEntry use, long now) {
        Wait known = waits.get(use.id());
        if (known != null && known.renewal.equals(use.renewal())) {
            return known;
        }
        Renewal renewal = use.renewal();
        long clock = ports.clock().millis();
        long longest = longest(use.id(), renewal.options().interval()).toMillis();
        long left = Math.max(0, Math.min(longest, renewal.dueMillis() - clock));
        long life = Math.max(
                0,
                Math.min(renewal.expiresMillis() - clock, Duration.ofDays(365).toMillis()));
        Wait wait = new Wait(
                renewal,
                now + Duration.ofMillis(left).toNanos(),
                now + Duration.ofMillis(life).toNanos());
        waits.put(use.id(), wait);
        return wait;
    }

    private void expired(UseEntry use, Wait wait) {
        wait.expired = true;
        ports.reporter()
                .report(
                        Kind.CREDENTIAL_EXPIRED,
                        key,
                        use.allocationId(),
                        "Volume " + key + ": the last tokens that its plugin has for allocation " + use.allocationId()
                                + " ran out; " + reason(wait));
    }

    private static String reason(Wait wait) {
        return wait.failures == 0
                ? "NodePublishVolume has not been repeated since"
                : "NodePublishVolume was repeated without success " + wait.failures + " times, at last: " + wait.error;
    }

    private void show(UseEntry use, Wait wait) {
        String problem = wait.failures > 0 ? reason(wait) : "";
        ports.republish()
                .problem(
                        target(use.id()),
                        wait.expired ? "CREDENTIAL_EXPIRED: the last tokens ran out; " + reason(wait) : problem);
    }

    private Path target(UseId use) {
        return ports.paths().target(key, use);
    }

    /** Notes that the call of a mount failed, and puts the next attempt off. */
    void failed(UseEntry use, String error) {
        Wait wait = waits.get(use.id());
        if (wait == null) {
            return;
        }
        wait.failures++;
        wait.error = error;
        long interval = use.renewal().options().interval().toNanos();
        long first = ports.options().firstRetry().toNanos();
        int doublings = Math.min(wait.failures - 1, 40);
        long delay = first > interval >> doublings ? interval : first << doublings;
        wait.dueAt = ports.timer().nanoTime()
                + spread(use.id(), Duration.ofNanos(delay)).toNanos();
        ports.reporter()
                .report(
                        Kind.REPUBLISH_FAILED,
                        key,
                        use.allocationId(),
                        "Volume " + key + " stays mounted for allocation " + use.allocationId()
                                + ", and NodePublishVolume for it, which was repeated, failed: " + error);
        show(use, wait);
    }

    /**
     * Returns the renewal of a mount after a successful NodePublishVolume.
     *
     * @param expiresMillis when the tokens of the call run out, in milliseconds since the epoch; 0 if it had none
     * @param seen the entry of the mount table after the call; empty if it is not known
     */
    Renewal succeeded(UseEntry use, long expiresMillis, String seen) {
        Renewal renewal = use.renewal();
        if (!renewal.options().repeats()) {
            return renewal;
        }
        long now = ports.clock().millis();
        Duration wait = renewal.options().interval();
        if (expiresMillis != 0) {
            Duration life = Duration.ofMillis((long) (Math.max(0, expiresMillis - now) * PART_OF_LIFE));
            wait = life.compareTo(wait) < 0 ? life : wait;
        }
        return renewal.succeeded(now + longest(use.id(), wait).toMillis(), expiresMillis, seen);
    }

    private Duration longest(UseId use, Duration wait) {
        Duration spread = spread(use, wait);
        return spread.compareTo(RepublishOptions.SHORTEST) < 0 ? RepublishOptions.SHORTEST : spread;
    }

    /** Returns a time that is up to a tenth longer or shorter, always the same for one mount, so that mounts spread out. */
    private Duration spread(UseId use, Duration wait) {
        int hash = (key.hashCode() * 31 + use.hashCode()) * 0x9E3779B9;
        double tenth = ((hash >>> 8) / (double) (1 << 24) - 0.5) / 5;
        return wait.plusNanos((long) (wait.toNanos() * tenth));
    }

    void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
    }

    private void wakeIn(long nanos, long now) {
        if (closed || nanos == Long.MAX_VALUE) {
            return;
        }
        if (timer != null) {
            if (timerAt == now + nanos) {
                return;
            }
            timer.cancel();
        }
        timerAt = now + nanos;
        timer = ports.timer().schedule(Duration.ofNanos(nanos), () -> inTurn.accept(() -> timer = null));
    }
}
