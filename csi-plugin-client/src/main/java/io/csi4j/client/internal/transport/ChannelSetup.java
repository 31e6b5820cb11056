package io.csi4j.client.internal.transport;

import io.csi4j.client.Endpoint;
import io.csi4j.client.TlsOptions;
import io.csi4j.client.internal.file.SocketOwner;
import io.csi4j.client.internal.socket.IoKind;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The settings of all channels of csi4j: to plugins, agents and servers. */
public final class ChannelSetup {
    /**
     * The limit for error texts, in bytes. With gRPC's default of 8 KiB, a longer error text of the other side would change its status code
     * to INTERNAL.
     */
    private static final int MAX_METADATA_SIZE = 1 << 20;

    private ChannelSetup() {}

    /**
     * Returns a builder of a channel to a Unix socket or a network address.
     *
     * @param connecting is run before each attempt to connect
     * @param tls null: the channel does not use TLS
     */
    public static NettyChannelBuilder to(Endpoint endpoint, IoKind io, Runnable connecting, @Nullable SslContext tls) {
        Path path = endpoint.path().orElse(null);
        if (path != null) {
            return NettyChannelBuilder.forAddress(io.address(path))
                    .channelFactory(() -> {
                        connecting.run();
                        SocketOwner.check(path, endpoint.owner());
                        return io.unix().newChannel();
                    })
                    // Removes the keep-alive option that gRPC sets, because Unix sockets do not have it and Netty would
                    // log a warning.
                    .withOption(ChannelOption.SO_KEEPALIVE, null)
                    .overrideAuthority("localhost")
                    .usePlaintext();
        }
        String authority = endpoint.authority()
                .orElseThrow(() -> new IllegalStateException("endpoint " + endpoint + " has neither path nor host"));
        NettyChannelBuilder builder = NettyChannelBuilder.forTarget("dns:///" + authority)
                .channelFactory(() -> {
                    connecting.run();
                    return io.tcp().newChannel();
                });
        if (tls == null) {
            return builder.usePlaintext();
        }
        endpoint.tls().flatMap(TlsOptions::serverName).ifPresent(builder::overrideAuthority);
        return builder.sslContext(tls);
    }

    /**
     * Builds the channel.
     *
     * @param calls runs the listeners of calls that have no executor of their own
     * @param offload runs work that may block
     * @param maxInboundMessageSize the largest response to accept, in bytes
     */
    public static ManagedChannel build(
            ManagedChannelBuilder<?> builder, Executor calls, Executor offload, int maxInboundMessageSize) {
        return builder.executor(calls)
                .offloadExecutor(offload)
                .maxInboundMessageSize(maxInboundMessageSize)
                .maxInboundMetadataSize(MAX_METADATA_SIZE)
                // Disables gRPC's own retries, because they could run at the same time as a retry of the caller (R26).
                .disableRetry()
                .disableServiceConfigLookUp()
                .build();
    }
}
