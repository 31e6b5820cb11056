package io.csi4j.testkit.conformance.internal;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.net.UnixDomainSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The connections to the node service and to the controller service. */
final class EndpointConnections implements AutoCloseable {
    static {
        // Netty's jar cannot be a module, so it is on the class path of a modular program (compatibility.md).
        EndpointConnections.class
                .getModule()
                .addReads(EndpointConnections.class.getClassLoader().getUnnamedModule());
    }

    static final String IN_PROCESS = "in-process:";
    private static final String UNIX = "unix:";
    private static final int LARGEST_ANSWER = 64 << 20;

    private final @Nullable EventLoopGroup loops;
    private final ManagedChannel node;
    private final ManagedChannel controller;

    /**
     * Prepares the connections; the first call connects.
     *
     * @param nodeEndpoint {@code unix:///path}, a path, or {@code in-process:NAME}
     * @param controllerEndpoint the endpoint of the controller service, in the same form; may equal {@code
     *     nodeEndpoint}
     */
    @SuppressWarnings("deprecation") // Netty 4.1, which older versions of gRPC bring, has no other group.
    EndpointConnections(String nodeEndpoint, String controllerEndpoint) {
        boolean sockets = !nodeEndpoint.startsWith(IN_PROCESS) || !controllerEndpoint.startsWith(IN_PROCESS);
        this.loops = sockets ? new NioEventLoopGroup(1, new DefaultThreadFactory("csi4j-conformance", true)) : null;
        this.node = open(nodeEndpoint);
        this.controller = controllerEndpoint.equals(nodeEndpoint) ? node : open(controllerEndpoint);
    }

    private ManagedChannel open(String endpoint) {
        if (endpoint.startsWith(IN_PROCESS)) {
            return InProcessChannelBuilder.forName(endpoint.substring(IN_PROCESS.length()))
                    .build();
        }
        return NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socketPath(endpoint)))
                .channelType(NioDomainSocketChannel.class)
                .eventLoopGroup(loops)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .overrideAuthority("localhost")
                .maxInboundMessageSize(LARGEST_ANSWER)
                .maxInboundMetadataSize(1 << 20)
                .disableRetry()
                .usePlaintext()
                .build();
    }

    /**
     * Returns the path of the socket.
     *
     * @throws IllegalArgumentException if the endpoint is not the absolute path of a socket
     */
    static String socketPath(String endpoint) {
        String path = endpoint.startsWith(UNIX) ? endpoint.substring(UNIX.length()) : endpoint;
        if (path.startsWith("//")) {
            path = path.substring(2);
        }
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("endpoint '" + endpoint
                    + "' must be like unix:///run/csi.sock: a Unix socket by its absolute path");
        }
        return path;
    }

    Channel node() {
        return node;
    }

    Channel controller() {
        return controller;
    }

    boolean split() {
        return !node.equals(controller);
    }

    /** Connects at once after the plugin was restarted, and does not wait for the back-off. */
    void reconnect() {
        node.resetConnectBackoff();
        controller.resetConnectBackoff();
    }

    @Override
    public void close() {
        node.shutdownNow();
        controller.shutdownNow();
        if (loops != null) {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
        }
    }
}
