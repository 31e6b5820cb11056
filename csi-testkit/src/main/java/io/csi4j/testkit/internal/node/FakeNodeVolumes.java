package io.csi4j.testkit.internal.node;

import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.storage.AttachmentRecord;
import io.csi4j.testkit.internal.storage.Backend;
import io.csi4j.testkit.internal.storage.NodeShelf;
import io.csi4j.testkit.internal.storage.NodeVolume;
import io.csi4j.testkit.internal.storage.VolumeRecord;
import io.csi4j.testkit.internal.store.RecordFields;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Stages and publishes volumes on one node (R85-R91). Its callers have checked the form of the requests. */
public final class FakeNodeVolumes implements NodeOperations {
    private final Backend backend;
    private final NodeShelf shelf;
    private final NodeEffects effects;
    private final PublishPolicy policy;
    private final boolean attaches;
    private final boolean stages;

    /**
     * Creates the operations.
     *
     * @param backend the storage
     * @param effects the effects on the node
     * @param attaches whether the plugin has PUBLISH_UNPUBLISH_VOLUME
     * @param stages whether the plugin has STAGE_UNSTAGE_VOLUME
     */
    public FakeNodeVolumes(Backend backend, NodeShelf shelf, NodeEffects effects, boolean attaches, boolean stages) {
        this.backend = backend;
        this.shelf = shelf;
        this.effects = effects;
        this.attaches = attaches;
        this.stages = stages;
        this.policy = new PublishPolicy(backend, shelf.nodeId());
        shelf.store().onRecovery(this::recover);
    }

    @Override
    public void recover() {
        shelf.store().locked(() -> shelf);
    }

    @Override
    public void stage(NodeStageVolumeRequest secretRequest) {
        NodeStageVolumeRequest request =
                secretRequest.toBuilder().clearSecrets().build();
        String path = request.getStagingTargetPath();
        shelf.store().locked(() -> {
            VolumeRecord volume = volume(request.getVolumeId());
            NodeVolume held = shelf.of(volume.id());
            NodeStageVolumeRequest staged = held.staged();
            if (staged != null && !staged.equals(request)) {
                throw CallRefusal.alreadyExists(
                        "volume '" + volume.id() + "' is staged at '" + staged.getStagingTargetPath()
                                + "' with other arguments; unstage it first, or use the same (R85, R86)");
            }
            if (staged != null && effects.staged(staged)) {
                return request;
            }
            if (staged == null) {
                requireUnused(path, volume.id());
                requireContexts(volume, request.getPublishContextMap(), request.getVolumeContextMap());
                policy.requireSupported(volume, request.getVolumeCapability());
            }
            effects.requireFlags(request.getVolumeCapability().getMount().getMountFlagsList());
            shelf.store().begin(intent("stage", volume.id(), path).put("request", request));
            try {
                effects.stage(request);
            } catch (RuntimeException failure) {
                undo(failure, () -> effects.unstage(request), held.withStaged(request));
                throw failure;
            }
            shelf.put(held.withStaged(request));
            shelf.store().done();
            return request;
        });
    }

    @Override
    public void unstage(String volumeId, String path) {
        shelf.store().locked(() -> {
            NodeVolume held = shelf.of(volumeId);
            NodeStageVolumeRequest staged = held.staged();
            if (staged == null || !staged.getStagingTargetPath().equals(path)) {
                return requireKnown(volumeId, held);
            }
            if (!held.published().isEmpty()) {
                throw CallRefusal.failedPrecondition("volume '" + volumeId + "' is still published at "
                        + String.join(", ", held.published().keySet()) + "; unpublish it there first (R47)");
            }
            shelf.store().begin(intent("unstage", volumeId, path).put("request", staged));
            attempt(() -> effects.unstage(staged));
            shelf.put(held.withStaged(null));
            shelf.store().done();
            return volumeId;
        });
    }

    @Override
    public void publish(NodePublishVolumeRequest secretRequest) {
        NodePublishVolumeRequest request =
                secretRequest.toBuilder().clearSecrets().build();
        String path = request.getTargetPath();
        shelf.store().locked(() -> {
            VolumeRecord volume = volume(request.getVolumeId());
            NodeVolume held = shelf.of(volume.id());
            NodePublishVolumeRequest published = held.published().get(path);
            policy.requireRepeatable(held, request);
            if (published != null && effects.published(published)) {
                return request;
            }
            if (published == null) {
                requireUnused(path, volume.id());
                requireStaged(held, request);
                AttachmentRecord attachment =
                        requireContexts(volume, request.getPublishContextMap(), withoutWorkloadInfo(volume, request));
                policy.requireAllowed(volume, request, attachment);
            }
            effects.requireFlags(request.getVolumeCapability().getMount().getMountFlagsList());
            shelf.store().begin(intent("publish", volume.id(), path).put("request", request));
            try {
                effects.publish(request, PublishPolicy.readonly(request));
            } catch (RuntimeException failure) {
                undo(failure, () -> effects.unpublish(request, held.isEmpty()), held.withPublished(request));
                throw failure;
            }
            shelf.put(held.withPublished(request));
            shelf.store().done();
            return request;
        });
    }

    @Override
    public void unpublish(String volumeId, String path) {
        shelf.store().locked(() -> {
            NodeVolume held = shelf.of(volumeId);
            NodePublishVolumeRequest published = held.published().get(path);
            if (published == null) {
                return requireKnown(volumeId, held);
            }
            NodeVolume left = held.withoutPublished(path);
            shelf.store().begin(intent("unpublish", volumeId, path).put("request", published));
            attempt(() -> effects.unpublish(published, left.isEmpty()));
            shelf.put(left);
            shelf.store().done();
            return volumeId;
        });
    }

