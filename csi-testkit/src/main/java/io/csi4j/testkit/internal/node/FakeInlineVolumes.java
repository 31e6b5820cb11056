package io.csi4j.testkit.internal.node;

import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.storage.Backend;
import io.csi4j.testkit.internal.storage.InlineVolume;
import io.csi4j.testkit.internal.storage.NodeShelf;
import io.csi4j.testkit.internal.storage.NodeVolume;
import io.csi4j.testkit.internal.store.RecordFields;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The volumes of a plugin for inline volumes: NodePublishVolume makes the volume, and the last NodeUnpublishVolume removes it. A volume
 * stays when the mounts of its node are gone, for example after a reboot, until it is unpublished.
 */
public final class FakeInlineVolumes implements NodeOperations {
    /** The prefix of the facts about a workload, which a scheduler adds to the attributes. */
    static final String WORKLOAD_INFO = "csi.storage.k8s.io/";

    private static final String EPHEMERAL = WORKLOAD_INFO + "ephemeral";

    private final Backend backend;
    private final NodeShelf shelf;
    private final NodeEffects effects;
    private final Rules rules;
    private final PublishPolicy policy;

    /**
     * The rules of the plugin.
     *
     * @param attributes the keys of attributes that the plugin knows
     * @param limit the largest number of volumes on a node; zero: no limit
     * @param ephemeral whether each publication has to say that its volume is inline
     */
    public record Rules(Set<String> attributes, long limit, boolean ephemeral) {
        public Rules {
            attributes = Set.copyOf(attributes);
        }
    }

    public FakeInlineVolumes(Backend backend, NodeShelf shelf, NodeEffects effects, Rules rules) {
        this.backend = backend;
        this.shelf = shelf;
        this.effects = effects;
        this.rules = rules;
        this.policy = new PublishPolicy(backend, shelf.nodeId());
        shelf.store().onRecovery(this::recover);
    }

    @Override
    public void recover() {
        shelf.store().locked(() -> shelf);
    }

    @Override
    public void stage(NodeStageVolumeRequest secretRequest) {
        throw unstaged();
    }

    @Override
    public void unstage(String volumeId, String path) {
        throw unstaged();
    }

    private static CallRefusal unstaged() {
        return CallRefusal.unimplemented("inline volumes are not staged; leave the call out (R15, R42)");
    }

    @Override
    public void publish(NodePublishVolumeRequest secretRequest) {
        NodePublishVolumeRequest request =
                secretRequest.toBuilder().clearSecrets().build();
        String id = request.getVolumeId();
        requireEphemeral(request);
        requireKnownAttributes(request);
        shelf.store().locked(() -> {
            NodeVolume held = shelf.of(id);
            policy.requireRepeatable(held, request);
            InlineVolume known = shelf.inline().get(id);
            NodePublishVolumeRequest published = held.published().get(request.getTargetPath());
            if (published != null && known != null && effects.published(ofContent(published))) {
                return request;
            }
            if (known == null) {
                requireRoom();
            } else if (!known.attributes().equals(request.getVolumeContextMap())) {
                throw CallRefusal.alreadyExists("inline volume '" + id
                        + "' exists on this node with other attributes; unpublish it first, or use the same (R89)");
            }
            requireUnused(request);
            effects.requireFlags(request.getVolumeCapability().getMount().getMountFlagsList());
            shelf.store().begin(intent("publish-inline", request).put("new", known == null));
            make(request, held, known == null);
            shelf.inline().put(id, new InlineVolume(id, request.getVolumeContextMap()));
            shelf.put(held.withPublished(request));
            shelf.store().done();
            return request;
        });
    }

    private void make(NodePublishVolumeRequest request, NodeVolume held, boolean isNew) {
        NodePublishVolumeRequest ofContent = ofContent(request);
        try {
            if (isNew) {
                backend.createInline(ofContent.getVolumeId(), request.getVolumeContextMap());
            }
            effects.publish(ofContent, PublishPolicy.readonly(request));
        } catch (RuntimeException failure) {
            undo(failure, request, held, isNew);
            throw failure;
        }
    }

    /** Undoes a failed operation. If the undo fails too, the volume stays recorded, and the caller can unpublish it again (R91). */
    private void undo(RuntimeException failure, NodePublishVolumeRequest request, NodeVolume held, boolean isNew) {
        try {
            effects.unpublish(ofContent(request), held.isEmpty());
            if (isNew) {
                backend.deleteInline(ofContent(request).getVolumeId());
            }
        } catch (RuntimeException second) {
            failure.addSuppressed(second);
            shelf.inline()
                    .put(request.getVolumeId(), new InlineVolume(request.getVolumeId(), request.getVolumeContextMap()));
            shelf.put(held.withPublished(request));
        }
        shelf.store().done();
    }

