package io.csi4j.client.internal.call;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.codec.RelayedControllerRequests;
import io.csi4j.client.internal.codec.RelayedGroupRequests;
import io.csi4j.client.internal.codec.RelayedMetadataRequests;
import io.csi4j.client.internal.codec.RequestReader;
import io.csi4j.client.internal.text.SensitiveFields;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.GroupControllerGrpc;
import io.csi4j.proto.csi.v1.SnapshotMetadataGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decodes requests that arrive as messages; the typed request's {@code build()} checks their content (R16-R25). The sender may be another
 * version of csi4j, or another program.
 */
public final class RelayedRequests {
    private static final Map<Rpc, MethodDescriptor<?, ?>> METHODS = methods();

    private RelayedRequests() {}

    private static Map<Rpc, MethodDescriptor<?, ?>> methods() {
        Map<Rpc, MethodDescriptor<?, ?>> methods = new EnumMap<>(Rpc.class);
        Stream.of(
                        ControllerGrpc.getServiceDescriptor(),
                        GroupControllerGrpc.getServiceDescriptor(),
                        SnapshotMetadataGrpc.getServiceDescriptor())
                .flatMap(service -> service.getMethods().stream())
                .forEach(method -> methods.put(rpc(method), method));
        return methods;
    }

    private static Rpc rpc(MethodDescriptor<?, ?> method) {
        String name = Objects.requireNonNull(method.getBareMethodName());
        return Stream.of(Rpc.values())
                .filter(rpc -> rpc.csiName().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the wire has an RPC " + name + " that Rpc has not"));
    }

    /**
     * Decodes one message, without checking its content.
     *
     * @throws IllegalArgumentException if the RPC belongs to a service whose calls are not relayed, or the message
     *     cannot be decoded
     */
    public static RpcCall<Message, Message> call(Rpc rpc, byte[] message) {
        MethodDescriptor<Message, Message> method = method(rpc);
        Message request;
        try {
            request = method.parseRequest(new ByteArrayInputStream(message));
        } catch (StatusRuntimeException unreadable) {
            // Omits the cause of the exception, because its text may contain a part of the message.
            throw new IllegalArgumentException("message: " + message.length + " bytes are no request of "
                    + rpc.csiName() + "; send the message as CSI encodes it");
        }
        return new RpcCall<>(
                rpc,
                method,
                request,
                subject(rpc, request),
                () -> SensitiveFields.of(request),
                !text(request, "starting_token").isEmpty());
    }

    /** Returns the gRPC method of an RPC of a controller service, with generic protobuf messages as types. */
    @SuppressWarnings("unchecked")
    private static MethodDescriptor<Message, Message> method(Rpc rpc) {
        MethodDescriptor<?, ?> method = METHODS.get(rpc);
        if (method == null) {
            throw new IllegalArgumentException("rpc: " + rpc.csiName() + " is of the service "
                    + rpc.service().csiName() + "; only those of " + RpcService.CONTROLLER.csiName() + ", "
                    + RpcService.GROUP_CONTROLLER.csiName() + " and " + RpcService.SNAPSHOT_METADATA.csiName()
                    + " are called for others");
        }
        return (MethodDescriptor<Message, Message>) method;
    }

    /**
     * Returns the typed request of a message.
     *
     * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule
     */
    public static CsiRequest request(Rpc rpc, Message message) {
        RequestReader reading = new RequestReader(rpc.csiName() + "Request");
        return switch (rpc.service()) {
            case GROUP_CONTROLLER -> RelayedGroupRequests.read(rpc, message, reading);
            case SNAPSHOT_METADATA -> RelayedMetadataRequests.read(rpc, message, reading);
            default -> RelayedControllerRequests.read(rpc, message, reading);
        };
    }

    /** Returns the subject of the request; calls with the same subject wait for each other (R26). */
    private static @Nullable String subject(Rpc rpc, Message request) {
        List<String> fields = switch (rpc) {
            case CREATE_VOLUME, CREATE_SNAPSHOT, CREATE_VOLUME_GROUP_SNAPSHOT -> List.of("name");
            case LIST_SNAPSHOTS -> List.of("snapshot_id", "source_volume_id");
            case DELETE_SNAPSHOT, GET_SNAPSHOT, GET_METADATA_ALLOCATED -> List.of("snapshot_id");
            case GET_METADATA_DELTA -> List.of("target_snapshot_id");
            case DELETE_VOLUME_GROUP_SNAPSHOT, GET_VOLUME_GROUP_SNAPSHOT -> List.of("group_snapshot_id");
            default -> List.of("volume_id");
        };
        return fields.stream()
                .map(field -> text(request, field))
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse(null);
    }

    private static String text(Message request, String field) {
        FieldDescriptor described = request.getDescriptorForType().findFieldByName(field);
        return described == null ? "" : String.valueOf(request.getField(described));
    }
}
