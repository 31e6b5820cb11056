package io.csi4j.simulation.internal.plugin;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.simulation.internal.time.SimLocks;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.Faults;
import io.csi4j.simulation.internal.world.Refusal;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** One call from a server to a plugin or a node. At random, the call has its planned result or fails. */
public final class SimCall<R> {
    private static final String SERVER = "server";
    private static final Duration MAX_WORK = Duration.ofMillis(50);
    private static final Duration MAX_LATENCY = Duration.ofMillis(2);
    public static final Duration DEADLINE = Duration.ofSeconds(30);

    private final SimWorld world;
    private final SimProcess process;
    private final Rpc rpc;
    private final String caller;
    private final String target;
    private final String subject;
    private final CompletableFuture<R> answer = new CompletableFuture<>();

    /** Creates a call of a server. */
    public SimCall(SimWorld world, SimProcess process, Rpc rpc, String target, String subject) {
        this(world, process, rpc, SERVER, target, subject);
    }

    /** Creates a call of the process that the trace names as the caller. */
    public SimCall(SimWorld world, SimProcess process, Rpc rpc, String caller, String target, String subject) {
        this.caller = caller;
        this.world = world;
        this.process = process;
        this.rpc = rpc;
        this.target = target;
        this.subject = subject;
    }

    public CompletableFuture<R> answer() {
        return answer;
    }

    /**
     * The program that handles a call.
     *
     * @param locks the lock of each volume
     * @param volume the volume's name in {@code locks}
     * @param restarts counts restarts of the called program
     * @param crash restarts the called program
     */
    public record Handler(SimLocks locks, String volume, LongSupplier restarts, Runnable crash) {}

    /**
     * Runs the call: it takes the volume's lock, works for a while, and then has its effect or fails.
     *
     * @param check runs when the work begins
     * @param effect runs when the work ends
     */
    public void run(Handler handler, Runnable check, Supplier<R> effect) {
        Faults.Fate fate = begin();
        if (fate == Faults.Fate.REFUSED || fate == Faults.Fate.HANGS) {
            return;
        }
        long restartsBefore = handler.restarts().getAsLong();
        if (!handler.locks().isHeld(handler.volume())) {
            work(handler, restartsBefore, fate, check, effect);
        } else if (handler.locks().allowsWaiting(handler.volume())) {
            world.coverage().fault("opposite call waits");
            fail(StatusCode.DEADLINE_EXCEEDED, DEADLINE);
            handler.locks().enqueue(handler.volume(), () -> work(handler, restartsBefore, fate, check, effect));
        } else {
            world.coverage().fault("opposite call aborted");
            fail(StatusCode.ABORTED, MAX_LATENCY);
        }
    }

    /**
     * Chooses the fate of the call at random, and fails the call at once or at its deadline if it never reaches the
     * called program.
     */
    private Faults.Fate begin() {
        Faults.Fate fate = world.faults().fate();
        world.coverage().add("fate " + fate);
        world.trace()
                .message(
                        caller,
                        target,
                        rpc.csiName() + " " + subject + (fate == Faults.Fate.ANSWERED ? "" : " (" + fate + ")"));
        if (fate == Faults.Fate.REFUSED) {
            StatusCode code = world.faults().refusal();
            // Replaces NOT_FOUND in two cases: a query asks only for objects that exist, and a node plugin never
            // answers NOT_FOUND.
            code = (isQuery() || !caller.equals(SERVER)) && code == StatusCode.NOT_FOUND
                    ? StatusCode.UNAVAILABLE
                    : code;
            code = world.lost().refusal(rpc, subject, code);
            fail(world.made().refusal(rpc, subject, code), MAX_LATENCY);
        } else if (fate == Faults.Fate.HANGS) {
            fail(StatusCode.DEADLINE_EXCEEDED, DEADLINE);
        }
        return fate;
    }

