package io.csi4j.testkit.internal.storage;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.csi4j.proto.csi.v1.CreateSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.testkit.internal.store.Codec;
import io.csi4j.testkit.internal.store.RecordFields;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The first request that creates an object with a name.
 *
 * @param request without secrets
 * @param binding whether later requests with the name have to be equal to it
 * @param changed the fields in which later requests were different
 */
record NamedRequest(String rpc, String name, Message request, boolean binding, Set<String> changed) {
    private static final Map<String, Parser<? extends Message>> PARSERS = Map.of(
            NamedRequests.CREATE_VOLUME, CreateVolumeRequest.parser(),
            NamedRequests.CREATE_SNAPSHOT, CreateSnapshotRequest.parser(),
            NamedRequests.CREATE_GROUP, CreateVolumeGroupSnapshotRequest.parser());

    static final Codec<NamedRequest> CODEC =
            new Codec<>("named-request", NamedRequest::key, NamedRequest::encode, NamedRequest::decode);

    NamedRequest {
        changed = Collections.unmodifiableSet(new TreeSet<>(changed));
    }

    String key() {
        return key(rpc, name);
    }

    static String key(String rpc, String name) {
        return rpc + " " + name;
    }

    NamedRequest withBinding(boolean binds) {
        return new NamedRequest(rpc, name, request, binds, changed);
    }

    NamedRequest withChanged(Set<String> fields) {
        Set<String> all = new TreeSet<>(changed);
        all.addAll(fields);
        return new NamedRequest(rpc, name, request, binding, all);
    }

    /**
     * Returns the names of the fields in which another request differs. The order of the entries of a map does not matter, the order in a list does.
     */
    List<String> differences(Message other) {
        List<String> different = new ArrayList<>();
        for (FieldDescriptor field : request.getDescriptorForType().getFields()) {
            boolean present = field.hasPresence() && request.hasField(field) != other.hasField(field);
            boolean equal = field.isMapField()
                    ? entries(request, field).equals(entries(other, field))
                    : request.getField(field).equals(other.getField(field));
            if (present || !equal) {
                different.add(field.getName().equals("modifiable_parameters") ? "mutable_parameters" : field.getName());
            }
        }
        if (!request.getUnknownFields().equals(other.getUnknownFields())) {
            different.add("fields that this plugin does not know");
        }
        return different;
    }

    private static Set<Object> entries(Message message, FieldDescriptor field) {
        return Set.copyOf((List<?>) message.getField(field));
    }

    private RecordFields encode() {
        RecordFields fields = new RecordFields()
                .put("rpc", rpc)
                .put("name", name)
                .put("request", request)
                .put("binding", binding)
                .put("changed", changed.size());
        int number = 0;
        for (String field : changed) {
            fields.put("changed." + number, field);
            number++;
        }
        return fields;
    }

    private static NamedRequest decode(RecordFields fields) {
        String rpc = fields.text("rpc");
        Parser<? extends Message> parser = PARSERS.get(rpc);
        if (parser == null) {
            throw new IllegalStateException("the state directory holds a request of " + rpc
                    + "; it was written by another version of the fake plugin: use that version");
        }
        Set<String> changed = new TreeSet<>();
        for (long number = 0; number < fields.number("changed"); number++) {
            changed.add(fields.text("changed." + number));
        }
        return new NamedRequest(
                rpc, fields.text("name"), fields.message("request", parser), fields.flag("binding"), changed);
    }
}
