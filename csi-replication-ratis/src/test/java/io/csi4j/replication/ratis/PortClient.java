package io.csi4j.replication.ratis;

import io.csi4j.client.TlsOptions;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.RaftClientReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftClientRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.thirdparty.io.grpc.CallOptions;
import org.apache.ratis.thirdparty.io.grpc.ClientCall;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannel;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.MethodDescriptor;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.apache.ratis.thirdparty.io.grpc.netty.GrpcSslContexts;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyChannelBuilder;
import org.apache.ratis.thirdparty.io.grpc.protobuf.ProtoUtils;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslContext;

/** An attacker at the port of a peer, with the protocols of Ratis and without the code of csi4j. */
final class PortClient implements AutoCloseable {
    /** The method through which a peer passes an entry to the leader. */
    static final MethodDescriptor<RaftClientRequestProto, RaftClientReplyProto> SUBMIT =
            MethodDescriptor.<RaftClientRequestProto, RaftClientReplyProto>newBuilder()
                    .setType(MethodDescriptor.MethodType.UNARY)
                    .setFullMethodName("csi4j.log.PeerService/submit")
                    .setRequestMarshaller(ProtoUtils.marshaller(RaftClientRequestProto.getDefaultInstance()))
                    .setResponseMarshaller(ProtoUtils.marshaller(RaftClientReplyProto.getDefaultInstance()))
                    .build();

    private static final long ANSWER_SECONDS = 5;

    private final ManagedChannel channel;

    private PortClient(ManagedChannel channel) {
        this.channel = channel;
    }

    static PortClient plain(Peer peer) {
        return new PortClient(
                NettyChannelBuilder.forTarget(peer.address()).usePlaintext().build());
    }

    /** Connects with the certificate and key of an owner. */
    static PortClient secure(Peer peer, TlsOptions owner) throws Exception {
        SslContext context = GrpcSslContexts.forClient()
                .trustManager(owner.trustedCertificates().orElseThrow().toFile())
                .keyManager(
                        owner.certificateChain().orElseThrow().toFile(),
                        owner.privateKey().orElseThrow().toFile())
                .build();
        return new PortClient(NettyChannelBuilder.forTarget(peer.address())
                .sslContext(context)
                .build());
    }

    /** Returns the id of the group of a cluster, which every attacker can compute. */
    static RaftGroupId group(String cluster) {
        return RaftGroupId.valueOf(UUID.nameUUIDFromBytes(("csi4j " + cluster).getBytes(StandardCharsets.UTF_8)));
    }

    /** Sends a request, and returns the first answer. */
    <Q, A> CompletableFuture<A> answer(MethodDescriptor<Q, A> method, Q request) {
        CompletableFuture<A> first = new CompletableFuture<>();
        ClientCall<Q, A> call =
                channel.newCall(method, CallOptions.DEFAULT.withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS));
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(A answer) {
                        first.complete(answer);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        first.completeExceptionally(status.asRuntimeException());
                    }
                },
                new Metadata());
        call.request(1);
        call.sendMessage(request);
        call.halfClose();
        return first;
    }

    /** Sends a request, and returns the status of the call; OK as soon as there is an answer. */
    <Q, A> Status.Code call(MethodDescriptor<Q, A> method, Q request) {
        return answer(method, request)
                .handle((answer, failure) -> failure == null
                        ? Status.Code.OK
                        : Status.fromThrowable(failure).getCode())
                .join();
    }

    /** Sends a request without content. */
    <Q, A> Status.Code callEmpty(MethodDescriptor<Q, A> method) {
        return call(method, method.parseRequest(new ByteArrayInputStream(new byte[0])));
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
