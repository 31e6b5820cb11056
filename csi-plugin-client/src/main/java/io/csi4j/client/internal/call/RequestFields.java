package io.csi4j.client.internal.call;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.text.SecretOption;
import io.csi4j.core.call.Rpc;

/** Reads the fields of a request that show whether another call repeats or undoes it. */
final class RequestFields {
    private RequestFields() {}

    /**
     * Returns the node id or the path in a request. Empty if requests of the RPC contain neither, or if a request to
     * unpublish a volume from all nodes has no node id (R66).
     */
    static String location(Rpc rpc, Message request) {
        return rpc.locationField()
                .map(request.getDescriptorForType()::findFieldByName)
                .map(field -> (String) request.getField(field))
                .orElse("");
    }

    /** Returns the request without the fields that CSI marks as secrets (R36), which in every request are top-level fields. */
    static Message withoutSecrets(Message request) {
        Message.Builder without = request.toBuilder();
        for (FieldDescriptor field : request.getDescriptorForType().getFields()) {
            if (SecretOption.isSet(field)) {
                without.clearField(field);
            }
        }
        return without.build();
    }
}
