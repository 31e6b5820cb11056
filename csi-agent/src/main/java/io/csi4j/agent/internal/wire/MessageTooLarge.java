package io.csi4j.agent.internal.wire;

import io.grpc.Status;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A message that was larger than its receiver accepts, and was not read.
 *
 * @param bytes its size
 * @param limit what is accepted
 */
public record MessageTooLarge(String bytes, String limit) {
    /** gRPC has no other way to say so; the numbers alone are taken out of it, since the text may be another's. */
    private static final Pattern WORDS = Pattern.compile("gRPC message exceeds maximum size (\\d{1,10}): (\\d{1,10})");

    /** Whether that is how a call ended, at this side or the other. */
    public static Optional<MessageTooLarge> of(Status status) {
        Optional<MessageTooLarge> told = read(status);
        // A client cancels a call whose answer it does not take, and keeps the reason as the cause.
        return told.isPresent() || status.getCause() == null ? told : read(Status.fromThrowable(status.getCause()));
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
