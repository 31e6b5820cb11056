package io.csi4j.testkit.conformance.internal;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Loses answers of calls on purpose, and repeats the calls after they have ended at the plugin, as far as a caller can know. A plugin works on after a
 * cancel (R30), and a caller has one call in flight for each volume (R26), so a repetition comes late enough not to overlap the lost call.
 */
public final class LostAnswers {
    private static final int SHORTEST_MILLIS = 20;
    private static final int FIRST_WAIT_MILLIS = 25;
    private static final int LONGEST_WAIT_MILLIS = 500;

    private final Run run;
    private final TimeSource time;
    private long callMillis;

    LostAnswers(Run run, TimeSource time) {
        this.run = run;
        this.time = time;
    }

    /** The moment at which an answer is lost. */
    public enum Moment {
        /** The call has ended at the plugin. */
        AFTER_THE_ANSWER,
        /** The plugin may not even have begun. */
        AT_ONCE,
        /** The plugin works on the call. */
        IN_THE_CALL
    }

    /** Makes a call and loses its answer. Returns when the call has probably ended at the plugin. */
    public <Q extends Message, S extends Message> void lose(MethodDescriptor<Q, S> method, Q request, Moment moment) {
        RawCalls calls = run.calls();
        switch (moment) {
            case AFTER_THE_ANSWER -> {
                long start = time.nanos();
                Object unused = calls.call(method, request);
                callMillis = Math.max(callMillis, TimeUnit.NANOSECONDS.toMillis(time.nanos() - start));
            }
            case AT_ONCE -> calls.loseAnswer(method, request, 0);
            case IN_THE_CALL -> calls.loseAnswer(method, request, (int) Math.min(1000, callMillis / 2));
        }
        if (moment != Moment.AFTER_THE_ANSWER) {
            long quiet = Math.max(SHORTEST_MILLIS, 3 * callMillis);
            calls.waitMillis((int) Math.min(run.settings().timeout().toMillis() / 4, quiet));
        }
    }

    /**
     * Repeats a call whose answer was lost until it succeeds. An error may come from the overlap with the lost call, so the call is repeated for a
     * while. If it succeeds then, the error is a warning.
     *
     * @param rule the rule by which the call has to succeed
     * @throws Violation if the call does not succeed
     */
    public <Q extends Message, S extends Message> S repeat(Rule rule, MethodDescriptor<Q, S> method, Q request) {
        long start = time.nanos();
        long timeout = run.settings().timeout().toMillis();
        long overlap = Math.min(timeout, Math.max(timeout / 40, 5 * callMillis));
        int wait = FIRST_WAIT_MILLIS;
        @Nullable Code error = null;
        while (true) {
            try {
                S answer = run.calls().call(method, request);
                run.should(
                        Rule.R27,
                        error == null,
                        method.getBareMethodName() + " answered " + error
                                + " while the call before it, which the kit had cancelled, may still have run; ABORTED is"
                                + " expected");
                return answer;
            } catch (StatusRuntimeException e) {
                Code code = e.getStatus().getCode();
                boolean pending = NoAnswer.is(e) || Run.pendingCodes().contains(code);
                long passed = TimeUnit.NANOSECONDS.toMillis(time.nanos() - start);
                if (passed >= (pending ? timeout : overlap)
                        || Thread.currentThread().isInterrupted()) {
                    return run.succeeds(rule, () -> {
                        throw e;
                    });
                }
                error = pending ? error : code;
            }
            run.calls().reconnect();
            run.calls().waitMillis(wait);
            wait = Math.min(LONGEST_WAIT_MILLIS, 2 * wait);
        }
    }
}
