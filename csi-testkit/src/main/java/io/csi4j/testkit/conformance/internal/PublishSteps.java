package io.csi4j.testkit.conformance.internal;

import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.proto.csi.v1.NodeUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeUnstageVolumeRequest;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Makes the calls that publish one volume on this node, and those that undo it. Leaves out the steps for which the
 * plugin has no capability (R43, R44).
 */
public final class PublishSteps {
    private final Run run;
    private final Volume volume;
    private final VolumeCapability capability;
    private final Path directory;
    private final Path staging;
    private final Set<Path> targets = new LinkedHashSet<>();
    private Map<String, String> publishContext = Map.of();
    private boolean attached;
    private boolean staged;

    PublishSteps(Run run, Volume volume, VolumeCapability capability, Path directory) {
        this.run = run;
        this.volume = volume;
        this.capability = capability;
        this.directory = directory;
        this.staging = directory.resolve("staging");
    }

    public Volume volume() {
        return volume;
    }

    /** Returns the staging path; empty if the plugin does not stage. */
    public String staging() {
        return run.has(Need.STAGE_UNSTAGE_VOLUME) ? staging.toString() : "";
    }

    public Map<String, String> publishContext() {
        return publishContext;
    }

    public ControllerPublishVolumeRequest.Builder attachRequest() {
        return ControllerPublishVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .setNodeId(run.plugin().nodeInfo().getNodeId())
                .setVolumeCapability(capability)
                .putAllVolumeContext(volume.getVolumeContextMap())
                .putAllSecrets(run.secrets("ControllerPublishVolume"));
    }

    /** Calls ControllerPublishVolume, if the plugin has the capability for it. */
    public void attach() {
        if (run.has(Need.PUBLISH_UNPUBLISH_VOLUME)) {
            attach(attachRequest().build());
        }
    }

    public Map<String, String> attach(ControllerPublishVolumeRequest request) {
        attached = true;
        publishContext = run.controller().controllerPublishVolume(request).getPublishContextMap();
        return publishContext;
    }

    /** Marks the volume as possibly attached, so that it is detached at the end. */
    public void mayBeAttached() {
        attached = true;
    }

    public ControllerUnpublishVolumeRequest detachRequest() {
        return ControllerUnpublishVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .setNodeId(run.plugin().nodeInfo().getNodeId())
                .putAllSecrets(run.secrets("ControllerUnpublishVolume"))
                .build();
    }

    public void detach() {
        if (run.has(Need.PUBLISH_UNPUBLISH_VOLUME)) {
            run.controller().controllerUnpublishVolume(detachRequest());
            attached = false;
        }
    }

    public NodeStageVolumeRequest.Builder stageRequest() {
        makeDirectory(staging);
        return NodeStageVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .setStagingTargetPath(staging.toString())
                .setVolumeCapability(capability)
                .putAllVolumeContext(volume.getVolumeContextMap())
                .putAllPublishContext(publishContext)
                .putAllSecrets(run.secrets("NodeStageVolume"));
    }

    /** Calls NodeStageVolume, if the plugin has the capability for it. */
    public void stage() {
        if (run.has(Need.STAGE_UNSTAGE_VOLUME)) {
            stage(stageRequest().build());
        }
    }

    public void stage(NodeStageVolumeRequest request) {
        staged = true;
        run.node().nodeStageVolume(request);
    }

    /** Marks the volume as possibly staged, so that it is unstaged at the end. */
    public void mayBeStaged() {
        staged = true;
    }

    public NodeUnstageVolumeRequest unstageRequest() {
        return NodeUnstageVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .setStagingTargetPath(staging.toString())
                .build();
    }

    public void unstage() {
        if (run.has(Need.STAGE_UNSTAGE_VOLUME)) {
            run.node().nodeUnstageVolume(unstageRequest());
            staged = false;
        }
    }

    /** Calls ControllerPublishVolume and NodeStageVolume, each only if the plugin has the capability for it. */
    public void up() {
        attach();
        stage();
    }

    /** Returns a target path whose parent exists (R88). */
    public Path target(String name) {
        Path parent = directory.resolve(name);
        makeDirectory(parent);
        Path target = parent.resolve("target");
        targets.add(target);
        return target;
    }

    public NodePublishVolumeRequest.Builder publishRequest(Path target) {
        return NodePublishVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .setTargetPath(target.toString())
                .setStagingTargetPath(staging())
                .setVolumeCapability(capability)
                .putAllVolumeContext(volume.getVolumeContextMap())
                .putAllPublishContext(publishContext)
                .putAllSecrets(run.secrets("NodePublishVolume"));
    }

    /** Calls NodePublishVolume with a target path that ends in the name. Returns the path. */
    public Path publish(String name) {
        Path target = target(name);
        run.node().nodePublishVolume(publishRequest(target).build());
        return target;
    }

    public Path publishReadonly(String name) {
        Path target = target(name);
        run.node().nodePublishVolume(publishRequest(target).setReadonly(true).build());
        return target;
    }

    public NodeUnpublishVolumeRequest unpublishRequest(Path target) {
        return NodeUnpublishVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .setTargetPath(target.toString())
                .build();
    }

    public void unpublish(Path target) {
        run.node().nodeUnpublishVolume(unpublishRequest(target));
        targets.remove(target);
    }

    /** Returns the first target path at which the volume was published. */
    public Path firstTarget() {
        return targets.iterator().next();
    }

    /** Unpublishes the volume at all target paths, unstages it and detaches it; undoes only calls that were made. */
    public void down() {
        for (Path target : List.copyOf(targets)) {
            unpublish(target);
        }
        if (staged) {
            unstage();
        }
        if (attached) {
            detach();
        }
    }

    /** Undoes each call that was made, even if it failed, because it may have had an effect. */
    void undo() {
        for (Path target : List.copyOf(targets)) {
            orMissing(() -> run.node().nodeUnpublishVolume(unpublishRequest(target)));
        }
        if (staged && run.has(Need.STAGE_UNSTAGE_VOLUME)) {
            orMissing(() -> run.node().nodeUnstageVolume(unstageRequest()));
        }
        if (attached) {
            orMissing(() -> run.controller().controllerUnpublishVolume(detachRequest()));
        }
    }

    private void orMissing(Supplier<?> call) {
        try {
            run.calls().eventually(call);
        } catch (StatusRuntimeException e) {
            if (NoAnswer.is(e)) {
                throw e;
            }
            if (e.getStatus().getCode() != Code.NOT_FOUND) {
                run.notCleaned("volume " + volume.getVolumeId(), e);
            }
        }
    }

    private static void makeDirectory(Path path) {
        try {
            if (!Files.isDirectory(path)) {
                WorkFiles.create(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make the directory " + path + ": " + e, e);
        }
    }
}
