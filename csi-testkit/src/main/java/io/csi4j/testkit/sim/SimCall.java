package io.csi4j.testkit.sim;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
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

    /** What the other side does: begins at once, and has its effect, or a refusal, when the work is over. */
    void run(Runnable begin, Supplier<R> effect, Runnable end) {
        Faults.Fate fate = world.faults().fate();
        world.trace()
                .message(
                        "server",
                        target,
                        rpc.csiName() + " " + subject + (fate == Faults.Fate.ANSWERED ? "" : " (" + fate + ")"));
        if (fate == Faults.Fate.REFUSED) {
            fail(world.faults().refusal(), WAY);
            return;
        }
        if (fate == Faults.Fate.HANGS) {
            fail(StatusCode.DEADLINE_EXCEEDED, DEADLINE);
            return;
        }
        try {
            begin.run();
        } catch (Refusal refusal) {
            fail(refusal.code, WAY);
            return;
        }
        Duration work = world.scheduler().upTo(WORK);
        boolean late = fate == Faults.Fate.DONE_LATE;
        if (late) {
            fail(StatusCode.DEADLINE_EXCEEDED, DEADLINE);
            work = DEADLINE.plus(world.scheduler().upTo(DEADLINE));
        }
        world.scheduler().after(work, () -> {
            try {
                R result = effect.get();
                if (fate == Faults.Fate.ANSWERED) {
                    reply(() -> answer.complete(result), WAY);
                } else if (!late) {
                    boolean unavailable = world.faults().coin();
                    fail(
                            unavailable ? StatusCode.UNAVAILABLE : StatusCode.DEADLINE_EXCEEDED,
                            unavailable ? WAY : DEADLINE);
                }
            } catch (Refusal refusal) {
                if (!late) {
                    fail(refusal.code, WAY);
                }
            } finally {
                end.run();
            }
        });
    }

    void fail(StatusCode code, Duration delay) {
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
        world.scheduler().after(delay, () -> process.run(reply));
    }
}
