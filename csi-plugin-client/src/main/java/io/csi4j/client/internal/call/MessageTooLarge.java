package io.csi4j.client.internal.call;

import io.grpc.Status;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A message that exceeded its receiver's limit and was not read.
 *
 * @param bytes the size of the message; "too many" if the message was compressed, because gRPC does not say it then
 * @param limit the limit, in bytes
 */
public record MessageTooLarge(String bytes, String limit) {
    /**
     * Matches the error text of gRPC, because gRPC reports the sizes only in this text. No other part of the text is
     * used, because it may come from the peer.
     */
    private static final Pattern WORDS =
            Pattern.compile("(?:Decompressed )?gRPC message exceeds maximum size (\\d{1,10})(?:: (\\d{1,10}))?");

    /** Returns the sizes if a call ended because a message was too large, at the sender or at the receiver. */
    public static Optional<MessageTooLarge> of(Status status) {
        Optional<MessageTooLarge> reported = read(status);
        // Also searches the cause of the status: a client cancels a call whose response is too large, and keeps the
        // reason as the cause.
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
        return words.matches()
                ? Optional.of(
                        new MessageTooLarge(Objects.requireNonNullElse(words.group(2), "too many"), words.group(1)))
                : Optional.empty();
    }
}
