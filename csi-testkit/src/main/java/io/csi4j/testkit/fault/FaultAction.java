package io.csi4j.testkit.fault;

import io.csi4j.core.call.StatusCode;
import java.util.Objects;
import java.util.Optional;

/**
 * The change that a fault makes to a call.
 *
 * @param kind the kind of change
 * @param code the status code; only for {@link Kind#FAIL} and {@link Kind#FAIL_ECHOING_SECRETS}
 * @param text the error text of the plugin, for {@link Kind#FAIL}; where the link leads, for {@link Kind#LINK_TARGET}
 * @param wrongAnswer the wrong answer; only for {@link Kind#ANSWER_WRONG}
 * @param bytes the size of the answer; only for {@link Kind#ANSWER_OVERSIZED}
 */
public record FaultAction(
        Kind kind, Optional<StatusCode> code, String text, Optional<WrongAnswer> wrongAnswer, int bytes) {
    /** The kinds of changes. */
    public enum Kind {
        /** Handles the call as usual, after the rule's delay. */
        CONTINUE,
        /** Fails the call without an effect. */
        FAIL,
        /** Fails the call without an effect, with an error text that contains the secrets of the request. */
        FAIL_ECHOING_SECRETS,
        /** Neither handles nor answers the call, until the caller cancels it or the rule is removed. */
        HANG,
        /** Handles the call and never answers. */
        LOSE_REPLY,
        /** Cuts the connections of all callers; the call has no effect. */
        DROP_CONNECTION_BEFORE,
        /** Handles the call, then cuts the connections of all callers. */
        DROP_CONNECTION_AFTER,
        /** Ends the plugin as a crash does; the call has no effect. */
        CRASH_BEFORE,
        /** Handles the call, then ends the plugin as a crash does. */
        CRASH_AFTER,
        /** Handles the call and answers wrongly. */
        ANSWER_WRONG,
        /** Handles the call and answers with more bytes than a caller accepts. */
        ANSWER_OVERSIZED,
        /** Answers with an empty message, as if the call had succeeded; it has no effect. */
        ANSWER_WITHOUT_EFFECT,
        /** Answers NodePublishVolume as if it had succeeded, and puts a symbolic link at the target. */
        LINK_TARGET
    }

    /** The default size of an oversized answer: 17 MiB. A client accepts at most 16 MiB by default. */
    public static final int OVERSIZED_BYTES = 17 << 20;

    /** Checks that no part is null. */
    public FaultAction {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(text, "text");
        Objects.requireNonNull(wrongAnswer, "wrongAnswer");
    }

    /**
     * Returns an action of a kind that needs no further value, for example {@link Kind#HANG}.
     *
     * @throws IllegalArgumentException if the kind needs a further value, for example a status code
     */
    public static FaultAction of(Kind kind) {
        switch (kind) {
            case FAIL, FAIL_ECHOING_SECRETS, ANSWER_WRONG, ANSWER_OVERSIZED, LINK_TARGET ->
                throw new IllegalArgumentException(kind + " needs a parameter; use the method that is named for it");
            default -> {
                return new FaultAction(kind, Optional.empty(), "", Optional.empty(), 0);
            }
        }
    }

    /**
     * Makes the call fail with a status code.
     *
     * @param text the error text of the plugin; empty: a text with the name of the code
     * @throws IllegalArgumentException if the code is OK
     */
    public static FaultAction fail(StatusCode code, String text) {
        return new FaultAction(Kind.FAIL, Optional.of(error(code)), text, Optional.empty(), 0);
    }

    /**
     * Makes the call fail with an error text that contains the secrets of the request.
     *
     * @throws IllegalArgumentException if the code is OK
     */
    public static FaultAction failEchoingSecrets(StatusCode code) {
        return new FaultAction(Kind.FAIL_ECHOING_SECRETS, Optional.of(error(code)), "", Optional.empty(), 0);
    }

    /** Makes the plugin send a wrong answer. */
    public static FaultAction answerWrong(WrongAnswer wrongAnswer) {
        return new FaultAction(Kind.ANSWER_WRONG, Optional.empty(), "", Optional.of(wrongAnswer), 0);
    }

    /**
     * Makes the plugin send an answer that is too large.
     *
     * @param bytes the size of the answer; greater than zero
     */
    public static FaultAction answerOversized(int bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("an oversized answer needs more than " + bytes + " bytes");
        }
        return new FaultAction(Kind.ANSWER_OVERSIZED, Optional.empty(), "", Optional.empty(), bytes);
    }

    /**
     * Makes the plugin put a symbolic link at the target of NodePublishVolume.
     *
     * @param destination where the link leads
     * @throws IllegalArgumentException if it is empty
     */
    public static FaultAction linkTarget(String destination) {
        if (destination.isEmpty()) {
            throw new IllegalArgumentException("a link has to lead somewhere; give a path");
        }
        return new FaultAction(Kind.LINK_TARGET, Optional.empty(), destination, Optional.empty(), 0);
    }

    private static StatusCode error(StatusCode code) {
        if (code == StatusCode.OK) {
            throw new IllegalArgumentException("a fault cannot fail a call with OK; choose an error code");
        }
        return code;
    }

    /** Returns whether the plugin handles the call, so that it takes effect. */
    public boolean takesEffect() {
        return switch (kind) {
            case CONTINUE, LOSE_REPLY, DROP_CONNECTION_AFTER, CRASH_AFTER, ANSWER_WRONG, ANSWER_OVERSIZED -> true;
            default -> false;
        };
    }

    /** Returns the words of the action in a script; empty for {@link Kind#CONTINUE}. */
    @Override
    public String toString() {
        return switch (kind) {
            case CONTINUE -> "";
            case FAIL ->
                "fail " + code.map(StatusCode::name).orElse("")
                        + (text.isEmpty() ? "" : " " + FaultScript.quoted(text));
            case FAIL_ECHOING_SECRETS ->
                "fail-echoing-secrets " + code.map(StatusCode::name).orElse("");
            case HANG -> "hang";
            case LOSE_REPLY -> "lose-reply";
            case DROP_CONNECTION_BEFORE -> "drop-connection before";
            case DROP_CONNECTION_AFTER -> "drop-connection after";
            case CRASH_BEFORE -> "crash before";
            case CRASH_AFTER -> "crash after";
            case ANSWER_WRONG ->
                "answer-wrong " + wrongAnswer.map(WrongAnswer::word).orElse("");
            case ANSWER_OVERSIZED -> "answer-oversized " + bytes;
            case ANSWER_WITHOUT_EFFECT -> "answer-without-effect";
            case LINK_TARGET -> "link-target " + FaultScript.quoted(text);
        };
    }
}