    private VolumeRecord volume(String volumeId) {
        return backend.store().locked(() -> backend.volume(volumeId));
    }

    private String requireKnown(String volumeId, NodeVolume held) {
        if (held.isEmpty()) {
            volume(volumeId);
        }
        return volumeId;
    }

    private void requireUnused(String path, String volumeId) {
        for (NodeVolume other : shelf.volumes().where(NodeVolume.BY_PATH, path)) {
            throw CallRefusal.alreadyExists("path '" + path + "' is in use by volume '" + other.volumeId()
                    + (other.volumeId().equals(volumeId) ? "' for something else" : "'") + "; use another path");
        }
    }

    private void requireStaged(NodeVolume held, NodePublishVolumeRequest request) {
        if (!stages) {
            return;
        }
        NodeStageVolumeRequest staged = held.staged();
        if (staged == null || !staged.getStagingTargetPath().equals(request.getStagingTargetPath())) {
            throw CallRefusal.failedPrecondition("volume '" + held.volumeId() + "' is not staged at '"
                    + request.getStagingTargetPath() + "'; NodeStageVolume comes first (R46, R90)");
        }
        if (staged.getVolumeCapability().hasBlock()
                != request.getVolumeCapability().hasBlock()) {
            throw CallRefusal.failedPrecondition(
                    "volume '" + held.volumeId() + "' is staged with another access type; publish with the same (R90)");
        }
    }

    /** Returns the volume context without the keys with which schedulers describe the workload, except the volume's own. */
    private static Map<String, String> withoutWorkloadInfo(VolumeRecord volume, NodePublishVolumeRequest request) {
        Map<String, String> context = new HashMap<>(request.getVolumeContextMap());
        context.keySet()
                .removeIf(key -> key.startsWith(FakeInlineVolumes.WORKLOAD_INFO)
                        && !volume.volume().getVolumeContextMap().containsKey(key));
        return context;
    }

    /**
     * Checks that the publish context and the volume context of a request are those that the controller returned (R57,
     * R63).
     */
    private @Nullable AttachmentRecord requireContexts(
            VolumeRecord volume, Map<String, String> publishContext, Map<String, String> volumeContext) {
        if (!volumeContext.equals(volume.volume().getVolumeContextMap())) {
            throw CallRefusal.invalid("volume_context: is not the one of volume '" + volume.id()
                    + "'; pass on what CreateVolume returned (R57)");
        }
        if (!attaches) {
            return null;
        }
        AttachmentRecord attachment = volume.attachments().get(shelf.nodeId());
        if (attachment == null) {
            throw CallRefusal.failedPrecondition("volume '" + volume.id() + "' is not published to node '"
                    + shelf.nodeId() + "'; ControllerPublishVolume comes first (R45)");
        }
        if (!publishContext.equals(attachment.publishContext())) {
            throw CallRefusal.invalid("publish_context: is not the one of volume '" + volume.id() + "' on node '"
                    + shelf.nodeId() + "'; pass on what ControllerPublishVolume returned last (R63)");
        }
        return attachment;
    }

    private static RecordFields intent(String op, String volumeId, String path) {
        return new RecordFields().put("op", op).put("id", volumeId).put("path", path);
    }

    /** Runs an action on the node, for example an unmount. If the action fails, the records stay unchanged. */
    private void attempt(Runnable effect) {
        try {
            effect.run();
        } catch (RuntimeException failure) {
            shelf.store().done();
            throw failure;
        }
    }

    /**
     * Undoes a failed operation. If the undo fails too, the volume stays recorded, and the caller can unpublish it again (R91).
     */
    private void undo(RuntimeException failure, Runnable wayBack, NodeVolume stuck) {
        try {
            wayBack.run();
        } catch (RuntimeException second) {
            failure.addSuppressed(second);
            shelf.put(stuck);
        }
        shelf.store().done();
    }

    private void recover(RecordFields intent) {
        NodeVolume held = shelf.of(intent.text("id"));
        String path = intent.text("path");
        String op = intent.text("op");
        switch (op) {
            case "stage", "unstage" -> {
                NodeStageVolumeRequest request = intent.message("request", NodeStageVolumeRequest.parser());
                if (op.equals("unstage") || held.staged() == null) {
                    restore(() -> effects.unstage(request), held.withStaged(null), held.withStaged(request));
                }
            }
            case "publish", "unpublish" -> {
                NodePublishVolumeRequest request = intent.message("request", NodePublishVolumeRequest.parser());
                NodeVolume without = held.withoutPublished(path);
                if (op.equals("unpublish") || !held.published().containsKey(path)) {
                    restore(() -> effects.unpublish(request, without.isEmpty()), without, held.withPublished(request));
                }
            }
            default ->
                throw new IllegalStateException("the state directory holds an unknown intent '" + op
                        + "'; it was written by another version of the fake plugin: use that version");
        }
    }

    private void restore(Runnable effect, NodeVolume clean, NodeVolume stuck) {
        try {
            effect.run();
            shelf.put(clean);
        } catch (CallRefusal e) {
            // The undo failed: the record shows what is left, and the caller's next call tries again.
            shelf.put(stuck);
        }
    }
}
