package io.csi4j.client.internal.codec;

import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.VolumeCapability;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Encodes and decodes volume capabilities: access type and access mode (R96). */
final class CapabilityCodec {
    private static final WireNumbers<AccessMode> ACCESS_MODES = new WireNumbers<>(AccessMode.values());

    private CapabilityCodec() {}

    static io.csi4j.proto.csi.v1.VolumeCapability write(VolumeCapability capability) {
        io.csi4j.proto.csi.v1.VolumeCapability.Builder wire = io.csi4j.proto.csi.v1.VolumeCapability.newBuilder()
                .setAccessMode(io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.newBuilder()
                        .setModeValue(capability.accessMode().number()));
        if (capability.accessType() instanceof MountVolume mount) {
            wire.setMount(write(mount));
        } else {
            wire.setBlock(io.csi4j.proto.csi.v1.VolumeCapability.BlockVolume.getDefaultInstance());
        }
        return wire.build();
    }

    private static io.csi4j.proto.csi.v1.VolumeCapability.MountVolume write(MountVolume mount) {
        return io.csi4j.proto.csi.v1.VolumeCapability.MountVolume.newBuilder()
                .setFsType(mount.fsType())
                .addAllMountFlags(mount.mountFlags().asList())
                .setVolumeMountGroup(mount.volumeMountGroup())
                .build();
    }

    /** Reads a volume capability; empty if this version does not know its access type. */
    static Optional<VolumeCapability> read(io.csi4j.proto.csi.v1.VolumeCapability wire) {
        AccessMode accessMode = mode(wire);
        return switch (wire.getAccessTypeCase()) {
            case BLOCK -> Optional.of(VolumeCapability.block(accessMode));
            case MOUNT -> Optional.of(VolumeCapability.mount(accessMode, read(wire.getMount())));
            case ACCESSTYPE_NOT_SET -> Optional.empty();
        };
    }

    /** Returns the access mode; UNKNOWN for a mode that this version does not know. */
    static AccessMode mode(io.csi4j.proto.csi.v1.VolumeCapability wire) {
        return ACCESS_MODES.of(wire.getAccessMode().getModeValue());
    }

    /**
     * Returns the capabilities whose access types are known. Capabilities with unknown access types are dropped. This
     * client never sends such capabilities, so a plugin need not confirm them (R69).
     */
    static List<VolumeCapability> readAll(List<io.csi4j.proto.csi.v1.VolumeCapability> wire) {
        List<VolumeCapability> capabilities = new ArrayList<>(wire.size());
        wire.forEach(capability -> read(capability).ifPresent(capabilities::add));
        return capabilities;
    }

    private static MountVolume read(io.csi4j.proto.csi.v1.VolumeCapability.MountVolume wire) {
        return MountVolume.builder()
                .fsType(wire.getFsType())
                .mountFlags(MountFlags.of(wire.getMountFlagsList()))
                .volumeMountGroup(wire.getVolumeMountGroup())
                .build();
    }
}
