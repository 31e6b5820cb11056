package io.csi4j.admin.internal.http;

import io.csi4j.core.internal.concurrent.Futures;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One connection. It reads one request at a time, and asks the service before it reads a body. A client that sends its next
 * request before it has the answer to the last one loses its connection after that answer, as HTTP allows.
 *
 * <p>Its fields belong to the event loop of the channel, except those that are volatile.
 */
final class HttpConnection extends SimpleChannelInboundHandler<HttpObject> {
    private static final System.Logger LOGGER = System.getLogger(HttpServer.class.getName());
    private static final long NOT_WAITING = Long.MAX_VALUE;
    private static final String PLAIN = "text/plain; charset=utf-8";

    /**
     * The headers of every answer, which keep browsers from doing more with it than showing it to its reader. An answer may
     * have another value.
     */
    private static final Map<String, String> GUARD = Map.of(
            "x-content-type-options", "nosniff",
            "cache-control", "no-store",
            "content-security-policy", "default-src 'none'; frame-ancestors 'none'",
            "cross-origin-resource-policy", "same-origin");

    private final HttpServer server;
    private volatile @Nullable ChannelHandlerContext context;
    /** The head of the request whose body is being read. */
    private @Nullable HttpHead head;

    private @Nullable ByteArrayOutputStream body;
    private volatile @Nullable CompletableFuture<HttpAnswer> answer;
    private @Nullable HttpBody stream;
    private boolean serving;
    private boolean asked;
    private boolean headOnly;
    private boolean keepAlive = true;
    private volatile long silentSince;

    HttpConnection(HttpServer server) {
        this.server = server;
        this.silentSince = server.nanoTime();
    }

    /** Returns since when the client has been silent, in nanoseconds of the server's timer; the largest number while the server works for it. */
    long silentSince() {
        return silentSince;
    }

