package io.csi4j.admin.internal.http;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A body that is made while it is sent, piece by piece. The next piece is asked for when the client has read most of the
 * last one, so a slow client costs the memory of one piece.
 */
public interface HttpBody {
    /** Returns the next piece, which is not empty; no piece at the end. The connection calls it again only after the last answer. */
    CompletableFuture<Optional<byte[]>> next();

    /** Ends the body because the client does not want more, or does not read. Not called after the last piece. */
    void cancel();
}
