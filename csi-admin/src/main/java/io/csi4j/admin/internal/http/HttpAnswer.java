package io.csi4j.admin.internal.http;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An answer: a status, headers, and a whole body or one that is made while it is sent. */
public final class HttpAnswer {
    private final int status;
    private final Map<String, String> headers;
    private final byte @Nullable [] whole;
    private final @Nullable HttpBody stream;

    private HttpAnswer(int status, Map<String, String> headers, byte @Nullable [] whole, @Nullable HttpBody stream) {
        this.status = status;
        this.headers = headers;
        this.whole = whole;
        this.stream = stream;
    }

    /** Creates an answer with a text. */
    public static HttpAnswer of(int status, String type, String body) {
        return of(status, type, body.getBytes(StandardCharsets.UTF_8));
    }

    /** Creates an answer with bytes. */
    public static HttpAnswer of(int status, String type, byte[] body) {
        return new HttpAnswer(status, Map.of("content-type", type), body, null);
    }

    /** Creates an answer whose body is made while it is sent. */
    public static HttpAnswer of(int status, String type, HttpBody body) {
        return new HttpAnswer(status, Map.of("content-type", type), null, body);
    }

    /** Returns this answer with one more header. */
    public HttpAnswer with(String header, String value) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put(header, value);
        return new HttpAnswer(status, all, whole, stream);
    }

    /** Returns the status code. */
    public int status() {
        return status;
    }

    /** Returns the headers, without those of the connection. */
    Map<String, String> headers() {
        return headers;
    }

    /** Returns the whole body, not copied; null if there is a {@link #stream}. */
    byte @Nullable [] whole() {
        return whole;
    }

    /** Returns the body that is made while it is sent; null if there is a {@link #whole} one. */
    @Nullable HttpBody stream() {
        return stream;
    }
}
