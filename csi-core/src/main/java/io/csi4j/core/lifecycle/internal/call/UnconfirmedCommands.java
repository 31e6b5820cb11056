package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A log that remembers the volumes with unanswered commands of this engine. No call for such a volume begins before the
 * log has answered, because the state may show a command that is not durable yet and that a crash can still undo.
 * Thread-safe.
 */
public final class UnconfirmedCommands implements CommandLog {
    private final CommandLog log;
    private final Map<VolumeKey, Commands> unanswered = new ConcurrentHashMap<>();
    private volatile Consumer<VolumeKey> wake = key -> {};

    /**
     * The unanswered commands of one volume.
     *
     * @param awaited whether a plan waits until they are answered
     */
    private record Commands(int count, boolean awaited) {}

    public UnconfirmedCommands(CommandLog log) {
        this.log = log;
    }

    /**
     * Sets the function that requests a plan of a volume; it is called when the volume's commands have been answered.
     */
    public void wakeWith(Consumer<VolumeKey> wake) {
        this.wake = wake;
    }

    /**
     * Returns whether the plan of a volume has to wait for unanswered commands. The volume's worker is woken when they
     * have been answered.
     */
    public boolean delays(VolumeKey key) {
        return unanswered.computeIfPresent(key, (same, commands) -> new Commands(commands.count(), true)) != null;
    }

    @Override
    public ObservableState state() {
        return log.state();
    }

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        Set<VolumeKey> keys = new TreeSet<>();
        collect(command, keys);
        if (keys.isEmpty()) {
            return log.submit(command);
        }
        // The commands are registered before they are submitted, because the log may apply them before submit returns.
        keys.forEach(key -> unanswered.merge(
                key, new Commands(1, false), (before, one) -> new Commands(before.count() + 1, before.awaited())));
        CompletableFuture<Outcome> answer;
        try {
            answer = log.submit(command);
        } catch (RuntimeException | Error e) {
            answered(keys);
            throw e;
        }
        if (answer.isDone()) {
            answered(keys);
            return answer;
        }
        return answer.whenComplete((outcome, failure) -> answered(keys));
    }

    private void answered(Set<VolumeKey> keys) {
        for (VolumeKey key : keys) {
            boolean[] awaited = new boolean[1];
            unanswered.computeIfPresent(key, (same, commands) -> {
                awaited[0] = commands.awaited() && commands.count() == 1;
                return less(commands);
            });
            if (awaited[0]) {
                wake.accept(key);
            }
        }
    }

    private static @Nullable Commands less(Commands commands) {
        return commands.count() == 1 ? null : new Commands(commands.count() - 1, commands.awaited());
    }

    private static void collect(Command command, Set<VolumeKey> keys) {
        if (command instanceof Batch batch) {
            batch.commands().forEach(each -> collect(each, keys));
        } else if (command instanceof VolumeCommand volume) {
            keys.add(volume.key());
        } else if (command instanceof ChangeCommand change) {
            keys.add(change.key());
        } else if (command instanceof AttachmentCommand attachment) {
            keys.add(attachment.key());
        } else if (command instanceof ClaimCommand.TakeClaims take) {
            take.requests().stream().map(ClaimRequest::volume).forEach(keys::add);
        } else if (command instanceof ClaimCommand.CheckpointClaim checkpoint) {
            keys.add(checkpoint.key());
        } else if (command instanceof ClaimCommand.FreeClaim free) {
            keys.add(free.key());
        } else if (command instanceof ClaimCommand.OverrideClaim override) {
            keys.add(override.key());
        }
    }
}
