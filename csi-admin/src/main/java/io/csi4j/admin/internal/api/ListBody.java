package io.csi4j.admin.internal.api;

import com.google.gson.stream.JsonWriter;
import io.csi4j.admin.internal.http.HttpBody;
import io.csi4j.admin.internal.json.Shape;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list that is read in smaller parts while the client takes them, so that a slow client costs the memory of one
 * part: {@code {"index":7,"items":[...],"next":"..."}}.
 */
final class ListBody<T> implements HttpBody {
    /** The number of items that are read at once. */
    static final int PART = 250;

    /** Reads a part. */
    interface Reader<T> {
        CompletableFuture<Page<T>> read(Optional<String> after, int limit);
    }

    private final Shape<T> shape;
    private final Reader<T> reader;
    private int left;
    /** The first part until it is sent. */
    private @Nullable Page<T> first;

    private Optional<String> after = Optional.empty();
    private boolean ended;
    /** The JSON that is made and not sent yet. */
    private final StringWriter text = new StringWriter();

    private final JsonWriter json = Shape.writer(text);

    /**
     * @param index the index of the state before the first part was read
     * @param first the first part
     * @param limit the largest number of items in all parts
     */
    ListBody(Shape<T> shape, long index, Page<T> first, int limit, Reader<T> reader) {
        this.shape = shape;
        this.first = first;
        this.left = limit;
        this.reader = reader;
        try {
            json.beginObject().name("index").value(index).name("items").beginArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // A StringWriter does not fail.
        }
    }

    @Override
    public CompletableFuture<Optional<byte[]>> next() {
        Page<T> known = first;
        first = null;
        if (known != null) {
            return CompletableFuture.completedFuture(Optional.of(piece(known)));
        }
        return ended
                ? CompletableFuture.completedFuture(Optional.empty())
                : reader.read(after, Math.min(left, PART)).thenApply(page -> Optional.of(piece(page)));
    }

    private byte[] piece(Page<T> page) {
        try {
            for (T item : page.items()) {
                text.write('\n'); // An item has a line of its own.
                shape.write(json, item);
            }
            left -= page.items().size();
            after = page.next();
            ended = after.isEmpty() || left <= 0;
            if (ended) {
                json.endArray();
                if (after.isPresent()) {
                    json.name("next").value(after.get());
                }
                json.endObject();
            }
            text.write('\n'); // A piece is not empty.
        } catch (IOException e) {
            throw new UncheckedIOException(e); // A StringWriter does not fail.
        }
        byte[] piece = text.toString().getBytes(StandardCharsets.UTF_8);
        text.getBuffer().setLength(0);
        return piece;
    }

    @Override
    public void cancel() {
        ended = true;
    }
}
