package io.csi4j.testkit.internal.call;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the volume, the node, the volume context and the secrets in the requests of one RPC. */
final class RequestInspector {
    private final Rpc rpc;
    private final @Nullable FieldDescriptor volume;
    private final @Nullable FieldDescriptor node;
    private final @Nullable FieldDescriptor context;
    private final @Nullable FieldDescriptor secrets;

    private RequestInspector(
            Rpc rpc,
            @Nullable FieldDescriptor volume,
            @Nullable FieldDescriptor node,
            @Nullable FieldDescriptor context,
            @Nullable FieldDescriptor secrets) {
        this.rpc = rpc;
        this.volume = volume;
        this.node = node;
        this.context = context;
        this.secrets = secrets;
    }

    static RequestInspector of(Rpc rpc, Descriptor request) {
        FieldDescriptor volume = Stream.of(
                        "volume_id", "source_volume_id", rpc == Rpc.CREATE_VOLUME ? "name" : "volume_id")
                .map(request::findFieldByName)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        FieldDescriptor secrets = request.getFields().stream()
                .filter(RequestInspector::isSecret)
                .findFirst()
                .orElse(null);
        return new RequestInspector(
                rpc, volume, request.findFieldByName("node_id"), request.findFieldByName("volume_context"), secrets);
    }

    static boolean isSecret(FieldDescriptor field) {
        return SecretOption.isSet(field);
    }

    Rpc rpc() {
        return rpc;
    }

    Optional<String> volume(Message request) {
        return text(request, volume);
    }

    /** Returns the plugin's own node for a call of the node service, otherwise the node in the request. */
    Optional<String> node(Message request, String ownNode) {
        return rpc.service() == RpcService.NODE ? Optional.of(ownNode) : text(request, node);
    }

    private static Optional<String> text(Message request, @Nullable FieldDescriptor field) {
        if (field == null) {
            return Optional.empty();
        }
        String text = (String) request.getField(field);
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    boolean hasSecrets(Message request) {
        return secrets != null && request.getRepeatedFieldCount(secrets) > 0;
    }

    Map<String, String> secrets(Message request) {
        return entries(request, secrets);
    }

    Map<String, String> volumeContext(Message request) {
        return entries(request, context);
    }

    private static Map<String, String> entries(Message request, @Nullable FieldDescriptor map) {
        Map<String, String> found = new LinkedHashMap<>();
        if (map != null) {
            for (int i = 0; i < request.getRepeatedFieldCount(map); i++) {
                MapEntry<?, ?> entry = (MapEntry<?, ?>) request.getRepeatedField(map, i);
                found.put((String) entry.getKey(), (String) entry.getValue());
            }
        }
        return found;
    }
}