    /** Closes the connection, from any thread. */
    void close() {
        ChannelHandlerContext open = context;
        if (open != null) {
            var unused = open.close();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelInactive(ChannelHandlerContext closed) {
        server.ended(this);
        CompletableFuture<HttpAnswer> unfinished = answer;
        if (unfinished != null) {
            unfinished.cancel(false);
        }
        HttpBody unread = stream;
        if (unread != null) {
            stream = null;
            unread.cancel();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext broken, Throwable cause) {
        if (!(cause instanceof IOException)) {
            LOGGER.log(System.Logger.Level.DEBUG, "a connection of the administration failed", cause);
        }
        var unused = broken.close();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext channel, HttpObject message) {
        if (serving) {
            keepAlive = false; // The client did not wait for its answer.
        } else if (message.decoderResult().isFailure()) {
            refuseBroken(message.decoderResult().cause());
        } else if (message instanceof io.netty.handler.codec.http.HttpRequest request) {
            begin(request);
        } else if (message instanceof HttpContent content) {
            read(content);
        }
    }

    private void refuseBroken(Throwable cause) {
        refuse(
                cause instanceof TooLongHttpLineException
                        ? HttpAnswer.of(
                                414,
                                PLAIN,
                                "The address of the request is longer than " + HttpServer.LINE_BYTES + " bytes.\n")
                        : cause instanceof TooLongHttpHeaderException
                                ? HttpAnswer.of(
                                        431,
                                        PLAIN,
                                        "The headers of the request are longer than " + HttpServer.HEADER_BYTES
                                                + " bytes.\n")
                                : HttpAnswer.of(400, PLAIN, "The request is not valid HTTP/1.1.\n"));
    }

    private void begin(io.netty.handler.codec.http.HttpRequest request) {
        silentSince = server.nanoTime();
        headOnly = request.method().equals(HttpMethod.HEAD);
        keepAlive = HttpUtil.isKeepAlive(request);
        HttpHead received;
        try {
            received =
                    HttpHead.of(headOnly ? "GET" : request.method().name(), request.uri(), request.headers(), peer());
        } catch (IllegalArgumentException e) {
            refuse(HttpAnswer.of(400, PLAIN, "The address of the request is not encoded correctly.\n"));
            return;
        }
        Optional<HttpAnswer> refusal = server.service().refuse(received);
        if (refusal.isPresent()) {
            refuse(refusal.get());
            return;
        }
        if (HttpUtil.getContentLength(request, 0L) > server.limits().bodyBytes()) {
            refuseBody();
            return;
        }
        if (HttpUtil.is100ContinueExpected(request)) {
            var unused = channel()
                    .writeAndFlush(new DefaultFullHttpResponse(
                            HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
        }
        head = received;
        body = new ByteArrayOutputStream(0);
    }

    private Optional<InetAddress> peer() {
        return channel().channel().remoteAddress() instanceof InetSocketAddress address
                ? Optional.ofNullable(address.getAddress())
                : Optional.empty();
    }

    private void read(HttpContent content) {
        HttpHead complete = head;
        ByteArrayOutputStream bytes = body;
        if (complete == null || bytes == null) {
            return; // The rest of a refused request.
        }
        ByteBuf part = content.content();
        if (bytes.size() + part.readableBytes() > server.limits().bodyBytes()) {
            head = null;
            refuseBody();
            return;
        }
        byte[] read = new byte[part.readableBytes()];
        part.readBytes(read);
        bytes.writeBytes(read);
        if (content instanceof LastHttpContent) {
            head = null;
            body = null;
            serve(new HttpRequest(complete, bytes.toByteArray()));
        }
    }

    private void refuseBody() {
        refuse(HttpAnswer.of(
                413,
                PLAIN,
                "The body of the request is longer than " + server.limits().bodyBytes() + " bytes.\n"));
    }

    private void refuse(HttpAnswer refusal) {
        keepAlive = false;
        serving = true;
        send(refusal);
    }

    private void serve(HttpRequest request) {
        serving = true;
        silentSince = NOT_WAITING;
        server.run(() -> answer(request));
    }

    /** Runs the service, on a thread for requests. */
    private void answer(HttpRequest request) {
        if (!channel().channel().isActive()) {
            return;
        }
        CompletableFuture<HttpAnswer> pending =
                Futures.start(() -> server.service().serve(request));
        answer = pending;
        if (!channel().channel().isActive()) {
            pending.cancel(false); // The client has gone before it was known what to cancel.
        }
        var unused =
                pending.whenComplete((made, failure) -> channel().executor().execute(() -> {
                    answer = null;
                    if (made != null) {
                        send(made);
                    } else if (!pending.isCancelled()) {
                        LOGGER.log(
                                System.Logger.Level.WARNING,
                                "a request of the administration failed; please report this",
                                failure);
                        send(HttpAnswer.of(500, PLAIN, "The request failed. The log of the server has the cause.\n"));
                    }
                }));
    }

    private void send(HttpAnswer made) {
        silentSince = server.nanoTime();
        if (!channel().channel().isActive()) {
            if (made.stream() != null) {
                made.stream().cancel();
            }
            return;
        }
        HttpResponseStatus status = HttpResponseStatus.valueOf(made.status());
        if (made.whole() != null) {
            ByteBuf bytes = headOnly ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(made.whole());
            FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, bytes);
            headers(made, response.headers());
            response.headers().set(HttpHeaderNames.CONTENT_LENGTH, made.whole().length);
            channel().writeAndFlush(response).addListener((ChannelFutureListener) sent -> finished());
            return;
        }
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
        headers(made, response.headers());
        HttpUtil.setTransferEncodingChunked(response, true);
        var unused = channel().write(response);
        stream = made.stream();
        if (headOnly) {
            HttpBody unwanted = stream;
            stream = null;
            if (unwanted != null) {
                unwanted.cancel();
            }
            end();
        } else {
            channel().flush();
            pump();
        }
    }

    private void headers(HttpAnswer made, HttpHeaders headers) {
        GUARD.forEach(headers::set);
        made.headers().forEach(headers::set);
        if (!keepAlive) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        pump();
    }

    /** Asks the body for its next piece, if the client has read enough of the last ones. */
    private void pump() {
        HttpBody source = stream;
        if (source == null || asked || !channel().channel().isWritable()) {
            return;
        }
        asked = true;
        silentSince = NOT_WAITING;
        CompletableFuture<Optional<byte[]>> next = server.call(source::next);
        var unused = next.whenComplete((piece, failure) -> channel().executor().execute(() -> {
            asked = false;
            silentSince = server.nanoTime();
            if (stream == null) {
                return; // The client has closed its connection.
            }
            if (failure != null) {
                stream = null;
                LOGGER.log(System.Logger.Level.WARNING, "an answer of the administration ended too early", failure);
                close(); // The client sees that the answer is not complete.
            } else if (piece.isEmpty()) {
                stream = null;
                end();
            } else {
                var unusedSent = channel()
                        .writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(piece.get())))
                        .addListener(sent -> silentSince = asked ? NOT_WAITING : server.nanoTime());
                pump();
            }
        }));
    }

    private void end() {
        channel().writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener((ChannelFutureListener)
                sent -> finished());
    }

    private void finished() {
        silentSince = server.nanoTime();
        serving = false;
        if (!keepAlive) {
            close();
        }
    }

    private ChannelHandlerContext channel() {
        ChannelHandlerContext open = context;
        if (open == null) {
            throw new IllegalStateException("the connection has no channel");
        }
        return open;
    }
}
