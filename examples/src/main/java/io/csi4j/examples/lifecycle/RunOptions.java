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
 * What the user asked for.
 *
 * @param endpoint the plugin; with a controller endpoint, the node plugin
 * @param controllerEndpoint the controller plugin; the same as {@code endpoint} unless the deployment is split
 * @param workDir where the directory with all staging and target paths is made
 * @param volumeName the name of the volume to create
 * @param volumeId a volume that is there already, which is neither created nor deleted
 * @param size of the new volume, in bytes
 * @param capability how the volume is used
 * @param parameters for CreateVolume
 * @param mutableParameters for ControllerModifyVolume
 * @param secrets for every RPC that takes secrets (R35)
 * @param volumeContext of the volume that is there already
 * @param keep whether the volume stays
 * @param timeout how long one step may take
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
     * Where all staging and target paths of this walk are. The same volume has the same paths each time, so
     * that a walk that broke off can be repeated: the plugin then finds what it knows (R85, R89).
     */
    Path directory() {
        String volume = volumeId.map(ExternalVolumeId::value).orElse(volumeName);
        return workDir.resolve(fileName(volume));
    }

    /** Of the file that is written; with a volume of somebody else a name that is not there. */
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

    /** May a second target path on the same node be published (R89)? */
    boolean severalTargets() {
        return accessMode().multiNode() || accessMode() == AccessMode.SINGLE_NODE_MULTI_WRITER;
    }

    /** The capability of the two alpha modes has to be offered before they are used (R42). */
    boolean needsSingleNodeMultiWriter() {
        return accessMode() == AccessMode.SINGLE_NODE_MULTI_WRITER
                || accessMode() == AccessMode.SINGLE_NODE_SINGLE_WRITER;
    }

    static VolumeCapability mount(AccessMode mode, String fsType, MountFlags flags) {
        return VolumeCapability.mount(
                mode, MountVolume.builder().fsType(fsType).mountFlags(flags).build());
    }
}