    /**
     * Passes the call on to a program that works on it for as long as it needs; the caller waits until the deadline only.
     *
     * @param work starts the work; its future may fail with a {@link CsiCallException}
     */
    public void relay(Supplier<CompletableFuture<R>> work) {
        Faults.Fate fate = begin();
        if (fate == Faults.Fate.REFUSED || fate == Faults.Fate.HANGS) {
            return;
        }
        fail(StatusCode.DEADLINE_EXCEEDED, DEADLINE);
        world.scheduler().within(MAX_LATENCY, () -> {
            var unused = work.get().whenComplete((result, failure) -> {
                if (failure == null && fate == Faults.Fate.ANSWERED) {
                    reply(() -> answer.complete(result), MAX_LATENCY);
                } else if (failure == null) {
                    fail(world.made().lost(rpc, world.faults().unclearFailure()), MAX_LATENCY);
                } else {
                    fail(code(failure), MAX_LATENCY);
                }
            });
        });
    }

    private static StatusCode code(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof CsiCallException call ? call.code() : StatusCode.UNAVAILABLE;
    }

    private boolean isQuery() {
        return rpc == Rpc.GET_SNAPSHOT || rpc == Rpc.GET_VOLUME_GROUP_SNAPSHOT;
    }

    private void work(Handler handler, long restartsBefore, Faults.Fate fate, Runnable check, Supplier<R> effect) {
        if (handler.restarts().getAsLong() != restartsBefore) {
            world.coverage().fault("call lost in a restart");
            return;
        }
        try {
            check.run();
        } catch (Refusal refusal) {
            fail(refusal.code(), MAX_LATENCY);
            return;
        }
        boolean doneLate = fate == Faults.Fate.DONE_LATE;
        SimLocks.Lock lock = handler.locks()
                .acquire(handler.volume(), doneLate && world.faults().coin());
        Duration work = world.scheduler().upTo(MAX_WORK);
        if (doneLate) {
            fail(StatusCode.DEADLINE_EXCEEDED, DEADLINE);
            work = DEADLINE.plus(world.scheduler().upTo(DEADLINE));
        }
        world.scheduler().after(work, () -> {
            boolean lives = handler.restarts().getAsLong() == restartsBefore;
            if (lives && world.faults().pluginCrashes()) {
                world.coverage().fault("plugin crash in a call");
                world.trace().note(target, "crashes in " + rpc.csiName());
                if (world.faults().coin()) {
                    perform(effect);
                }
                fail(StatusCode.UNAVAILABLE, MAX_LATENCY);
                handler.crash().run();
            } else if (lives) {
                complete(fate, effect);
            } else {
                world.coverage().fault("call lost in a restart");
                fail(StatusCode.UNAVAILABLE, MAX_LATENCY);
            }
            handler.locks().release(lock);
        });
    }

    /** Performs the effect of a call whose caller gets no answer. */
    private static void perform(Supplier<?> effect) {
        try {
            Object unused = effect.get();
        } catch (Refusal refusal) {
            // The call had no effect.
        }
    }

    private void complete(Faults.Fate fate, Supplier<R> effect) {
        boolean doneLate = fate == Faults.Fate.DONE_LATE;
        try {
            R result = effect.get();
            if (fate == Faults.Fate.ANSWERED) {
                reply(() -> answer.complete(result), MAX_LATENCY);
            } else if (!doneLate) {
                StatusCode code = world.made().lost(rpc, world.faults().unclearFailure());
                fail(code, code == StatusCode.DEADLINE_EXCEEDED ? DEADLINE : MAX_LATENCY);
            }
        } catch (Refusal refusal) {
            if (!doneLate) {
                fail(refusal.code(), MAX_LATENCY);
            }
        }
    }

    public void fail(StatusCode code, Duration delay) {
        world.coverage().add("code " + code);
        reply(
                () -> answer.completeExceptionally(new CsiCallException(
                        rpc,
                        target,
                        null,
                        code,
                        CallOutcome.of(rpc, code, false),
                        rpc.csiName() + " failed with " + code,
                        null)),
                delay);
    }

    private void reply(Runnable reply, Duration delay) {
        world.scheduler().after(delay, () -> {
            if (process.alive() && process.replaced()) {
                world.coverage().fault("answer for a former leader");
            }
            process.run(reply);
        });
    }
}
