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
 * What a node holds of a volume.
 *
 * @param staged the request that staged it, without secrets, or null
 * @param published the requests that published it, without secrets, by target path
 */
public record NodeVolume(
        String volumeId,
        @Nullable NodeStageVolumeRequest staged,
        SortedMap<String, NodePublishVolumeRequest> published) {

    static final Codec<NodeVolume> CODEC =
            new Codec<>("node-volume", NodeVolume::volumeId, NodeVolume::encode, NodeVolume::decode);

    /** Copies the map. */
    public NodeVolume {
        published = Collections.unmodifiableSortedMap(new TreeMap<>(published));
    }

    /**
     * Nothing of a volume.
     *
     * @return neither staged nor published
     */
    public static NodeVolume none(String volumeId) {
        return new NodeVolume(volumeId, null, new TreeMap<>());
    }

    /**
     * Whether nothing is held.
     *
     * @return whether it is neither staged nor published
     */
    public boolean isEmpty() {
        return staged == null && published.isEmpty();
    }

    /**
     * Where it is staged and published.
     *
     * @return absolute paths
     */
    public Set<String> paths() {
        Set<String> paths = new TreeSet<>(published.keySet());
        if (staged != null) {
            paths.add(staged.getStagingTargetPath());
        }
        return paths;
    }

    /**
     * The same, staged or not.
     *
     * @param request without secrets, or null
     * @return a new value
     */
    public NodeVolume withStaged(@Nullable NodeStageVolumeRequest request) {
        return new NodeVolume(volumeId, request, published);
    }

    /**
     * The same, published at one more path.
     *
     * @param request without secrets
     * @return a new value
     */
    public NodeVolume withPublished(NodePublishVolumeRequest request) {
        TreeMap<String, NodePublishVolumeRequest> more = new TreeMap<>(published);
        more.put(request.getTargetPath(), request);
        return new NodeVolume(volumeId, staged, more);
    }

    /**
     * The same, no longer published at a path.
     *
     * @param targetPath of the publication
     * @return a new value
     */
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

    /** Finds the volume that holds a path. */
    public static final io.csi4j.testkit.internal.store.Index<NodeVolume> BY_PATH =
            new io.csi4j.testkit.internal.store.Index<>("path", NodeVolume::paths);
}
