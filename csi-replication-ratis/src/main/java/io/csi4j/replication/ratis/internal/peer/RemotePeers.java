package io.csi4j.replication.ratis.internal.peer;

import io.csi4j.core.internal.text.Durations;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.client.impl.ClientProtoUtils;
import org.apache.ratis.proto.RaftProtos.RaftClientReplyProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.thirdparty.io.grpc.CallOptions;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannel;
import org.apache.ratis.thirdparty.io.grpc.MethodDescriptor;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyChannelBuilder;
import org.apache.ratis.thirdparty.io.grpc.stub.ClientCalls;
import org.apache.ratis.thirdparty.io.grpc.stub.StreamObserver;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslContext;
import org.jspecify.annotations.Nullable;

/** Passes requests to the ports of other peers. Thread-safe. */
final class RemotePeers implements AutoCloseable {
    /** The longest time for a change of peers: a new peer first gets the state. */
    private static final Duration CHANGE_OF_PEERS = Duration.ofMinutes(2);

    private final RaftGroupId group;
    private final @Nullable SslContext tls;
    private final Duration timeout;
    private final ClientId client = ClientId.randomId();
    private final ConcurrentMap<RaftPeerId, Remote> remotes = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * Creates the sender, and connects to no peer yet.
     *
     * @param group the group of the log, which the other peer has to serve
     * @param tls the certificates; null: there are none
     * @param timeout the longest time for the reply to an entry, after which the connection counts as broken
     */
    RemotePeers(RaftGroupId group, @Nullable SslContext tls, Duration timeout) {
        this.group = group;
        this.tls = tls;
        this.timeout = timeout;
    }

    /** Returns another peer. A peer with a new address gets a new connection. */
    LogRequests to(RaftPeer peer) {
        Remote remote = remotes.compute(peer.getId(), (id, known) -> {
            if (known != null && known.peer.getAddress().equals(peer.getAddress())) {
                return known;
            }
            if (known != null) {
                known.channel.shutdown();
            }
            return new Remote(peer);
        });
        if (closed) {
            remote.channel.shutdownNow();
        }
        return remote;
    }

    @Override
    public void close() {
        closed = true;
        remotes.values().forEach(remote -> remote.channel.shutdownNow());
    }

    private final class Remote implements LogRequests {
        private final RaftPeer peer;
        private final ManagedChannel channel;

        Remote(RaftPeer peer) {
            this.peer = peer;
            NettyChannelBuilder builder = NettyChannelBuilder.forTarget(peer.getAddress())
                    // Peers are reached directly, never through a proxy of HTTP.
                    .proxyDetector(address -> null)
                    .disableRetry();
            this.channel = (tls == null ? builder.usePlaintext() : builder.sslContext(tls)).build();
        }

        @Override
        public CompletableFuture<RaftClientReply> submit(Message entry) {
            RaftClientRequest request = RaftClientRequest.newBuilder()
                    .setClientId(client)
                    .setServerId(peer.getId())
                    .setGroupId(group)
                    .setMessage(entry)
                    .setType(RaftClientRequest.writeRequestType())
                    .build();
            return call(PeerService.SUBMIT, ClientProtoUtils.toRaftClientRequestProto(request), timeout);
        }

        @Override
        public CompletableFuture<RaftClientReply> setPeers(SetConfigurationRequest.Arguments change) {
            SetConfigurationRequest request = new SetConfigurationRequest(client, peer.getId(), group, 0, change);
            return call(
                    PeerService.SET_PEERS, ClientProtoUtils.toSetConfigurationRequestProto(request), CHANGE_OF_PEERS);
        }

        private <Q> CompletableFuture<RaftClientReply> call(
                MethodDescriptor<Q, RaftClientReplyProto> method, Q request, Duration limit) {
            CompletableFuture<RaftClientReply> result = new CompletableFuture<>();
            CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(limit.toMillis(), TimeUnit.MILLISECONDS);
            ClientCalls.asyncUnaryCall(channel.newCall(method, options), request, new StreamObserver<>() {
                @Override
                public void onNext(RaftClientReplyProto reply) {
                    result.complete(ClientProtoUtils.toRaftClientReply(reply));
                }

                @Override
                public void onError(Throwable failure) {
                    // The next request gets a new connection; requests that wait for a reply on this one may still get
                    // it.
                    if (remotes.remove(peer.getId(), Remote.this)) {
                        channel.shutdown();
                    }
                    result.completeExceptionally(reason(failure, limit));
                }

                @Override
                public void onCompleted() {
                    // The reply has come already.
                }
            });
            return result;
        }

        private Throwable reason(Throwable failure, Duration limit) {
            return Status.fromThrowable(failure).getCode() == Status.Code.DEADLINE_EXCEEDED
                    ? new TimeoutException("peer " + peer.getId() + " did not answer within " + Durations.text(limit))
                    : failure;
        }
    }
}
