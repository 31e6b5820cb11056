package io.csi4j.testkit.internal.rule;

import io.grpc.Status;

/** Fails a call with a gRPC code for programs and a text for operators (R32). */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Status.Code code;

    private Refusal(Status.Code code, String message) {
        super(message, null, false, false);
        this.code = code;
    }

    /** Returns the gRPC code; never OK. */
    public Status.Code code() {
        return code;
    }

    /** Returns the refusal for a field that is missing, wrong or not supported. */
    public static Refusal invalid(String message) {
        return new Refusal(Status.Code.INVALID_ARGUMENT, message);
    }

    /** Returns the refusal for a missing volume, snapshot or node. */
    public static Refusal notFound(String message) {
        return new Refusal(Status.Code.NOT_FOUND, message);
    }

    /** Returns the refusal for an existing object that differs from the request. */
    public static Refusal alreadyExists(String message) {
        return new Refusal(Status.Code.ALREADY_EXISTS, message);
    }

    /** Returns the refusal for a call in the wrong order, or for a volume in use. */
    public static Refusal failedPrecondition(String message) {
        return new Refusal(Status.Code.FAILED_PRECONDITION, message);
    }

    /** Returns the refusal for a concurrent call about the same object, or for an invalid page token. */
    public static Refusal aborted(String message) {
        return new Refusal(Status.Code.ABORTED, message);
    }

    /** Returns the refusal for an impossible size. */
    public static Refusal outOfRange(String message) {
        return new Refusal(Status.Code.OUT_OF_RANGE, message);
    }

    /** Returns the refusal for missing capacity. */
    public static Refusal exhausted(String message) {
        return new Refusal(Status.Code.RESOURCE_EXHAUSTED, message);
    }

    /** Returns the refusal for an operation that the plugin process has no permission for. */
    public static Refusal denied(String message) {
        return new Refusal(Status.Code.PERMISSION_DENIED, message);
    }

    /** Returns the refusal for an effect that failed without the caller's fault. */
    public static Refusal internal(String message) {
        return new Refusal(Status.Code.INTERNAL, message);
    }

    /** Returns the refusal for a capability that is off (R15). */
    public static Refusal unimplemented(String message) {
        return new Refusal(Status.Code.UNIMPLEMENTED, message);
    }

    /** Returns the refusal for an unreadable record. */
    public static Refusal dataLoss(String message) {
        return new Refusal(Status.Code.DATA_LOSS, message);
    }
}
