package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.testkit.internal.store.Codec;
import io.csi4j.testkit.internal.store.RecordFields;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The use of a volume on a node.
 *
 * @param staged the request that staged the volume, without secrets; null: not staged
 * @param published the requests that published the volume, without secrets, by target path
 */
public record NodeVolume(
        String volumeId,
        @Nullable NodeStageVolumeRequest staged,
        SortedMap<String, NodePublishVolumeRequest> published) {

    static final Codec<NodeVolume> CODEC =
            new Codec<>("node-volume", NodeVolume::volumeId, NodeVolume::encode, NodeVolume::decode);

    public NodeVolume {
        published = Collections.unmodifiableSortedMap(new TreeMap<>(published));
    }

    /** Returns a volume that is neither staged nor published. */
    public static NodeVolume none(String volumeId) {
        return new NodeVolume(volumeId, null, new TreeMap<>());
    }

    /** Returns whether the volume is neither staged nor published. */
    public boolean isEmpty() {
        return staged == null && published.isEmpty();
    }

    /** Returns the staging path and the target paths. */
    public Set<String> paths() {
        Set<String> paths = new TreeSet<>(published.keySet());
        if (staged != null) {
            paths.add(staged.getStagingTargetPath());
        }
        return paths;
    }

    /**
     * Returns a copy that is staged by the request, or not staged.
     *
     * @param request without secrets; null: not staged
     */
    public NodeVolume withStaged(@Nullable NodeStageVolumeRequest request) {
        return new NodeVolume(volumeId, request, published);
    }

    /**
     * Returns a copy that is also published by the request.
     *
     * @param request without secrets
     */
    public NodeVolume withPublished(NodePublishVolumeRequest request) {
        TreeMap<String, NodePublishVolumeRequest> more = new TreeMap<>(published);
        more.put(request.getTargetPath(), request);
        return new NodeVolume(volumeId, staged, more);
    }

    /** Returns a copy that is not published at a path. */
    public NodeVolume withoutPublished(String targetPath) {
        TreeMap<String, NodePublishVolumeRequest> fewer = new TreeMap<>(published);
        fewer.remove(targetPath);
        return new NodeVolume(volumeId, staged, fewer);
    }

    private RecordFields encode() {
        RecordFields fields = new RecordFields().put("id", volumeId).put("staged", staged != null);
        if (staged != null) {
            fields.put("staging-path", staged.getStagingTargetPath()).put("stage-request", staged);
        }
        fields.put("published", published.size());
        int number = 0;
        for (NodePublishVolumeRequest request : published.values()) {
            fields.put("target-path." + number, request.getTargetPath()).put("publish-request." + number, request);
            number++;
        }
        return fields;
    }

    private static NodeVolume decode(RecordFields fields) {
        TreeMap<String, NodePublishVolumeRequest> published = new TreeMap<>();
        for (long number = 0; number < fields.number("published"); number++) {
            NodePublishVolumeRequest request =
                    fields.message("publish-request." + number, NodePublishVolumeRequest.parser());
            published.put(request.getTargetPath(), request);
        }
        return new NodeVolume(
                fields.text("id"),
                fields.flag("staged") ? fields.message("stage-request", NodeStageVolumeRequest.parser()) : null,
                published);
    }

    static List<io.csi4j.testkit.internal.store.Index<NodeVolume>> indexes() {
        return List.of(BY_PATH);
    }

    /** Finds the volume that is staged or published at a path. */
    public static final io.csi4j.testkit.internal.store.Index<NodeVolume> BY_PATH =
            new io.csi4j.testkit.internal.store.Index<>("path", NodeVolume::paths);
}