    private void requireKnownAttributes(NodePublishVolumeRequest request) {
        if (request.getVolumeCapability().hasBlock()) {
            throw CallRefusal.invalid("volume_capability: inline volumes have a file system; ask for mount");
        }
        Set<String> unknown = new TreeSet<>(request.getVolumeContextMap().keySet());
        unknown.removeIf(key -> rules.attributes().contains(key) || key.startsWith(WORKLOAD_INFO));
        if (!unknown.isEmpty()) {
            throw CallRefusal.invalid("volume_context: has the attributes " + String.join(", ", unknown)
                    + ", which this plugin does not know; it knows " + new TreeSet<>(rules.attributes()));
        }
    }

    private void requireEphemeral(NodePublishVolumeRequest request) {
        if (rules.ephemeral() && !"true".equals(request.getVolumeContextOrDefault(EPHEMERAL, ""))) {
            throw CallRefusal.invalid(
                    "volume_context: " + EPHEMERAL + " is not true, so volume '" + request.getVolumeId()
                            + "' is not inline, and there is no other volume of this id; add the key for an inline volume");
        }
    }

    private void requireRoom() {
        int there = shelf.inline().count();
        if (rules.limit() > 0 && there >= rules.limit()) {
            throw CallRefusal.exhausted("node '" + shelf.nodeId() + "' has " + there
                    + " inline volumes, which is its limit; unpublish one there first, or use another node");
        }
    }

    private void requireUnused(NodePublishVolumeRequest request) {
        for (NodeVolume other : shelf.volumes().where(NodeVolume.BY_PATH, request.getTargetPath())) {
            if (!other.volumeId().equals(request.getVolumeId())) {
                throw CallRefusal.alreadyExists("path '" + request.getTargetPath() + "' is in use by volume '"
                        + other.volumeId() + "'; use another path");
            }
        }
    }

    @Override
    public void unpublish(String volumeId, String path) {
        shelf.store().locked(() -> {
            NodeVolume held = shelf.of(volumeId);
            boolean published = held.published().containsKey(path);
            boolean exists = shelf.inline().get(volumeId) != null;
            if (!published && (!exists || !held.isEmpty())) {
                return volumeId;
            }
            // After a reboot no publication is known, and the volume is still there.
            NodePublishVolumeRequest request = NodePublishVolumeRequest.newBuilder()
                    .setVolumeId(volumeId)
                    .setTargetPath(path)
                    .build();
            NodeVolume left = held.withoutPublished(path);
            shelf.store().begin(intent("unpublish-inline", request));
            try {
                remove(request, left, left.isEmpty());
            } catch (RuntimeException failure) {
                shelf.store().done();
                throw failure;
            }
            shelf.store().done();
            return volumeId;
        });
    }

    /** Removes a publication, and the volume if this was its last use. */
    private void remove(NodePublishVolumeRequest request, NodeVolume left, boolean withVolume) {
        NodePublishVolumeRequest ofContent = ofContent(request);
        effects.unpublish(ofContent, left.isEmpty());
        shelf.put(left);
        if (withVolume) {
            backend.deleteInline(ofContent.getVolumeId());
            shelf.inline().remove(request.getVolumeId());
        }
    }

    private static RecordFields intent(String op, NodePublishVolumeRequest request) {
        return new RecordFields().put("op", op).put("id", request.getVolumeId()).put("request", request);
    }

    private void recover(RecordFields intent) {
        NodePublishVolumeRequest request = intent.message("request", NodePublishVolumeRequest.parser());
        NodeVolume held = shelf.of(request.getVolumeId());
        NodeVolume left = held.withoutPublished(request.getTargetPath());
        boolean publishing = intent.text("op").equals("publish-inline");
        if (publishing && held.published().containsKey(request.getTargetPath())) {
            return;
        }
        try {
            remove(request, left, publishing ? intent.flag("new") : left.isEmpty());
        } catch (CallRefusal stuck) {
            // The undo failed: the records show what is left, and the caller's next call tries again.
            shelf.inline()
                    .put(request.getVolumeId(), new InlineVolume(request.getVolumeId(), request.getVolumeContextMap()));
        }
    }

    /**
     * Returns a request as the effects need it: with the id of the contents, which is unique over all nodes and usable as a file name.
     */
    private NodePublishVolumeRequest ofContent(NodePublishVolumeRequest request) {
        String both = shelf.nodeId().length() + " " + shelf.nodeId() + " " + request.getVolumeId();
        return request.toBuilder()
                .setVolumeId("inline-" + UUID.nameUUIDFromBytes(both.getBytes(StandardCharsets.UTF_8)))
                .build();
    }

    /** Returns the ids of the inline volumes on a node, in order, whether they are mounted or not. */
    public static Set<String> ids(NodeShelf shelf) {
        return shelf.store().locked(() -> {
            Set<String> ids = new TreeSet<>();
            shelf.inline().all().forEach(volume -> ids.add(volume.volumeId()));
            return ids;
        });
    }
}
