package io.csi4j.testkit.internal.rule;

import io.grpc.Status;

/** A call that is answered with an error: the code for the program, the text for the operator (R32). */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Status.Code code;

    private Refusal(Status.Code code, String message) {
        super(message, null, false, false);
        this.code = code;
    }

    /**
     * The gRPC code.
     *
     * @return any but OK
     */
    public Status.Code code() {
        return code;
    }

    /**
     * A field is missing, wrong or not supported.
     *
     * @param message for the operator
     * @return to be thrown
     */
    public static Refusal invalid(String message) {
        return new Refusal(Status.Code.INVALID_ARGUMENT, message);
    }

    /**
     * What the call is about does not exist.
     *
     * @param message for the operator
     * @return to be thrown
     */
    public static Refusal notFound(String message) {
        return new Refusal(Status.Code.NOT_FOUND, message);
    }

    /**
     * It exists and differs from what is asked for.
     *
     * @param message for the operator
     * @return to be thrown
     */
    public static Refusal alreadyExists(String message) {
        return new Refusal(Status.Code.ALREADY_EXISTS, message);
    }

    /**
     * The call came in the wrong order, or the volume is in use.
     *
     * @param message for the operator
     * @return to be thrown
     */
    public static Refusal failedPrecondition(String message) {
        return new Refusal(Status.Code.FAILED_PRECONDITION, message);
    }

    /**
     * Another call for the same thing is pending, or a paging token is bad.
     *
     * @param message for the operator
     * @return to be thrown
     */
    public static Refusal aborted(String message) {
        return new Refusal(Status.Code.ABORTED, message);
    }

    /**
     * A size cannot be had.
     *
     * @param message for the operator
     * @return to be thrown
     */
    public static Refusal outOfRange(String message) {
        return new Refusal(Status.Code.OUT_OF_RANGE, message);
    }

    /**
     * There is no room.
     *
     * @param message for the operator
     * @return to be thrown
     */
    public static Refusal exhausted(String message) {
        return new Refusal(Status.Code.RESOURCE_EXHAUSTED, message);
    }

    /**
     * The plugin process may not do what is asked for.
     *
     * @param message for the operator
     * @return to be thrown
     */
    public static Refusal denied(String message) {
        return new Refusal(Status.Code.PERMISSION_DENIED, message);
    }

    /**
     * An effect failed for a reason that is not the caller's.
     *
     * @param message for the operator
     * @return to be thrown
     */
    public static Refusal internal(String message) {
        return new Refusal(Status.Code.INTERNAL, message);
    }

    /**
     * The capability is off (R15).
     *
     * @param message for the operator
     * @return to be thrown
     */
    public static Refusal unimplemented(String message) {
        return new Refusal(Status.Code.UNIMPLEMENTED, message);
    }

    /**
     * A record cannot be read.
     *
     * @param message for the operator
     * @return to be thrown
     */
    public static Refusal dataLoss(String message) {
        return new Refusal(Status.Code.DATA_LOSS, message);
    }
}
