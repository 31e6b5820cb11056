package io.csi4j.shell;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one request, read from its connection as the caller takes it: an answer of any length needs the memory of
 * one buffer. Redirects are not followed.
 */
final class HttpReply implements Closeable {
    private static final int LINE = 8192;
    private static final int HEADERS = 32_768;
    private static final int BUFFER = 16_384;

    private final Transport transport;
    private final Duration limit;
    private final EmbeddedChannel codec;
    private final byte[] buffer = new byte[BUFFER];
    private final HttpResponse head;
    private @Nullable ByteBuf content;
    private boolean ended;

    /**
     * Sends a request, and reads the head of the answer.
     *
     * @param limit the longest time without a byte of the answer
     * @param silence whether and how long a server may be silent before it is asked whether it lives
     */
    HttpReply(
            Transport transport,
            Address address,
            HttpRequest request,
            Optional<String> token,
            Duration limit,
            Silence silence)
            throws IOException {
        this.transport = transport;
        this.limit = limit;
        this.codec = new EmbeddedChannel(new HttpClientCodec(LINE, HEADERS, BUFFER));
        send(address, request, token);
        HttpObject first = head(silence);
        if (!(first instanceof HttpResponse response)) {
            throw new IOException("it ended the connection without an answer");
        }
        this.head = response;
    }

    /**
     * The silence before an answer.
     *
     * @param first after which time a server that has said nothing is suspected
     * @param lives returns whether it answers something else, so that it only needs long for this request
     */
    record Silence(Duration first, BooleanSupplier lives) {}

    /** A process that is stopped takes connections and answers nothing, like one that works long. */
    private @Nullable HttpObject head(Silence silence) throws IOException {
        if (silence.first().compareTo(limit) >= 0) {
            return next(limit);
        }
        try {
            return next(silence.first());
        } catch (SocketTimeoutException e) {
            if (!silence.lives().getAsBoolean()) {
                throw e;
            }
            return next(limit.minus(silence.first()));
        }
    }

    private void send(Address address, HttpRequest request, Optional<String> token) throws IOException {
        byte[] body = request.body().getBytes(StandardCharsets.UTF_8);
        DefaultFullHttpRequest message = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1,
                HttpMethod.valueOf(request.method()),
                request.target(),
                Unpooled.wrappedBuffer(body));
        HttpHeaders headers = message.headers();
        headers.set(HttpHeaderNames.HOST, address.authority());
        headers.set(HttpHeaderNames.CONNECTION, "close");
        headers.set(HttpHeaderNames.USER_AGENT, "csi");
        headers.set(HttpHeaderNames.ACCEPT, request.accept());
        token.ifPresent(value -> headers.set(HttpHeaderNames.AUTHORIZATION, "Bearer " + value));
        request.key().ifPresent(key -> headers.set("idempotency-key", key));
        if (!request.method().equals("GET")) {
            headers.set(HttpHeaderNames.CONTENT_TYPE, "application/json");
            headers.set(HttpHeaderNames.CONTENT_LENGTH, body.length);
        }
        codec.writeOutbound(message);
        for (ByteBuf part = codec.readOutbound(); part != null; part = codec.readOutbound()) {
            byte[] bytes = new byte[part.readableBytes()];
            part.readBytes(bytes);
            part.release();
            transport.write(bytes);
        }
    }

    /** Returns the next part of the answer; null at the end of the connection. */
    private @Nullable HttpObject next(Duration patience) throws IOException {
        HttpObject next = codec.readInbound();
        while (next == null) {
            int count = transport.read(buffer, patience);
            if (count < 0) {
                codec.finish();
                next = codec.readInbound();
                break;
            }
            codec.writeInbound(Unpooled.copiedBuffer(buffer, 0, count));
            next = codec.readInbound();
        }
        if (next != null && next.decoderResult().isFailure()) {
            ReferenceCountUtil.release(next);
            throw new IOException("its answer is not HTTP, or too long");
        }
        return next;
    }

    int status() {
        return head.status().code();
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(head.headers().get(name));
    }

    /** Returns the media type without its parameters, in lower case; empty without one. */
    String type() {
        return header("content-type").orElse("").split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    /** Returns the body. A connection that ends before the body fails. */
    InputStream body() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                while (!ended && (content == null || !content.isReadable())) {
                    fill();
                }
                ByteBuf part = content;
                if (part == null || !part.isReadable()) {
                    return -1;
                }
                int count = Math.min(length, part.readableBytes());
                part.readBytes(bytes, offset, count);
                return count;
            }
        };
    }

    private void fill() throws IOException {
        release();
        HttpObject next = next(limit);
        if (next == null) {
            throw new IOException("the connection ended in the middle of the answer");
        }
        if (next instanceof HttpContent part) {
            content = part.content();
            ended = next instanceof LastHttpContent;
        }
    }

    private void release() {
        if (content != null) {
            content.release();
            content = null;
        }
    }

    @Override
    public void close() throws IOException {
        release();
        transport.close();
        codec.finishAndReleaseAll();
    }
}
