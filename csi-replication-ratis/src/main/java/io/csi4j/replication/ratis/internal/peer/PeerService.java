package io.csi4j.replication.ratis.internal.peer;

import io.csi4j.core.internal.concurrent.Futures;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.ratis.client.impl.ClientProtoUtils;
import org.apache.ratis.proto.RaftProtos.RaftClientReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftClientRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.SetConfigurationRequestProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.thirdparty.io.grpc.MethodDescriptor;
import org.apache.ratis.thirdparty.io.grpc.ServerServiceDefinition;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.apache.ratis.thirdparty.io.grpc.protobuf.ProtoUtils;
import org.apache.ratis.thirdparty.io.grpc.stub.ServerCalls;
import org.apache.ratis.thirdparty.io.grpc.stub.StreamObserver;

/**
 * The requests that a peer passes to the leader. They have a service of their own, so that the services of Ratis for
 * clients and administrators answer nobody.
 */
final class PeerService {
    static final String NAME = "csi4j.log.PeerService";

    static final MethodDescriptor<RaftClientRequestProto, RaftClientReplyProto> SUBMIT =
            method("submit", RaftClientRequestProto.getDefaultInstance());
    static final MethodDescriptor<SetConfigurationRequestProto, RaftClientReplyProto> SET_PEERS =
            method("setPeers", SetConfigurationRequestProto.getDefaultInstance());

    private PeerService() {}

    private static <Q extends org.apache.ratis.thirdparty.com.google.protobuf.Message>
            MethodDescriptor<Q, RaftClientReplyProto> method(String name, Q request) {
        return MethodDescriptor.<Q, RaftClientReplyProto>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, name))
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(RaftClientReplyProto.getDefaultInstance()))
                .build();
    }

    /** Returns the service of a peer; nothing of a request but its content is used. */
    static ServerServiceDefinition of(Supplier<OwnLog> log) {
        return ServerServiceDefinition.builder(NAME)
                .addMethod(
                        SUBMIT,
                        ServerCalls.asyncUnaryCall((request, reply) -> answer(reply, () -> {
                            Message entry = Message.valueOf(request.getMessage().getContent());
                            return own(log, request.getRpcRequest()).submit(entry);
                        })))
                .addMethod(
                        SET_PEERS,
                        ServerCalls.asyncUnaryCall((request, reply) -> answer(
                                reply,
                                () -> own(log, request.getRpcRequest())
                                        .setPeers(ClientProtoUtils.toSetConfigurationRequest(request)
                                                .getArguments()))))
                .build();
    }

    /** Returns the log, if the request is for its cluster. */
    private static OwnLog own(Supplier<OwnLog> log, RaftRpcRequestProto request) {
        OwnLog own = log.get();
        if (!RaftGroupId.valueOf(request.getRaftGroupId().getId()).equals(own.group())) {
            throw new IllegalArgumentException("The request is for another cluster");
        }
        return own;
    }

    private static void answer(
            StreamObserver<RaftClientReplyProto> answer, Supplier<CompletableFuture<RaftClientReply>> request) {
        var unused = Futures.start(request).whenComplete((reply, failure) -> {
            if (reply != null) {
                answer.onNext(ClientProtoUtils.toRaftClientReplyProto(reply));
                answer.onCompleted();
            } else {
                answer.onError(Status.UNAVAILABLE
                        .withDescription(String.valueOf(Futures.unwrap(failure).getMessage()))
                        .asRuntimeException());
            }
        });
    }
}
