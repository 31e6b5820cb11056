package io.csi4j.node.internal.codec;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.proto.agent.v1.AgentProto;
import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.FailureKind;
import io.csi4j.proto.agent.v1.AgentProto.Origin;
import java.util.List;
import java.util.function.UnaryOperator;

/** Converts failures of requests to protocol messages and back. */
public final class FailureCodec {
    private static final int MAX_TEXT = 4_000;

    private FailureCodec() {}

    /**
     * Returns a text about a failure for operators. Only exceptions of csi4j are shown with their message, because the messages of other
     * exceptions may contain secrets.
     */
    public static String text(Throwable failure) {
        Throwable reason = Futures.unwrap(failure);
        String message = reason.getMessage();
        return (reason instanceof CsiException || reason instanceof ShownFailure) && message != null
                ? message
                : "it failed with " + reason.getClass().getSimpleName();
    }

    /** Returns the failure of a request as a message. */
    public static Failure write(Throwable thrown, Origin origin) {
        Throwable failure = Futures.unwrap(thrown);
        Failure.Builder reported = Failure.newBuilder().setOrigin(origin).setMessage(cut(text(failure)));
        EngineFailureCodec.write(failure, reported);
        if (failure instanceof CsiCallException call) {
            return reported.setKind(FailureKind.FAILURE_KIND_CALL)
                    .setOrigin(Origin.ORIGIN_PLUGIN)
                    .setCode(call.code().number())
                    .setOutcome(write(call.outcome()))
                    .setSummary(cut(call.summary()))
                    .setRetryable(call.retryable())
                    .build();
        }
        if (failure instanceof CsiRequestException refused) {
            refused.problems()
                    .forEach(problem -> reported.addProblems(AgentProto.Problem.newBuilder()
                            .setField(problem.field())
                            .setProblem(problem.problem())
                            .setRemedy(problem.remedy())));
            return reported.setKind(FailureKind.FAILURE_KIND_REQUEST)
                    .setNotSent(true)
                    .build();
        }
        FailureKind kind = failure instanceof NotLeadingException || failure instanceof LogClosedException
                ? FailureKind.FAILURE_KIND_NOT_LEADING
                : origin == Origin.ORIGIN_SERVER ? FailureKind.FAILURE_KIND_REJECTED : FailureKind.FAILURE_KIND_NODE;
        // Marks an exception that is not a CsiException as retryable, because the outcome of the request is unknown,
        // and repeating the request is harmless. NOT_LEADING is retryable, because another server may lead.
        boolean retryable = !(failure instanceof CsiException known)
                || known.retryable()
                || kind == FailureKind.FAILURE_KIND_NOT_LEADING;
        if (failure instanceof CsiException known) {
            reported.setSummary(cut(known.summary()));
        }
        return reported.setKind(kind).setRetryable(retryable).build();
    }

    /** Returns the failure of a request for which the sender has no permission. */
    public static Failure denied(Origin origin, String reason) {
        return refusal(FailureKind.FAILURE_KIND_DENIED, origin, reason).build();
    }

    /** Returns the failure of a call that was not made because it is not possible now. */
    public static Failure unavailable(Origin origin, String reason) {
        return refusal(FailureKind.FAILURE_KIND_CALL, origin, reason)
                .setCode(StatusCode.UNAVAILABLE.number())
                .setOutcome(AgentProto.Outcome.OUTCOME_UNKNOWN)
                .setRetryable(true)
                .build();
    }

    /** Returns the failure of a call that did not end within its deadline. */
    public static Failure tooLate(Origin origin, String reason) {
        return Failure.newBuilder()
                .setKind(FailureKind.FAILURE_KIND_CALL)
                .setOrigin(origin)
                .setCode(StatusCode.DEADLINE_EXCEEDED.number())
                .setOutcome(AgentProto.Outcome.OUTCOME_UNKNOWN)
                .setRetryable(true)
                .setMessage(cut(reason))
                .build();
    }

    /** Returns the failure of a request that its receiver cannot decode or does not support. */
    public static Failure invalid(Origin origin, String reason) {
        return refusal(FailureKind.FAILURE_KIND_CALL, origin, reason)
                .setCode(StatusCode.INVALID_ARGUMENT.number())
                .setOutcome(AgentProto.Outcome.OUTCOME_CHANGE_REQUEST)
                .build();
    }

    /**
     * Returns the failure to report for a request that got no response.
     *
     * @param sent whether the request may have been sent
     */
    public static Failure withoutResponse(StatusCode code, boolean sent, String reason) {
        return Failure.newBuilder()
                .setKind(FailureKind.FAILURE_KIND_CALL)
                .setOrigin(Origin.ORIGIN_TRANSPORT)
                .setCode(code.number())
                .setOutcome(AgentProto.Outcome.OUTCOME_UNKNOWN)
                .setNotSent(!sent)
                .setRetryable(true)
                .setMessage(cut(reason))
                .build();
    }

    private static Failure.Builder refusal(FailureKind kind, Origin origin, String reason) {
        return Failure.newBuilder()
                .setKind(kind)
                .setOrigin(origin)
                .setNotSent(true)
                .setMessage(cut(reason));
    }

    private static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "... (cut)";
    }

    /**
     * Returns whether the sender may repeat a failed request: true if the receiver says so, or if this version does not
     * know the kind of the failure.
     */
    public static boolean mayRepeat(Failure failure) {
        return failure.getRetryable()
                || failure.getKind() == FailureKind.FAILURE_KIND_UNSPECIFIED
                || failure.getKind() == FailureKind.UNRECOGNIZED;
    }

    /**
     * Returns the problems of a request.
     *
     * @param redacted makes a text of the peer safe to show
     */
    public static List<Problem> problems(Failure failure, UnaryOperator<String> redacted) {
        return failure.getProblemsList().stream()
                .map(each -> new Problem(
                        redacted.apply(each.getField()),
                        redacted.apply(each.getProblem()),
                        redacted.apply(each.getRemedy())))
                .toList();
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

    /** Returns the outcome; an unknown number counts as an unknown outcome. */
    public static CallOutcome outcome(Failure failure) {
        return switch (failure.getOutcome()) {
            case OUTCOME_RETRY_AFTER_CAUSE -> CallOutcome.RETRY_AFTER_CAUSE;
            case OUTCOME_CHANGE_REQUEST -> CallOutcome.CHANGE_REQUEST;
            case OUTCOME_NEVER -> CallOutcome.NEVER;
            case OUTCOME_PAGE_RESTART -> CallOutcome.PAGE_RESTART;
            case OUTCOME_UNSPECIFIED, OUTCOME_UNKNOWN, UNRECOGNIZED -> CallOutcome.OUTCOME_UNKNOWN;
        };
    }

    /** Returns the status code; OK and an unknown number count as UNKNOWN. */
    public static StatusCode code(Failure failure) {
        for (StatusCode code : StatusCode.values()) {
            if (code.number() == failure.getCode() && code != StatusCode.OK) {
                return code;
            }
        }
        return StatusCode.UNKNOWN;
    }
}
