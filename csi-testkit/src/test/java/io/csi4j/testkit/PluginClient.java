package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.GroupControllerGrpc;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.NodeGrpc;
import io.csi4j.proto.csi.v1.SnapshotMetadataGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.net.UnixDomainSocketAddress;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Raw stubs for one plugin, over a real Unix socket or in process. */
final class PluginClient implements AutoCloseable {
    @SuppressWarnings("deprecation") // Netty 4.1 has no other.
    private static final EventLoopGroup LOOPS =
            new NioEventLoopGroup(1, new DefaultThreadFactory("csi4j-test-client", true));

    private static final long SECONDS = 30;

    private final ManagedChannel channel;

    private PluginClient(ManagedChannel channel) {
        this.channel = channel;
    }

    static PluginClient on(String endpoint) {
        return new PluginClient(
                NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(endpoint.substring("unix://".length())))
                        .channelType(NioDomainSocketChannel.class)
                        .eventLoopGroup(LOOPS)
                        .withOption(ChannelOption.SO_KEEPALIVE, null)
                        .overrideAuthority("localhost")
                        .maxInboundMetadataSize(1 << 20)
                        .disableRetry()
                        .usePlaintext()
                        .build());
    }

    static PluginClient inProcess(FakeCsiPlugin plugin) {
        return new PluginClient(InProcessChannelBuilder.forName(plugin.inProcessName())
                .directExecutor()
                .build());
    }

    IdentityGrpc.IdentityBlockingStub identity() {
        return IdentityGrpc.newBlockingStub(channel).withDeadlineAfter(SECONDS, TimeUnit.SECONDS);
    }

    ControllerGrpc.ControllerBlockingStub controller() {
        return ControllerGrpc.newBlockingStub(channel).withDeadlineAfter(SECONDS, TimeUnit.SECONDS);
    }

    ControllerGrpc.ControllerFutureStub controllerAsync() {
        return ControllerGrpc.newFutureStub(channel).withDeadlineAfter(SECONDS, TimeUnit.SECONDS);
    }

    NodeGrpc.NodeBlockingStub node() {
        return NodeGrpc.newBlockingStub(channel).withDeadlineAfter(SECONDS, TimeUnit.SECONDS);
    }

    GroupControllerGrpc.GroupControllerBlockingStub groups() {
        return GroupControllerGrpc.newBlockingStub(channel).withDeadlineAfter(SECONDS, TimeUnit.SECONDS);
    }

    SnapshotMetadataGrpc.SnapshotMetadataBlockingStub metadata() {
        return SnapshotMetadataGrpc.newBlockingStub(channel).withDeadlineAfter(SECONDS, TimeUnit.SECONDS);
    }

    SnapshotMetadataGrpc.SnapshotMetadataStub metadataAsync() {
        return SnapshotMetadataGrpc.newStub(channel).withDeadlineAfter(SECONDS, TimeUnit.SECONDS);
    }

    /** Asserts that a call fails with a code, and gives its text. */
    static String refused(Status.Code code, ThrowingCallable call) {
        StatusRuntimeException[] observed = new StatusRuntimeException[1];
        assertThatThrownBy(call).isInstanceOfSatisfying(StatusRuntimeException.class, e -> observed[0] = e);
        org.assertj.core.api.Assertions.assertThat(observed[0].getStatus().getCode())
                .as(observed[0].getMessage())
                .isEqualTo(code);
        return String.valueOf(observed[0].getStatus().getDescription());
    }

    @Override
    public void close() {
        channel.shutdownNow();
        try {
            channel.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
