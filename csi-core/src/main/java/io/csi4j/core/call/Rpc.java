package io.csi4j.core.call;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Every RPC of CSI 1.12 and 1.13, with its name in the CSI specification. */
public enum Rpc {
    /** Returns the plugin's name and version (R37). */
    GET_PLUGIN_INFO(RpcService.IDENTITY, "GetPluginInfo", false),
    /** Returns which services and general capabilities the plugin has (R38). */
    GET_PLUGIN_CAPABILITIES(RpcService.IDENTITY, "GetPluginCapabilities", false),
    /** Checks that the plugin runs and is ready (R39-R41). */
    PROBE(RpcService.IDENTITY, "Probe", false),
    /** Creates a volume. Another call with the same name returns the same volume (R51-R58). */
    CREATE_VOLUME(RpcService.CONTROLLER, "CreateVolume", true),
    /** Deletes a volume (R59, R60). */
    DELETE_VOLUME(RpcService.CONTROLLER, "DeleteVolume", true),
    /** Makes a volume available on a node (R61-R64). */
    CONTROLLER_PUBLISH_VOLUME(RpcService.CONTROLLER, "ControllerPublishVolume", true),
    /** Ends the availability of a volume on a node (R65-R68). */
    CONTROLLER_UNPUBLISH_VOLUME(RpcService.CONTROLLER, "ControllerUnpublishVolume", true),
    /** Checks which capabilities a volume supports (R69). */
    VALIDATE_VOLUME_CAPABILITIES(RpcService.CONTROLLER, "ValidateVolumeCapabilities", false),
    /** Lists volumes in pages (R70-R72). */
    LIST_VOLUMES(RpcService.CONTROLLER, "ListVolumes", false),
    /** Returns the free capacity for new volumes (R75). */
    GET_CAPACITY(RpcService.CONTROLLER, "GetCapacity", false),
    /** Returns the capabilities of the controller (R42). */
    CONTROLLER_GET_CAPABILITIES(RpcService.CONTROLLER, "ControllerGetCapabilities", false),
    /** Creates a snapshot. Another call with the same name returns the same snapshot (R76-R79). */
    CREATE_SNAPSHOT(RpcService.CONTROLLER, "CreateSnapshot", true),
    /** Deletes a snapshot (R80). */
    DELETE_SNAPSHOT(RpcService.CONTROLLER, "DeleteSnapshot", true),
    /** Lists snapshots in pages (R81). */
    LIST_SNAPSHOTS(RpcService.CONTROLLER, "ListSnapshots", false),
    /** Returns one snapshot; alpha (R81). */
    GET_SNAPSHOT(RpcService.CONTROLLER, "GetSnapshot", false),
    /** Expands the volume at the storage provider (R82-R84). */
    CONTROLLER_EXPAND_VOLUME(RpcService.CONTROLLER, "ControllerExpandVolume", true),
    /** Returns one volume with its published nodes and its condition; alpha (R73). */
    CONTROLLER_GET_VOLUME(RpcService.CONTROLLER, "ControllerGetVolume", false),
    /** Changes mutable parameters of a volume (R74). */
    CONTROLLER_MODIFY_VOLUME(RpcService.CONTROLLER, "ControllerModifyVolume", true),
    /** Lists abnormal volumes in pages; alpha, since CSI 1.13 (R104). */
    CONTROLLER_LIST_VOLUME_HEALTH(RpcService.CONTROLLER, "ControllerListVolumeHealth", false),
    /** Returns the health of one volume; alpha, since CSI 1.13 (R104). */
    CONTROLLER_GET_VOLUME_HEALTH(RpcService.CONTROLLER, "ControllerGetVolumeHealth", false),
    /** Returns the capabilities of the group controller (R42). */
    GROUP_CONTROLLER_GET_CAPABILITIES(RpcService.GROUP_CONTROLLER, "GroupControllerGetCapabilities", false),
    /** Creates snapshots of several volumes at the same time (R97-R99). */
    CREATE_VOLUME_GROUP_SNAPSHOT(RpcService.GROUP_CONTROLLER, "CreateVolumeGroupSnapshot", true),
    /** Deletes a group snapshot with all its members (R100). */
    DELETE_VOLUME_GROUP_SNAPSHOT(RpcService.GROUP_CONTROLLER, "DeleteVolumeGroupSnapshot", true),
    /** Returns one group snapshot (R100). */
    GET_VOLUME_GROUP_SNAPSHOT(RpcService.GROUP_CONTROLLER, "GetVolumeGroupSnapshot", false),
    /** Streams the allocated blocks of a snapshot (R101-R103). */
    GET_METADATA_ALLOCATED(RpcService.SNAPSHOT_METADATA, "GetMetadataAllocated", false),
    /** Streams the blocks that differ between two snapshots (R101-R103). */
    GET_METADATA_DELTA(RpcService.SNAPSHOT_METADATA, "GetMetadataDelta", false),
    /** Prepares a volume on a node once, before it is mounted there for any allocation (R85, R86). */
    NODE_STAGE_VOLUME(RpcService.NODE, "NodeStageVolume", true),
    /** Undoes NodeStageVolume (R87). */
    NODE_UNSTAGE_VOLUME(RpcService.NODE, "NodeUnstageVolume", true),
    /** Mounts a volume at one path on the node for one workload (R88-R90). */
    NODE_PUBLISH_VOLUME(RpcService.NODE, "NodePublishVolume", true),
    /** Undoes NodePublishVolume (R91). */
    NODE_UNPUBLISH_VOLUME(RpcService.NODE, "NodeUnpublishVolume", true),
    /** Returns the usage of a volume at a path (R92). */
    NODE_GET_VOLUME_STATS(RpcService.NODE, "NodeGetVolumeStats", false),
    /** Expands the file system or device on the node (R94, R95). */
    NODE_EXPAND_VOLUME(RpcService.NODE, "NodeExpandVolume", true),
    /** Returns the capabilities of the node service (R42). */
    NODE_GET_CAPABILITIES(RpcService.NODE, "NodeGetCapabilities", false),
    /** Returns the storage provider's id of the node, the volume limit of the node and its topology (R93). */
    NODE_GET_INFO(RpcService.NODE, "NodeGetInfo", false),
    /** Returns the health of one volume on this node; alpha, since CSI 1.13 (R104). */
    NODE_GET_VOLUME_HEALTH(RpcService.NODE, "NodeGetVolumeHealth", false),
    /** Returns the health of the storage backends as the node sees them; alpha, since CSI 1.13 (R104). */
    NODE_GET_STORAGE_HEALTH(RpcService.NODE, "NodeGetStorageHealth", false);

