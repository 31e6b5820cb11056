package io.csi4j.client.internal.call;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.text.SensitiveFields;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.GroupControllerGrpc;
import io.csi4j.proto.csi.v1.SnapshotMetadataGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.io.ByteArrayInputStream;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Decodes requests that arrive as messages. Their sender has built and checked them; it may be another version of csi4j. */
public final class RelayedRequests {
    private static final Map<Rpc, RelayedMethod> METHODS = methods();

    private RelayedRequests() {}

    private static Map<Rpc, RelayedMethod> methods() {
        Map<Rpc, RelayedMethod> methods = new EnumMap<>(Rpc.class);
        Stream.of(
                        ControllerGrpc.getServiceDescriptor(),
                        GroupControllerGrpc.getServiceDescriptor(),
                        SnapshotMetadataGrpc.getServiceDescriptor())
                .flatMap(service -> service.getMethods().stream())
                .forEach(method -> methods.put(rpc(method), RelayedMethod.of(rpc(method), method)));
        return methods;
    }

    private static Rpc rpc(MethodDescriptor<?, ?> method) {
        String name = Objects.requireNonNull(method.getBareMethodName());
        return Rpc.ofCsiName(name)
                .orElseThrow(() -> new IllegalStateException("the wire has an RPC " + name + " that Rpc has not"));
    }

    /**
     * Decodes one message, without checking its content.
     *
     * @throws IllegalArgumentException if the RPC belongs to a service whose calls are not relayed, or the message
     *     cannot be decoded
     */
    public static RpcCall<Message, Message> call(Rpc rpc, byte[] message) {
        RelayedMethod method = METHODS.get(rpc);
        if (method == null) {
            throw new IllegalArgumentException("rpc: " + rpc.csiName() + " is of the service "
                    + rpc.service().csiName() + "; only those of " + RpcService.CONTROLLER.csiName() + ", "
                    + RpcService.GROUP_CONTROLLER.csiName() + " and " + RpcService.SNAPSHOT_METADATA.csiName()
                    + " are called for others");
        }
        Message request;
        try {
            request = method.descriptor().parseRequest(new ByteArrayInputStream(message));
        } catch (StatusRuntimeException unreadable) {
            // Omits the cause of the exception, because its text may contain a part of the message.
            throw new IllegalArgumentException("message: " + message.length + " bytes are no request of "
                    + rpc.csiName() + "; send the message as CSI encodes it");
        }
        return new RpcCall<>(
                rpc,
                method.descriptor(),
                request,
                method.subject(request),
                () -> SensitiveFields.of(request),
                method.continuesPage(request));
    }

    /**
     * The method of a controller service, with generic protobuf messages as types.
     *
     * @param subjects the fields that may hold the subject of a request; calls with the same subject wait for each other (R26)
     * @param token the field with the token of the page to continue with
     */
    private record RelayedMethod(
            MethodDescriptor<Message, Message> descriptor,
            List<FieldDescriptor> subjects,
            Optional<FieldDescriptor> token) {

        @SuppressWarnings("unchecked") // All requests and responses are messages.
        static RelayedMethod of(Rpc rpc, MethodDescriptor<?, ?> method) {
            Descriptor request = ((ProtoMethodDescriptorSupplier) Objects.requireNonNull(method.getSchemaDescriptor()))
                    .getMethodDescriptor()
                    .getInputType();
            return new RelayedMethod(
                    (MethodDescriptor<Message, Message>) method,
                    rpc.subjectFields().stream()
                            .map(request::findFieldByName)
                            .filter(Objects::nonNull)
                            .toList(),
                    Optional.ofNullable(request.findFieldByName("starting_token")));
        }

        @Nullable String subject(Message request) {
            for (FieldDescriptor field : subjects) {
                String text = (String) request.getField(field);
                if (!text.isEmpty()) {
                    return text;
                }
            }
            return null;
        }

        boolean continuesPage(Message request) {
            return token.isPresent() && !((String) request.getField(token.get())).isEmpty();
        }
    }
}
