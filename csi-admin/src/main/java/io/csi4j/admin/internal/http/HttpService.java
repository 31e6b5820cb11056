package io.csi4j.admin.internal.http;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Answers requests. */
public interface HttpService {
    /**
     * Decides about a request before its body is read. A refusal also ends the connection, because the rest of the request
     * is not read. Called on a thread of the connections, so it has to return at once.
     *
     * @return the refusal; empty to read the body and to call {@link #serve}
     */
    Optional<HttpAnswer> refuse(HttpHead head);

    /**
     * Answers a request. Called on a thread for requests.
     *
     * @return the answer. It is cancelled when the client has closed its connection
     */
    CompletableFuture<HttpAnswer> serve(HttpRequest request);
}
