package io.csi4j.shell;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Server-sent events, each with an object as its data. */
final class EventStream {
    /** The longest silence between two events, after which the stream is opened again. */
    static final Duration SILENCE = Duration.ofMinutes(10);

    private static final int LONGEST_LINE = 1024 * 1024;

    private final InputStream in;

    EventStream(InputStream in) {
        this.in = in;
    }

    /** Reads all events to the end of the stream, and returns the last one. */
    Optional<JsonObject> read(Consumer<JsonObject> reader) throws IOException {
        JsonObject last = null;
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            for (int i = 0; i < count; i++) {
                if (buffer[i] != '\n') {
                    line.write(buffer[i]);
                    continue;
                }
                String text = line.toString(StandardCharsets.UTF_8).strip();
                line.reset();
                if (text.startsWith("data:")) {
                    last = event(text.substring("data:".length()));
                    reader.accept(last);
                }
            }
            if (line.size() > LONGEST_LINE) {
                throw new IOException("an event is longer than 1 MiB");
            }
        }
        return Optional.ofNullable(last);
    }

    private static JsonObject event(String data) {
        if (JsonInput.parse(data) instanceof JsonObject event) {
            return event;
        }
        throw new JsonParseException("an event is not an object");
    }
}
