package io.csi4j.shell;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import com.google.gson.ToNumberPolicy;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** JSON from a server, of which no value may be larger than a limit. */
final class JsonInput {
    /** The largest value in bytes: an object, or an item of a list. */
    static final int LARGEST = 16 * 1024 * 1024;

    private static final Gson GSON = new GsonBuilder()
            .setStrictness(Strictness.STRICT)
            .setObjectToNumberStrategy(ToNumberPolicy.LAZILY_PARSED_NUMBER)
            .disableHtmlEscaping()
            .create();
    private static final Gson PRETTY = new GsonBuilder()
            .setPrettyPrinting()
            .disableHtmlEscaping()
            .serializeNulls()
            .create();
    private static final TypeAdapter<JsonElement> VALUE = GSON.getAdapter(JsonElement.class);

    private final Limited bytes;
    private final JsonReader reader;

    JsonInput(InputStream in) {
        this.bytes = new Limited(in);
        this.reader = new JsonReader(new InputStreamReader(bytes, StandardCharsets.UTF_8));
        this.reader.setStrictness(Strictness.STRICT);
    }

    /** Returns the only value of an answer. */
    static JsonElement one(HttpReply reply) throws IOException {
        return new JsonInput(reply.body()).value();
    }

    /** Returns a value of a text. */
    static JsonElement parse(String text) {
        try {
            return VALUE.fromJson(text);
        } catch (IOException e) {
            throw new JsonParseException(e);
        }
    }

    /** Returns JSON without white space. */
    static String text(JsonElement value) {
        return Text.safeJson(GSON.toJson(value));
    }

    /** Returns JSON for people who read it. */
    static String pretty(JsonElement value) {
        return Text.safeJson(PRETTY.toJson(value));
    }

    JsonReader reader() {
        return reader;
    }

    /** Reads the next value. */
    JsonElement value() throws IOException {
        bytes.left = LARGEST;
        try {
            return VALUE.read(reader);
        } catch (IllegalStateException e) {
            throw new JsonParseException(e);
        }
    }

    private static final class Limited extends FilterInputStream {
        private int left = LARGEST;

        Limited(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int value = super.read();
            counted(value < 0 ? 0 : 1);
            return value;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            int count = super.read(to, offset, length);
            counted(count);
            return count;
        }

        private void counted(int count) throws IOException {
            left -= Math.max(0, count);
            if (left < 0) {
                throw new IOException("its answer is larger than " + LARGEST / 1024 / 1024 + " MiB");
            }
        }
    }
}
