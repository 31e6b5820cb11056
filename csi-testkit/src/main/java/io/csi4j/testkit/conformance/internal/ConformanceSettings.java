package io.csi4j.testkit.conformance.internal;

import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a run.
 *
 * @param endpoint the address of the node service
 * @param controllerEndpoint the address of the controller service
 * @param workDir the directory below which all staging and target paths are
 * @param volume the kind of volumes
 * @param parameters for CreateVolume
 * @param snapshotParameters for CreateSnapshot
 * @param mutableParameters parameters that the plugin can modify; may be empty
 * @param infeasibleParameters parameters that the plugin cannot modify; empty: not known
 * @param secrets the secrets of each call
 * @param secretsRequired the names of the RPCs that the plugin refuses without secrets
 * @param existing a volume that exists already; null: the plugin creates volumes
 * @param otherNode the id of a second node; empty: none
 * @param timeout the time limit of one call
 * @param expectMounts whether the plugin has to mount what it publishes
 * @param restart restarts the plugin abruptly and returns at once or when it is up again; null: not possible
 * @param output returns the lines that the plugin has printed since the last call; null: not known
 * @param only ids, prefixes of ids or rules to run; empty: all
 * @param skip ids, prefixes of ids or rules to leave out
 */
public record ConformanceSettings(
        String endpoint,
        String controllerEndpoint,
        Path workDir,
        VolumeKind volume,
        Map<String, String> parameters,
        Map<String, String> snapshotParameters,
        Map<String, String> mutableParameters,
        Map<String, String> infeasibleParameters,
        SecretsByRpc secrets,
        Set<String> secretsRequired,
        @Nullable ExistingVolume existing,
        String otherNode,
        Duration timeout,
        boolean expectMounts,
        @Nullable Runnable restart,
        @Nullable Supplier<List<String>> output,
        List<String> only,
        List<String> skip) {

    /** Returns these settings, with the volume size raised to {@code bytes} if it is smaller. */
    ConformanceSettings withAtLeast(long bytes) {
        if (bytes <= volume.bytes()) {
            return this;
        }
        return new ConformanceSettings(
                endpoint,
                controllerEndpoint,
                workDir,
                new VolumeKind(volume.block(), volume.mode(), volume.fsType(), volume.mountFlags(), bytes),
                parameters,
                snapshotParameters,
                mutableParameters,
                infeasibleParameters,
                secrets,
                secretsRequired,
                existing,
                otherNode,
                timeout,
                expectMounts,
                restart,
                output,
                only,
                skip);
    }

    /**
     * Checks the form of an endpoint.
     *
     * @throws IllegalArgumentException if the form is wrong; the message shows an example of the right form
     */
    public static void requireEndpoint(String endpoint) {
        if (!endpoint.startsWith(EndpointConnections.IN_PROCESS)) {
            EndpointConnections.socketPath(endpoint);
        }
    }

    /**
     * The kind of volumes.
     *
     * @param block a block device; otherwise a file system
     * @param mode the access mode
     * @param fsType the file system; empty: the plugin's choice
     * @param mountFlags the mount flags
     * @param bytes the size to ask for
     */
    public record VolumeKind(boolean block, Mode mode, String fsType, List<String> mountFlags, long bytes) {
        /**
         * Returns a volume capability with the type, the file system and the mount flags of this record, and with the
         * given access mode.
         *
         * @param wanted the access mode
         */
        public VolumeCapability capability(Mode wanted) {
            VolumeCapability.Builder capability = VolumeCapability.newBuilder();
            capability.getAccessModeBuilder().setMode(wanted);
            if (block) {
                capability.getBlockBuilder();
            } else {
                capability.getMountBuilder().setFsType(fsType).addAllMountFlags(mountFlags);
            }
            return capability.build();
        }
    }

    /**
     * A volume that exists already.
     *
     * @param id its volume id
     * @param context its volume context
     */
    public record ExistingVolume(String id, Map<String, String> context) {}
}
