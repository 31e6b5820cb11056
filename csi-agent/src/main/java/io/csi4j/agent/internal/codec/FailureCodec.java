package io.csi4j.agent.internal.codec;

import io.csi4j.agent.internal.wire.WireException;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.proto.agent.v1.AgentProto;
import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.FailureKind;
import io.csi4j.proto.agent.v1.AgentProto.Origin;

/** Failures of requests to messages and back. */
public final class FailureCodec {
    private static final int MAX_TEXT = 4_000;

    private FailureCodec() {}

    /** For an operator. Messages of ours are made for that; what others throw may hold anything. */
    public static String text(Throwable failure) {
        Throwable why = Futures.unwrap(failure);
        String message = why.getMessage();
        return (why instanceof CsiException || why instanceof WireException) && message != null
                ? message
                : "it failed with " + why.getClass().getSimpleName();
    }

    /** Why a request was not done. */
    public static Failure write(Throwable thrown, Origin origin) {
        Throwable failure = Futures.unwrap(thrown);
        Failure.Builder told = Failure.newBuilder().setOrigin(origin).setMessage(cut(text(failure)));
        EngineFailureCodec.write(failure, told);
        if (failure instanceof CsiCallException call) {
            return told.setKind(FailureKind.FAILURE_KIND_CALL)
                    .setOrigin(Origin.ORIGIN_PLUGIN)
                    .setCode(call.code().number())
                    .setOutcome(write(call.outcome()))
                    .setRetryable(call.retryable())
                    .build();
        }
        if (failure instanceof CsiRequestException refused) {
            refused.problems()
                    .forEach(problem -> told.addProblems(AgentProto.Problem.newBuilder()
                            .setField(problem.field())
                            .setProblem(problem.problem())
                            .setRemedy(problem.remedy())));
            return told.setKind(FailureKind.FAILURE_KIND_REQUEST)
                    .setNotSent(true)
                    .build();
        }
        FailureKind kind = failure instanceof NotLeadingException || failure instanceof LogClosedException
                ? FailureKind.FAILURE_KIND_NOT_LEADING
                : origin == Origin.ORIGIN_SERVER ? FailureKind.FAILURE_KIND_REJECTED : FailureKind.FAILURE_KIND_NODE;
        // What is no answer of ours leaves it unknown, and repeating is harmless. Another server has another log.
        boolean retryable = !(failure instanceof CsiException known)
                || known.retryable()
                || kind == FailureKind.FAILURE_KIND_NOT_LEADING;
        return told.setKind(kind).setRetryable(retryable).build();
    }

    /** A request that is not done for this sender. */
    public static Failure denied(Origin origin, String why) {
        return refusal(FailureKind.FAILURE_KIND_DENIED, origin, why).build();
    }

    /** A call that this side cannot make now, and has not made. */
    public static Failure unavailable(Origin origin, String why) {
        return refusal(FailureKind.FAILURE_KIND_CALL, origin, why)
                .setCode(StatusCode.UNAVAILABLE.number())
                .setOutcome(AgentProto.Outcome.OUTCOME_UNKNOWN)
                .setRetryable(true)
                .build();
    }

    /** A call that was not over in the time there was for it. */
    public static Failure tooLate(Origin origin, String why) {
        return Failure.newBuilder()
                .setKind(FailureKind.FAILURE_KIND_CALL)
                .setOrigin(origin)
                .setCode(StatusCode.DEADLINE_EXCEEDED.number())
                .setOutcome(AgentProto.Outcome.OUTCOME_UNKNOWN)
                .setRetryable(true)
                .setMessage(cut(why))
                .build();
    }

    /** A request that this side cannot read, or will never do. */
    public static Failure invalid(Origin origin, String why) {
        return refusal(FailureKind.FAILURE_KIND_CALL, origin, why)
                .setCode(StatusCode.INVALID_ARGUMENT.number())
                .setOutcome(AgentProto.Outcome.OUTCOME_CHANGE_REQUEST)
                .build();
    }

    /** A message that got no answer on the way. */
    public static Failure lost(WireException lost, String where) {
        return Failure.newBuilder()
                .setKind(FailureKind.FAILURE_KIND_CALL)
                .setOrigin(Origin.ORIGIN_TRANSPORT)
                .setCode(lost.code().number())
                .setOutcome(AgentProto.Outcome.OUTCOME_UNKNOWN)
                .setNotSent(!lost.sent())
                .setRetryable(true)
                .setMessage(cut(where + ": " + lost.explained()))
                .build();
    }

    private static Failure.Builder refusal(FailureKind kind, Origin origin, String why) {
        return Failure.newBuilder()
                .setKind(kind)
                .setOrigin(origin)
                .setNotSent(true)
                .setMessage(cut(why));
    }

    private static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "... (cut)";
    }

    private static AgentProto.Outcome write(CallOutcome outcome) {
        return switch (outcome) {
            case DONE, OUTCOME_UNKNOWN -> AgentProto.Outcome.OUTCOME_UNKNOWN;
            case RETRY_AFTER_CAUSE -> AgentProto.Outcome.OUTCOME_RETRY_AFTER_CAUSE;
            case CHANGE_REQUEST -> AgentProto.Outcome.OUTCOME_CHANGE_REQUEST;
            case NEVER -> AgentProto.Outcome.OUTCOME_NEVER;
            case PAGE_RESTART -> AgentProto.Outcome.OUTCOME_PAGE_RESTART;
        };
    }

    /** A number that is not known proves nothing. */
    public static CallOutcome outcome(Failure failure) {
        return switch (failure.getOutcome()) {
            case OUTCOME_RETRY_AFTER_CAUSE -> CallOutcome.RETRY_AFTER_CAUSE;
            case OUTCOME_CHANGE_REQUEST -> CallOutcome.CHANGE_REQUEST;
            case OUTCOME_NEVER -> CallOutcome.NEVER;
            case OUTCOME_PAGE_RESTART -> CallOutcome.PAGE_RESTART;
            case OUTCOME_UNSPECIFIED, OUTCOME_UNKNOWN, UNRECOGNIZED -> CallOutcome.OUTCOME_UNKNOWN;
        };
    }

    /** A number that is none of the codes, and that of OK, say nothing. */
    public static StatusCode code(Failure failure) {
        for (StatusCode code : StatusCode.values()) {
            if (code.number() == failure.getCode() && code != StatusCode.OK) {
                return code;
            }
        }
        return StatusCode.UNKNOWN;
    }
}
