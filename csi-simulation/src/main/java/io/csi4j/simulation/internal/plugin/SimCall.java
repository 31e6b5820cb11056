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
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** One call from a server to a plugin or a node, with its planned or failed result. */
public final class SimCall<R> {
    private static final Duration MAX_WORK = Duration.ofMillis(50);
    private static final Duration MAX_LATENCY = Duration.ofMillis(2);
    public static final Duration DEADLINE = Duration.ofSeconds(30);

    private final SimWorld world;
    private final SimProcess process;
    private final Rpc rpc;
    private final String target;
    private final String subject;
    private final CompletableFuture<R> answer = new CompletableFuture<>();

    public SimCall(SimWorld world, SimProcess process, Rpc rpc, String target, String subject) {
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
     * The called side.
     *
     * @param locks the lock of each volume
     * @param volume the volume's name in {@code locks}
     * @param restarts counts restarts of the called program
     */
    public record Handler(SimLocks locks, String volume, LongSupplier restarts) {}

    /**
     * Runs the call: it takes the volume's lock, works for a while, and then has its effect or fails.
     *
     * @param check runs when the work begins
     * @param effect runs when the work ends
     */
    public void run(Handler handler, Runnable check, Supplier<R> effect) {
        Faults.Fate fate = world.faults().fate();
        world.coverage().add("fate " + fate);
        world.trace()
                .message(
                        "server",
                        target,
                        rpc.csiName() + " " + subject + (fate == Faults.Fate.ANSWERED ? "" : " (" + fate + ")"));
        if (fate == Faults.Fate.REFUSED) {
            StatusCode code = world.faults().refusal();
            // A query for an existing object does not answer NOT_FOUND.
            code = isQuery() && code == StatusCode.NOT_FOUND ? StatusCode.UNAVAILABLE : code;
            fail(code, MAX_LATENCY);
            return;
        }
        if (fate == Faults.Fate.HANGS) {
            fail(StatusCode.DEADLINE_EXCEEDED, DEADLINE);
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
            if (handler.restarts().getAsLong() == restartsBefore) {
                complete(fate, effect);
            } else {
                world.coverage().fault("call lost in a restart");
                fail(StatusCode.UNAVAILABLE, MAX_LATENCY);
            }
            handler.locks().release(lock);
        });
    }

    private void complete(Faults.Fate fate, Supplier<R> effect) {
        boolean doneLate = fate == Faults.Fate.DONE_LATE;
        try {
            R result = effect.get();
            if (fate == Faults.Fate.ANSWERED) {
                reply(() -> answer.complete(result), MAX_LATENCY);
            } else if (!doneLate) {
                StatusCode code = world.faults().unclearFailure();
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
