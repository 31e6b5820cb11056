package io.csi4j.simulation;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** One call from the server to a plugin or a node, with whatever may become of it. */
final class SimCall<R> {
    private static final Duration WORK = Duration.ofMillis(50);
    private static final Duration WAY = Duration.ofMillis(2);
    static final Duration DEADLINE = Duration.ofSeconds(30);

    private final SimWorld world;
    private final SimProcess process;
    private final Rpc rpc;
    private final String target;
    private final String subject;
    private final CompletableFuture<R> answer = new CompletableFuture<>();

    SimCall(SimWorld world, SimProcess process, Rpc rpc, String target, String subject) {
        this.world = world;
        this.process = process;
        this.rpc = rpc;
        this.target = target;
        this.subject = subject;
    }

    CompletableFuture<R> answer() {
        return answer;
    }

    /** A refusal by whom it was meant for: the effect ends with it. */
    static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final StatusCode code;

        Refusal(StatusCode code) {
            super(code.name());
            this.code = code;
        }
    }

    /**
     * Who does it.
     *
     * @param turns one at a time for each volume
     * @param volume the volume, as it is called there
     * @param lives how often whoever works on the call began anew
     */
    record Worker(SimTurns turns, String volume, LongSupplier lives) {}

    /** What the other side does: begins when it is its turn, and has its effect, or a refusal, when the work is over. */
    void run(Worker worker, Runnable begin, Supplier<R> effect) {
        Faults.Fate fate = world.faults().fate();
        world.coverage().saw("fate " + fate);
        world.trace()
                .message(
                        "server",
                        target,
                        rpc.csiName() + " " + subject + (fate == Faults.Fate.ANSWERED ? "" : " (" + fate + ")"));
        if (fate == Faults.Fate.REFUSED) {
            StatusCode code = world.faults().refusal();
            // What is looked for and is there is found, or there is no answer.
            code = looks() && code == StatusCode.NOT_FOUND ? StatusCode.UNAVAILABLE : code;
            fail(code, WAY);
            return;
        }
        if (fate == Faults.Fate.HANGS) {
            fail(StatusCode.DEADLINE_EXCEEDED, DEADLINE);
            return;
        }
        long life = worker.lives().getAsLong();
        if (!worker.turns().busy(worker.volume())) {
            work(worker, life, fate, begin, effect);
        } else if (worker.turns().patient(worker.volume())) {
            world.coverage().trouble("opposite call waits");
            fail(StatusCode.DEADLINE_EXCEEDED, DEADLINE);
            worker.turns().later(worker.volume(), () -> work(worker, life, fate, begin, effect));
        } else {
            world.coverage().trouble("opposite call aborted");
            fail(StatusCode.ABORTED, WAY);
        }
    }

    private boolean looks() {
        return rpc == Rpc.GET_SNAPSHOT || rpc == Rpc.GET_VOLUME_GROUP_SNAPSHOT;
    }

    private void work(Worker worker, long life, Faults.Fate fate, Runnable begin, Supplier<R> effect) {
        if (worker.lives().getAsLong() != life) {
            world.coverage().trouble("call lost in a restart");
            return;
        }
        try {
            begin.run();
        } catch (Refusal refusal) {
            fail(refusal.code, WAY);
            return;
        }
        boolean late = fate == Faults.Fate.DONE_LATE;
        SimTurns.Turn turn =
                worker.turns().begin(worker.volume(), late && world.faults().coin());
        Duration work = world.scheduler().upTo(WORK);
        if (late) {
            fail(StatusCode.DEADLINE_EXCEEDED, DEADLINE);
            work = DEADLINE.plus(world.scheduler().upTo(DEADLINE));
        }
        world.scheduler().after(work, () -> {
            if (worker.lives().getAsLong() == life) {
                end(fate, effect);
            } else {
                world.coverage().trouble("call lost in a restart");
                fail(StatusCode.UNAVAILABLE, WAY);
            }
            worker.turns().end(turn);
        });
    }

    private void end(Faults.Fate fate, Supplier<R> effect) {
        boolean late = fate == Faults.Fate.DONE_LATE;
        try {
            R result = effect.get();
            if (fate == Faults.Fate.ANSWERED) {
                reply(() -> answer.complete(result), WAY);
            } else if (!late) {
                StatusCode code = world.faults().doubt();
                fail(code, code == StatusCode.DEADLINE_EXCEEDED ? DEADLINE : WAY);
            }
        } catch (Refusal refusal) {
            if (!late) {
                fail(refusal.code, WAY);
            }
        }
    }

    void fail(StatusCode code, Duration delay) {
        world.coverage().saw("code " + code);
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
            if (process.alive() && process.former()) {
                world.coverage().trouble("answer for a former leader");
            }
            process.run(reply);
        });
    }
}
