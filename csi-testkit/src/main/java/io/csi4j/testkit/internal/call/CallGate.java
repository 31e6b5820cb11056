package io.csi4j.testkit.internal.call;

import com.google.protobuf.Descriptors.Descriptor;
import io.csi4j.core.call.Rpc;
import io.csi4j.testkit.internal.storage.NamedRequests;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Stands before the services of a plugin: records each call, and lets faults act on it.
 *
 * @param recorder records the calls
 * @param names compares the requests that create objects of the same name
 * @param faults the fault rules
 * @param transport the transport of the plugin
 * @param ownNode the node of the plugin
 * @param executor continues delayed calls
 */
public record CallGate(
        CallRecorder recorder,
        NamedRequests names,
        ActiveFaults faults,
        PluginTransport transport,
        String ownNode,
        Executor executor) {
    /** Returns the service with this gate in front of it. */
    public ServerServiceDefinition guard(BindableService service) {
        ServerServiceDefinition bare = service.bindService();
        List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>();
        bare.getMethods().forEach(method -> methods.add(guarded(method)));
        ServiceDescriptor.Builder described =
                ServiceDescriptor.newBuilder(bare.getServiceDescriptor().getName());
        methods.forEach(method -> described.addMethod(method.getMethodDescriptor()));
        ServerServiceDefinition.Builder guarded = ServerServiceDefinition.builder(described.build());
        methods.forEach(guarded::addMethod);
        return guarded.build();
    }

    private <Q, S> ServerMethodDefinition<Q, Object> guarded(ServerMethodDefinition<Q, S> method) {
        MethodDescriptor<Q, S> described = method.getMethodDescriptor();
        RequestInspector fields = fields(described);
        MethodDescriptor<Q, Object> outer = described.toBuilder(
                        described.getRequestMarshaller(), new AnswerMarshaller<>(described.getResponseMarshaller()))
                .build();
        return ServerMethodDefinition.create(outer, (call, headers) -> {
            GatedCall<Q, S> gated = new GatedCall<>(this, fields, described, call);
            return gated.listen(method.getServerCallHandler().startCall(gated, headers));
        });
    }

    private static RequestInspector fields(MethodDescriptor<?, ?> method) {
        if (!(method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier schema)) {
            throw new IllegalStateException(method.getFullMethodName() + " was generated without descriptors");
        }
        String name = schema.getMethodDescriptor().getName();
        Rpc rpc = Rpc.ofCsiName(name)
                .orElseThrow(() -> new IllegalStateException(
                        name + " is served and is not among the RPCs of csi-core; add it there"));
        Descriptor request = schema.getMethodDescriptor().getInputType();
        return RequestInspector.of(rpc, request);
    }
}
