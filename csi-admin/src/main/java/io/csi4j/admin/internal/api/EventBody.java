package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.http.HttpBody;
import io.csi4j.admin.internal.json.Shape;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Events as a stream of server-sent events. */
final class EventBody<T> implements HttpBody {
    private final Shape<T> shape;
    private final Endpoint.EventSource<T> source;

    EventBody(Shape<T> shape, Endpoint.EventSource<T> source) {
        this.shape = shape;
        this.source = source;
    }

    @Override
    public CompletableFuture<Optional<byte[]>> next() {
        return source.next()
                .thenApply(event ->
                        event.map(value -> ("data: " + shape.text(value) + "\n\n").getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void cancel() {
        source.cancel();
    }
}
