package io.csi4j.testkit.internal.rule;

import io.grpc.Status;

/** Fails a call with a gRPC code for programs and a text for operators (R32). */
public final class CallRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Status.Code code;

    private CallRefusal(Status.Code code, String message) {
        super(message, null, false, false);
        this.code = code;
    }

    /** Returns the gRPC code; never OK. */
    public Status.Code code() {
        return code;
    }

    /** Returns the refusal for a field that is missing, wrong or not supported. */
    public static CallRefusal invalid(String message) {
        return new CallRefusal(Status.Code.INVALID_ARGUMENT, message);
    }

    /** Returns the refusal for a missing volume, snapshot or node. */
    public static CallRefusal notFound(String message) {
        return new CallRefusal(Status.Code.NOT_FOUND, message);
    }

    /** Returns the refusal for an existing object that differs from the request. */
    public static CallRefusal alreadyExists(String message) {
        return new CallRefusal(Status.Code.ALREADY_EXISTS, message);
    }

    /** Returns the refusal for a call in the wrong order, or for a volume in use. */
    public static CallRefusal failedPrecondition(String message) {
        return new CallRefusal(Status.Code.FAILED_PRECONDITION, message);
    }

    /** Returns the refusal for a concurrent call about the same object, or for an invalid page token. */
    public static CallRefusal aborted(String message) {
        return new CallRefusal(Status.Code.ABORTED, message);
    }

    /** Returns the refusal for an impossible size. */
    public static CallRefusal outOfRange(String message) {
        return new CallRefusal(Status.Code.OUT_OF_RANGE, message);
    }

    /** Returns the refusal for missing capacity. */
    public static CallRefusal exhausted(String message) {
        return new CallRefusal(Status.Code.RESOURCE_EXHAUSTED, message);
    }

    /** Returns the refusal for an operation that the plugin process has no permission for. */
    public static CallRefusal denied(String message) {
        return new CallRefusal(Status.Code.PERMISSION_DENIED, message);
    }

    /** Returns the refusal for an effect that failed without the caller's fault. */
    public static CallRefusal internal(String message) {
        return new CallRefusal(Status.Code.INTERNAL, message);
    }

    /** Returns the refusal for a capability that is off (R15). */
    public static CallRefusal unimplemented(String message) {
        return new CallRefusal(Status.Code.UNIMPLEMENTED, message);
    }

    /** Returns the refusal for an unreadable record. */
    public static CallRefusal dataLoss(String message) {
        return new CallRefusal(Status.Code.DATA_LOSS, message);
    }
}
