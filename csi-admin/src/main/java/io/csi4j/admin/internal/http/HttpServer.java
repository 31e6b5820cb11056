package io.csi4j.admin.internal.http;

import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Environment;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/1.1 server on one address or Unix socket. A waiting request has no thread. Few threads read and write; a few
 * others run the service.
 */
public final class HttpServer implements AutoCloseable {
    /** The longest first line of a request. */
    static final int LINE_BYTES = 8 * 1024;
    /** The longest headers of a request. */
    static final int HEADER_BYTES = 16 * 1024;

    private static final int LOOPS = 2;
    private static final Duration SWEEP = Duration.ofSeconds(1);
    /** A body is asked for its next piece when less than the first number of bytes is unsent. */
    private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(16 * 1024, 64 * 1024);

    private final HttpService service;
    private final HttpLimits limits;
    private final Environment environment;
    private final Set<HttpConnection> connections = ConcurrentHashMap.newKeySet();
    private final Executor requests;
    private final EventLoopGroup loops;
    private final Channel channel;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable Cancellable sweep;

    /**
     * Starts a server.
     *
     * @param address an internet address, or a {@link UnixDomainSocketAddress} whose file does not exist
     * @param tls the keys of the server; null for a server without TLS
     * @param requests the threads that run the service; the caller ends them after the server
     * @throws IOException if the address cannot be used
     */
    public HttpServer(
            SocketAddress address,
            @Nullable SSLContext tls,
            HttpLimits limits,
            HttpService service,
            Executor requests,
            Environment environment)
            throws IOException {
        this.service = service;
        this.limits = limits;
        this.environment = environment;
        this.requests = requests;
        this.loops = new MultiThreadIoEventLoopGroup(
                LOOPS, RequestThreads.named("csi4j-admin-io-"), NioIoHandler.newFactory());
        Class<? extends ServerChannel> kind = address instanceof UnixDomainSocketAddress
                ? NioServerDomainSocketChannel.class
                : NioServerSocketChannel.class;
        try {
            this.channel = new ServerBootstrap()
                    .group(loops)
                    .channel(kind)
                    .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT)
                    .childHandler(new Connections(tls))
                    .bind(address)
                    .syncUninterruptibly()
                    .channel();
        } catch (Exception e) {
            stopThreads();
            throw e instanceof IOException failed ? failed : new IOException("cannot listen on " + address, e);
        }
        sweepLater();
    }

    /** Returns the address, with the port that the system chose if the host chose none. */
    public SocketAddress address() {
        return channel.localAddress();
    }

    HttpService service() {
        return service;
    }

    HttpLimits limits() {
        return limits;
    }

    long nanoTime() {
        return environment.timer().nanoTime();
    }

    /** Runs a part of a request on a thread for requests. */
    void run(Runnable part) {
        requests.execute(part);
    }

    /** Runs a part of a request on a thread for requests. Cancelling the result cancels the future that the part returned. */
    <R> CompletableFuture<R> call(Supplier<CompletableFuture<R>> part) {
        CompletableFuture<R> result = new CompletableFuture<>();
        requests.execute(() -> {
            if (!result.isDone()) {
                Futures.follow(Futures.start(part), result);
            }
        });
        return result;
    }

    void ended(HttpConnection connection) {
        connections.remove(connection);
    }

    private void sweepLater() {
        sweep = environment.timer().schedule(SWEEP, () -> {
            sweep();
            if (!closed.get()) {
                sweepLater();
            }
        });
    }

    private void sweep() {
        long now = nanoTime();
        for (HttpConnection connection : connections) {
            long since = connection.silentSince();
            if (since != Long.MAX_VALUE && now - since > limits.silence().toNanos()) {
                connection.close();
            }
        }
    }

    /** Makes room for a connection: the client that has been silent for longest loses its own. */
    private void makeRoom() {
        if (connections.size() >= limits.connections()) {
            connections.stream()
                    .min(Comparator.comparingLong(HttpConnection::silentSince))
                    .ifPresent(HttpConnection::close);
        }
    }

    private final class Connections extends ChannelInitializer<Channel> {
        private final @Nullable SSLContext tls;

        Connections(@Nullable SSLContext tls) {
            this.tls = tls;
        }

        @Override
        protected void initChannel(Channel accepted) {
            makeRoom();
            HttpConnection connection = new HttpConnection(HttpServer.this);
            connections.add(connection);
            if (tls != null) {
                SSLEngine engine = tls.createSSLEngine();
                engine.setUseClientMode(false);
                accepted.pipeline().addLast(new SslHandler(engine));
            }
            accepted.pipeline()
                    .addLast(new HttpServerCodec(new HttpDecoderConfig()
                            .setMaxInitialLineLength(LINE_BYTES)
                            .setMaxHeaderSize(HEADER_BYTES)
                            .setMaxChunkSize(8 * 1024)
                            .setInitialBufferSize(128)))
                    .addLast(connection);
        }
    }

    private void stopThreads() {
        // The port is free only when the loops have ended.
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** Ends all connections and threads. Further calls have no effect. */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        Cancellable next = sweep;
        if (next != null) {
            next.cancel();
        }
        channel.close().syncUninterruptibly();
        connections.forEach(HttpConnection::close);
        stopThreads();
    }
}
