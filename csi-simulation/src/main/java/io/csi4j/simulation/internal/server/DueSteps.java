package io.csi4j.simulation.internal.server;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the leader begins each step soon after it is due. A step begins with a call, which is then in flight, or
 * with a command. After a command without an answer the leader waits for the answer, and then for the end of a backoff.
 */
final class DueSteps {
    private static final Duration INTERVAL = Duration.ofSeconds(30);
    /** Longer than the leader waits for the answer to a command and the longest backoff after that. */
    private static final Duration BOUND = Duration.ofMinutes(7);

    private final SimWorld world;
    private final Supplier<@Nullable VolumeLifecycle> leader;
    private final Map<VolumeKey, Duration> dueSince = new HashMap<>();

    DueSteps(SimWorld world, Supplier<@Nullable VolumeLifecycle> leader) {
        this.world = world;
        this.leader = leader;
    }

    void begin() {
        world.scheduler().after(INTERVAL, () -> {
            check();
            begin();
        });
    }

    /** Forgets all steps, because another leader begins to work. */
    void newTerm() {
        dueSince.clear();
    }

    private void check() {
        VolumeLifecycle lifecycle = leader.get();
        if (lifecycle == null) {
            dueSince.clear();
            return;
        }
        Set<VolumeKey> unsettled = new HashSet<>();
        for (VolumeKey key : world.store().snapshot().unsettledVolumes()) {
            unsettled.add(key);
            var unused = lifecycle.claims().status(key).thenAccept(status -> check(lifecycle, key, status));
        }
        dueSince.keySet().retainAll(unsettled);
    }

    private void check(VolumeLifecycle lifecycle, VolumeKey key, Optional<VolumeStatus> status) {
        if (!lifecycle.equals(leader.get())) {
            return;
        }
        if (status.isEmpty() || status.get().remaining().steps().isEmpty()) {
            dueSince.remove(key);
            return;
        }
        Duration now = world.scheduler().elapsed();
        Duration since = dueSince.computeIfAbsent(key, unused -> now);
        if (now.minus(since).compareTo(BOUND) > 0) {
            world.reportViolation("I7: a step of " + key + " is due for " + BOUND + " and does not begin: "
                    + status.get().remaining().steps());
        }
    }

    /** Returns the log of a server, which notices the commands for each volume. */
    CommandLog observed(CommandLog log) {
        return new CommandLog() {
            @Override
            public ObservableState state() {
                return log.state();
            }

            @Override
            public CompletableFuture<Outcome> submit(Command command) {
                volumes(command, dueSince::remove);
                return log.submit(command);
            }
        };
    }

    private static void volumes(Command command, Consumer<VolumeKey> volume) {
        if (command instanceof Batch batch) {
            batch.commands().forEach(one -> volumes(one, volume));
        } else if (command instanceof VolumeCommand one) {
            volume.accept(one.key());
        } else if (command instanceof ChangeCommand one) {
            volume.accept(one.key());
        } else if (command instanceof AttachmentCommand one) {
            volume.accept(one.key());
        } else if (command instanceof ClaimCommand.CheckpointClaim one) {
            volume.accept(one.key());
        } else if (command instanceof ClaimCommand.FreeClaim one) {
            volume.accept(one.key());
        }
    }
}
