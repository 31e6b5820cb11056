package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.lifecycle.internal.event.CommandEvents;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The command log as the engine uses it. A command that the host's log does not answer within the time limit fails, and
 * its outcome is unknown. Accepted commands are reported to the listener.
 *
 * <p>This class remembers the volumes with unanswered commands of this engine. No call for such a volume begins before
 * the log has answered, because the state may show a command that is not durable yet and that a crash can still undo.
 * Thread-safe.
 */
public final class EngineLog implements CommandLog {
    private final CommandLog log;
    private final HostCallbacks host;
    private final @Nullable CommandEvents events;
    private final Timeouts timeouts;
    private final Duration timeout;
    private final Map<VolumeKey, Commands> unanswered = new ConcurrentHashMap<>();
    private volatile Consumer<VolumeKey> wake = key -> {};

    /**
     * The unanswered commands of one volume.
     *
     * @param awaited whether a plan waits until they are answered
     */
    private record Commands(int count, boolean awaited) {}

    /**
     * Creates the log of an engine.
     *
     * @param log the log of the host
     * @param timeout the time limit of each command
     */
    public EngineLog(
            CommandLog log,
            EventListener listener,
            ControllerTrust trust,
            HostCallbacks host,
            Timeouts timeouts,
            Duration timeout) {
        this.log = log;
        this.host = host;
        // Without a listener, events are not computed, because that takes time on a busy engine.
        this.events = EventListener.none().equals(listener) ? null : new CommandEvents(listener, trust);
        this.timeouts = timeouts;
        this.timeout = timeout;
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
        Set<VolumeKey> keys = keys(command);
        if (keys.isEmpty()) {
            return limited(command);
        }
        // The commands are registered before they are submitted, because the log may apply them before submit returns.
        keys.forEach(key -> unanswered.merge(
                key, new Commands(1, false), (before, one) -> new Commands(before.count() + 1, before.awaited())));
        CompletableFuture<Outcome> answer;
        try {
            answer = limited(command);
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

    private CompletableFuture<Outcome> limited(Command command) {
        return timeouts.limit(
                reported(command), timeout, () -> new CsiException("no answer within " + Durations.text(timeout)));
    }

    /** Submits a command, and reports it when the log has accepted it. */
    private CompletableFuture<Outcome> reported(Command command) {
        CommandEvents listening = events;
        if (listening == null) {
            return checked(command);
        }
        StateReader before = log.state().snapshot();
        return checked(command).whenComplete((outcome, failure) -> {
            if (failure == null && outcome instanceof Outcome.Accepted accepted) {
                listening.accepted(before, log.state().snapshot(), command, accepted);
            }
        });
    }

    /**
     * Submits a command. If the log throws or returns null, or answers with null or before its state shows the command,
     * the command counts as not answered.
     */
    private CompletableFuture<Outcome> checked(Command command) {
        long before = log.state().snapshot().index();
        return Futures.start(() -> host.required("CommandLog.submit", log.submit(command)))
                .handle((outcome, failure) -> {
                    if (failure != null) {
                        host.failed("CommandLog.submit", failure);
                        throw new CompletionException(Futures.unwrap(failure));
                    }
                    return checkedAnswer(before, outcome);
                });
    }

    /** Returns the answer of the log, unless it breaks the contract of {@link CommandLog}. */
    private Outcome checkedAnswer(long before, @Nullable Outcome answer) {
        Outcome outcome = host.required("CommandLog.submit", answer);
        if (outcome instanceof Outcome.Accepted accepted && accepted.changed()) {
            long shown = log.state().snapshot().index();
            if (shown <= before || shown < lastIndex(accepted)) {
                host.log(
                        "CommandLog.submit",
                        "was answered before its state showed the command; the log has to apply a command before it"
                                + " answers. Such an answer counts as no answer");
                throw new CsiException("the log answered before its state showed the command");
            }
        }
        return outcome;
    }

    /** Returns the largest index among the rows that a command has written; 0 if its effects contain no row. */
    private static long lastIndex(Outcome.Accepted accepted) {
        long last = 0;
        for (Effect effect : accepted.effects()) {
            if (effect instanceof Effect.VolumeStored stored) {
                last = Math.max(last, stored.volume().modifyIndex());
            } else if (effect instanceof Effect.ClaimTaken taken) {
                last = Math.max(last, taken.volume().modifyIndex());
            }
        }
        return last;
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

    private static Set<VolumeKey> keys(Command command) {
        if (command instanceof Batch batch) {
            Set<VolumeKey> keys = new TreeSet<>();
            batch.commands().forEach(each -> keys.addAll(keys(each)));
            return keys;
        }
        if (command instanceof VolumeCommand volume) {
            return Set.of(volume.key());
        }
        if (command instanceof ChangeCommand change) {
            return Set.of(change.key());
        }
        if (command instanceof AttachmentCommand attachment) {
            return Set.of(attachment.key());
        }
        if (command instanceof ClaimCommand.TakeClaims take) {
            return take.requests().stream().map(ClaimRequest::volume).collect(Collectors.toCollection(TreeSet::new));
        }
        if (command instanceof ClaimCommand.CheckpointClaim checkpoint) {
            return Set.of(checkpoint.key());
        }
        if (command instanceof ClaimCommand.FreeClaim free) {
            return Set.of(free.key());
        }
        if (command instanceof ClaimCommand.OverrideClaim override) {
            return Set.of(override.key());
        }
        return Set.of();
    }
}