    private static final Map<String, Rpc> BY_CSI_NAME =
            Stream.of(values()).collect(Collectors.toUnmodifiableMap(Rpc::csiName, Function.identity()));

    private final RpcService service;
    private final String csiName;
    private final boolean changesState;

    Rpc(RpcService service, String csiName, boolean changesState) {
        this.service = service;
        this.csiName = csiName;
        this.changesState = changesState;
    }

    /**
     * Returns the RPC with the given name; empty if this version of csi4j does not know the name.
     *
     * @param csiName the name in CSI's spelling, for example {@code ControllerPublishVolume}
     */
    public static Optional<Rpc> ofCsiName(String csiName) {
        return Optional.ofNullable(BY_CSI_NAME.get(csiName));
    }

    public RpcService service() {
        return service;
    }

    /** Returns the name in CSI's spelling, for example {@code ControllerPublishVolume}. */
    public String csiName() {
        return csiName;
    }

    /**
     * Returns whether the call may change something at the plugin. An unknown outcome of such a call has to be resolved
     * by the same call or its opposite (R27, R30); a call that only reads may simply be made again.
     */
    public boolean changesState() {
        return changesState;
    }

    /**
     * Returns whether the response is a page of a list. If the plugin responds ABORTED to such a call with a token, the
     * token has expired (R72); for other RPCs, ABORTED means that another operation is pending.
     */
    public boolean paged() {
        return this == LIST_VOLUMES || this == LIST_SNAPSHOTS || this == CONTROLLER_LIST_VOLUME_HEALTH;
    }

    /**
     * Returns the RPC that undoes this one. Only a call of that RPC can cancel a call with an unknown outcome (R30).
     * CreateVolume has no opposite, because DeleteVolume needs the id from the response of CreateVolume.
     */
    public Optional<Rpc> opposite() {
        return switch (this) {
            case CONTROLLER_PUBLISH_VOLUME -> Optional.of(CONTROLLER_UNPUBLISH_VOLUME);
            case CONTROLLER_UNPUBLISH_VOLUME -> Optional.of(CONTROLLER_PUBLISH_VOLUME);
            case NODE_STAGE_VOLUME -> Optional.of(NODE_UNSTAGE_VOLUME);
            case NODE_UNSTAGE_VOLUME -> Optional.of(NODE_STAGE_VOLUME);
            case NODE_PUBLISH_VOLUME -> Optional.of(NODE_UNPUBLISH_VOLUME);
            case NODE_UNPUBLISH_VOLUME -> Optional.of(NODE_PUBLISH_VOLUME);
            default -> Optional.empty();
        };
    }

    /** Returns whether the request has a field for secrets (R36). */
    public boolean takesSecrets() {
        return switch (this) {
            case CREATE_VOLUME,
                    DELETE_VOLUME,
                    CONTROLLER_PUBLISH_VOLUME,
                    CONTROLLER_UNPUBLISH_VOLUME,
                    VALIDATE_VOLUME_CAPABILITIES,
                    CONTROLLER_MODIFY_VOLUME,
                    CREATE_SNAPSHOT,
                    DELETE_SNAPSHOT,
                    LIST_SNAPSHOTS,
                    GET_SNAPSHOT,
                    CONTROLLER_EXPAND_VOLUME,
                    NODE_STAGE_VOLUME,
                    NODE_PUBLISH_VOLUME,
                    NODE_EXPAND_VOLUME,
                    CREATE_VOLUME_GROUP_SNAPSHOT,
                    DELETE_VOLUME_GROUP_SNAPSHOT,
                    GET_VOLUME_GROUP_SNAPSHOT,
                    GET_METADATA_ALLOCATED,
                    GET_METADATA_DELTA,
                    CONTROLLER_LIST_VOLUME_HEALTH,
                    CONTROLLER_GET_VOLUME_HEALTH,
                    NODE_GET_STORAGE_HEALTH -> true;
            default -> false;
        };
    }
}
