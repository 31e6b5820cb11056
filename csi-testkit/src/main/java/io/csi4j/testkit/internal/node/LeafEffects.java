package io.csi4j.testkit.internal.node;

import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.testkit.internal.rule.CallRefusal;
import java.nio.file.Files;
import java.nio.file.Path;

/** Mounts nothing; creates and removes the entry at the target path. */
public final class LeafEffects implements NodeEffects {
    public LeafEffects() {}

    @Override
    public void stage(NodeStageVolumeRequest request) {
        requireStagingDirectory(request.getStagingTargetPath());
    }

    static void requireStagingDirectory(String path) {
        if (!Files.isDirectory(Path.of(path))) {
            throw CallRefusal.invalid(
                    "staging_target_path: '" + path + "' is no directory; the caller has to make it (R85)");
        }
    }

    @Override
    public void publish(NodePublishVolumeRequest request, boolean readonly) {
        Leaf.make(request.getTargetPath(), request.getVolumeCapability().hasBlock());
    }

    @Override
    public boolean published(NodePublishVolumeRequest request) {
        return Files.exists(Path.of(request.getTargetPath()));
    }

    @Override
    public void unpublish(NodePublishVolumeRequest request, boolean last) {
        Leaf.remove(request.getTargetPath());
    }
}
