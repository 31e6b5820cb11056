package io.csi4j.agent.internal.wire;

import io.grpc.Status;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A message that exceeded its receiver's limit and was not read.
 *
 * @param bytes its size
 * @param limit the limit
 */
public record MessageTooLarge(String bytes, String limit) {
    /**
     * The form of gRPC's message, which has no other way to report it. Only the numbers are used, because the text may be the peer's.
     */
    private static final Pattern WORDS = Pattern.compile("gRPC message exceeds maximum size (\\d{1,10}): (\\d{1,10})");

    /** Returns the sizes if the call ended for this reason, at either side. */
    public static Optional<MessageTooLarge> of(Status status) {
        Optional<MessageTooLarge> reported = read(status);
        // A client cancels a call whose response is too large, and keeps the reason as the cause.
        return reported.isPresent() || status.getCause() == null
                ? reported
                : read(Status.fromThrowable(status.getCause()));
    }

    private static Optional<MessageTooLarge> read(Status status) {
        String description = status.getDescription();
        if (status.getCode() != Status.Code.RESOURCE_EXHAUSTED || description == null) {
            return Optional.empty();
        }
        Matcher words = WORDS.matcher(description);
        return words.matches() ? Optional.of(new MessageTooLarge(words.group(2), words.group(1))) : Optional.empty();
    }
}
