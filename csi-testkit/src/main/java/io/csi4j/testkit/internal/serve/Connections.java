package io.csi4j.testkit.internal.serve;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open connections of one server, as a handler in the pipeline of its listening socket. Thread-safe. */
final class Connections extends ChannelInboundHandlerAdapter {
    private final Set<Channel> open = ConcurrentHashMap.newKeySet();

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
        Channel connection = (Channel) accepted;
        open.add(connection);
        var unused = connection.closeFuture().addListener(closed -> open.remove(connection));
        context.fireChannelRead(accepted);
    }

    /** Closes the sockets of all connections at once, without the HTTP/2 handler, which would wait for open streams. */
    void cut() {
        open.forEach(connection -> {
            Runnable cut = () -> connection.unsafe().close(connection.unsafe().voidPromise());
            if (connection.eventLoop().inEventLoop()) {
                cut.run();
            } else {
                connection.eventLoop().execute(cut);
            }
        });
    }
}
