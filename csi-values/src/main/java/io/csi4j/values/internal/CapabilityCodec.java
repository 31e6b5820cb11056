package io.csi4j.values.internal;

import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Converts volume capabilities, access type and access mode, to messages of CSI and back (R96); each method that writes a message is followed by the method that reads it. */
public final class CapabilityCodec {
    private static final WireNumbers<VolumeAccessMode> ACCESS_MODES = new WireNumbers<>(VolumeAccessMode.values());

    private CapabilityCodec() {}

    public static io.csi4j.proto.csi.v1.VolumeCapability write(VolumeCapability capability) {
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

    /** Reads a volume capability; empty if this version does not know its access type. An access mode that it does not know is UNKNOWN. */
    public static Optional<VolumeCapability> read(io.csi4j.proto.csi.v1.VolumeCapability wire) {
        VolumeAccessMode accessMode = ACCESS_MODES.of(wire.getAccessMode().getModeValue());
        return switch (wire.getAccessTypeCase()) {
            case BLOCK -> Optional.of(VolumeCapability.block(accessMode));
            case MOUNT -> Optional.of(VolumeCapability.mount(accessMode, read(wire.getMount())));
            case ACCESSTYPE_NOT_SET -> Optional.empty();
        };
    }

    /**
     * Returns the capabilities whose access types are known. Capabilities with unknown access types are dropped. This
     * client never sends such capabilities, so a plugin need not confirm them (R69).
     */
    public static List<VolumeCapability> readAll(List<io.csi4j.proto.csi.v1.VolumeCapability> wire) {
        List<VolumeCapability> capabilities = new ArrayList<>(wire.size());
        wire.forEach(capability -> read(capability).ifPresent(capabilities::add));
        return capabilities;
    }

    private static io.csi4j.proto.csi.v1.VolumeCapability.MountVolume write(MountVolume mount) {
        return io.csi4j.proto.csi.v1.VolumeCapability.MountVolume.newBuilder()
                .setFsType(mount.fsType())
                .addAllMountFlags(mount.mountFlags().asList())
                .setVolumeMountGroup(mount.volumeMountGroup())
                .build();
    }

    private static MountVolume read(io.csi4j.proto.csi.v1.VolumeCapability.MountVolume wire) {
        return MountVolume.builder()
                .fsType(wire.getFsType())
                .mountFlags(MountFlags.of(wire.getMountFlagsList()))
                .volumeMountGroup(wire.getVolumeMountGroup())
                .build();
    }
}
