package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.testkit.internal.store.Codec;
import io.csi4j.testkit.internal.store.Index;
import io.csi4j.testkit.internal.store.RecordFields;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A volume.
 *
 * @param volume the message for callers
 * @param request the request that created it, without secrets; the empty message: the volume existed before
 * @param mutable the present values of the mutable parameters
 * @param attachments the attachments by node id
 * @param nodeBytes the size that the node uses; smaller than the capacity after a controller expansion
 * @param condition the problem of the volume
 */
public record VolumeRecord(
        Volume volume,
        CreateVolumeRequest request,
        Map<String, String> mutable,
        SortedMap<String, AttachmentRecord> attachments,
        long nodeBytes,
        Condition condition) {

    static final Index<VolumeRecord> BY_NAME =
            new Index<>("name", record -> List.of(record.request().getName()));
    static final Index<VolumeRecord> BY_NODE =
            new Index<>("node", record -> record.attachments().keySet());

    static final Codec<VolumeRecord> CODEC =
            new Codec<>("volume", VolumeRecord::id, VolumeRecord::encode, VolumeRecord::decode);

    public VolumeRecord {
        mutable = Map.copyOf(mutable);
        attachments = Collections.unmodifiableSortedMap(new TreeMap<>(attachments));
    }

    public String id() {
        return volume.getVolumeId();
    }

    /** Returns the size in bytes. */
    public long bytes() {
        return volume.getCapacityBytes();
    }

    /** Returns whether this volume is a block volume; false for a volume that was created for all capabilities. */
    public boolean block() {
        return request.getVolumeCapabilitiesCount() > 0
                && request.getVolumeCapabilities(0).hasBlock();
    }

    VolumeRecord withAttachments(SortedMap<String, AttachmentRecord> changed) {
        return new VolumeRecord(volume, request, mutable, changed, nodeBytes, condition);
    }

    VolumeRecord withBytes(long bytes, long newNodeBytes) {
        Volume resized = volume.toBuilder().setCapacityBytes(bytes).build();
        return new VolumeRecord(resized, request, mutable, attachments, newNodeBytes, condition);
    }

    VolumeRecord withMutable(Map<String, String> changed) {
        return new VolumeRecord(volume, request, changed, attachments, nodeBytes, condition);
    }

    VolumeRecord withCondition(Condition changed) {
        return new VolumeRecord(volume, request, mutable, attachments, nodeBytes, changed);
    }

    private RecordFields encode() {
        RecordFields fields = new RecordFields()
                .put("id", id())
                .put("name", request.getName())
                .put("bytes", bytes())
                .put("node-bytes", nodeBytes)
                .put("volume", volume)
                .put("request", request)
                .put("mutable", mutable)
                .put("attachments", attachments.size());
        int number = 0;
        for (AttachmentRecord attachment : attachments.values()) {
            fields.put("attachment." + number + ".id", attachment.id());
            fields.put(
                    "attachment." + number,
                    ControllerPublishVolumeRequest.newBuilder()
                            .setNodeId(attachment.nodeId())
                            .setVolumeCapability(attachment.capability())
                            .setReadonly(attachment.readonly())
                            .build());
            number++;
        }
        condition.encode(fields);
        return fields;
    }

    private static VolumeRecord decode(RecordFields fields) {
        TreeMap<String, AttachmentRecord> attachments = new TreeMap<>();
        for (long number = 0; number < fields.number("attachments"); number++) {
            ControllerPublishVolumeRequest published =
                    fields.message("attachment." + number, ControllerPublishVolumeRequest.parser());
            attachments.put(
                    published.getNodeId(),
                    new AttachmentRecord(
                            published.getNodeId(),
                            published.getVolumeCapability(),
                            published.getReadonly(),
                            fields.text("attachment." + number + ".id")));
        }
        return new VolumeRecord(
                fields.message("volume", Volume.parser()),
                fields.message("request", CreateVolumeRequest.parser()),
                fields.map("mutable"),
                attachments,
                fields.number("node-bytes"),
                Condition.decode(fields));
    }
}
