package io.csi4j.examples.lifecycle;

import io.csi4j.client.Endpoint;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The options of a run.
 *
 * @param endpoint the plugin's endpoint; in a split deployment the node plugin's
 * @param controllerEndpoint the controller plugin's endpoint; equal to {@code endpoint} unless the deployment is split
 * @param workDir the parent of the directory with all staging and target paths
 * @param volumeName the name of the volume to create
 * @param volumeId an existing volume, which is neither created nor deleted
 * @param size the size of the new volume in bytes
 * @param capability how the volume is used
 * @param parameters the parameters for CreateVolume
 * @param mutableParameters the parameters for ControllerModifyVolume
 * @param secrets the secrets for each RPC that takes secrets (R35)
 * @param volumeContext the context of the existing volume
 * @param keep whether the volume is kept at the end
 * @param timeout the time limit of one step
 */
record RunOptions(
        Endpoint endpoint,
        Endpoint controllerEndpoint,
        Path workDir,
        String volumeName,
        Optional<ExternalVolumeId> volumeId,
        long size,
        VolumeCapability capability,
        Map<String, String> parameters,
        Map<String, String> mutableParameters,
        Secrets secrets,
        VolumeContext volumeContext,
        boolean keep,
        Duration timeout) {

    boolean split() {
        return !endpoint.equals(controllerEndpoint);
    }

    /**
     * The directory of all staging and target paths. It depends only on the volume, so that a repeated run uses the same paths,
     * which the plugin already knows (R85, R89).
     */
    Path directory() {
        String volume = volumeId.map(ExternalVolumeId::value).orElse(volumeName);
        return workDir.resolve(fileName(volume));
    }

    /** The name of the test file; in an existing volume a name that no other file has. */
    String fileName() {
        return fileName(volumeName) + ".bin";
    }

    private static String fileName(String name) {
        String plain = name.replaceAll("[^A-Za-z0-9._-]", "_");
        return plain.startsWith("csi4j-") ? plain : "csi4j-" + plain;
    }

    AccessMode accessMode() {
        return capability.accessMode();
    }

    /** Whether the access mode allows a second target path on the same node (R89). */
    boolean allowsSeveralTargets() {
        return accessMode().multiNode() || accessMode() == AccessMode.SINGLE_NODE_MULTI_WRITER;
    }

    /** Whether the access mode needs the capability of the two alpha modes (R42). */
    boolean needsSingleNodeMultiWriter() {
        return accessMode() == AccessMode.SINGLE_NODE_MULTI_WRITER
                || accessMode() == AccessMode.SINGLE_NODE_SINGLE_WRITER;
    }

    static VolumeCapability mount(AccessMode mode, String fsType, MountFlags flags) {
        return VolumeCapability.mount(
                mode, MountVolume.builder().fsType(fsType).mountFlags(flags).build());
    }
}
