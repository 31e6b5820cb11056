package io.csi4j.testkit.conformance;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.GroupControllerGrpc;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.NodeGrpc;
import io.csi4j.proto.csi.v1.SnapshotMetadataGrpc;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakeStorage;
import io.csi4j.testkit.capability.FakeCapability;
import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A fake plugin behind a proxy with one planted defect. */
final class FaultyFake implements AutoCloseable {
    /** Answers a call in place of the fake. */
    interface Behaviour {
        Message answer(Call call);
    }

    /** One unary call. */
    static final class Call {
        private final Message request;
        private final Function<Message, Message> plugin;
        private final CountDownLatch cancelled;

        Call(Message request, Function<Message, Message> plugin, CountDownLatch cancelled) {
            this.request = request;
            this.plugin = plugin;
            this.cancelled = cancelled;
        }

        Message request() {
            return request;
        }

        /** Returns the answer of the fake without the defect. */
        Message forward() {
            return plugin.apply(request);
        }

        Message forward(Message other) {
            return plugin.apply(other);
        }

        /** Returns whether the caller cancels within a time limit. */
        boolean cancelledWithin(int millis) {
            try {
                return cancelled.await(millis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }

    private final Set<FakeCapability> capabilities;
    private final boolean forgetful;
    private final Behaviour behaviour;
    private final UnaryOperator<Message> streamed;
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final Server server;
    private FakeStorage storage;
    private FakeCsiPlugin plugin;
    private ManagedChannel channel;

    FaultyFake(
            Set<FakeCapability> capabilities, Behaviour behaviour, UnaryOperator<Message> streamed, boolean forgetful)
            throws IOException {
        this(capabilities, FakeStorage.inMemory(), behaviour, streamed, forgetful);
    }

    FaultyFake(
            Set<FakeCapability> capabilities,
            FakeStorage storage,
            Behaviour behaviour,
            UnaryOperator<Message> streamed,
            boolean forgetful)
            throws IOException {
        this.storage = storage;
        this.capabilities = capabilities;
        this.behaviour = behaviour;
        this.streamed = streamed;
        this.forgetful = forgetful;
        this.plugin = start();
        this.channel = connect();
        InProcessServerBuilder builder = InProcessServerBuilder.forName(InProcessServerBuilder.generateName())
                .executor(executor);
        for (ServiceDescriptor service : List.of(
                IdentityGrpc.getServiceDescriptor(),
                ControllerGrpc.getServiceDescriptor(),
                NodeGrpc.getServiceDescriptor(),
                GroupControllerGrpc.getServiceDescriptor(),
                SnapshotMetadataGrpc.getServiceDescriptor())) {
            builder.addService(proxy(service));
        }
        this.server = builder.build().start();
    }

    private FakeCsiPlugin start() {
        return FakeCsiPlugin.builder()
                .capabilities(capabilities)
                .knownNode("node-2")
                .attachLimit(3)
                .storage(storage)
                .build()
                .startInProcess();
    }

    private ManagedChannel connect() {
        return InProcessChannelBuilder.forName(plugin.inProcessName())
                .directExecutor()
                .build();
    }

    String endpoint() {
        return "in-process:" + server.getListenSockets().get(0).toString();
    }

    /** Returns the endpoint of the plugin itself, without the defect. */
    String soundEndpoint() {
        return "in-process:" + plugin.inProcessName();
    }

    FakeStorage storage() {
        return storage;
    }

    /** Kills the plugin and starts it again, with its storage unless it forgets. */
    synchronized void restart() {
        channel.shutdownNow();
        plugin.close();
        if (forgetful) {
            storage = FakeStorage.inMemory();
        }
        plugin = start();
        channel = connect();
    }

    private synchronized ManagedChannel channel() {
        return channel;
    }

    @SuppressWarnings("unchecked")
    private ServerServiceDefinition proxy(ServiceDescriptor service) {
        ServerServiceDefinition.Builder definition = ServerServiceDefinition.builder(service);
        for (MethodDescriptor<?, ?> one : service.getMethods()) {
            MethodDescriptor<Message, Message> method = (MethodDescriptor<Message, Message>) one;
            definition.addMethod(
                    method,
                    method.getType() == MethodType.UNARY
                            ? ServerCalls.asyncUnaryCall((request, caller) -> unary(method, request, caller))
                            : ServerCalls.asyncServerStreamingCall(
                                    (request, caller) -> stream(method, request, caller)));
        }
        return definition.build();
    }

    private void unary(MethodDescriptor<Message, Message> method, Message request, StreamObserver<Message> caller) {
        CountDownLatch cancelled = new CountDownLatch(1);
        // The context is cancelled while this thread still works; a cancel handler would wait for it.
        Context.current().addListener(context -> cancelled.countDown(), Runnable::run);
        Message answer;
        try {
            answer = behaviour.answer(new Call(request, message -> forward(method, message), cancelled));
        } catch (StatusRuntimeException e) {
            caller.onError(e);
            return;
        }
        caller.onNext(answer);
        caller.onCompleted();
    }

    /** Forwards outside the context of the call, so that a cancelled call is completed nevertheless (R30). */
    private Message forward(MethodDescriptor<Message, Message> method, Message message) {
        Context previous = Context.ROOT.attach();
        try {
            return ClientCalls.blockingUnaryCall(channel(), method, CallOptions.DEFAULT, message);
        } finally {
            Context.ROOT.detach(previous);
        }
    }

    private void stream(MethodDescriptor<Message, Message> method, Message request, StreamObserver<Message> caller) {
        try {
            ClientCalls.blockingServerStreamingCall(channel(), method, CallOptions.DEFAULT, streamed.apply(request))
                    .forEachRemaining(message -> caller.onNext(streamed.apply(message)));
        } catch (StatusRuntimeException e) {
            caller.onError(e);
            return;
        }
        caller.onCompleted();
    }

    @Override
    public void close() {
        server.shutdownNow();
        channel.shutdownNow();
        plugin.close();
        executor.shutdownNow();
    }
}
