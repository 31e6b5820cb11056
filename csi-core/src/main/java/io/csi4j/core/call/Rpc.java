package io.csi4j.core.call;

import java.util.Optional;

/** Every RPC of CSI 1.12 and 1.13, named as CSI names it. */
public enum Rpc {
    /** Name and vendor version (R37). */
    GET_PLUGIN_INFO(RpcService.IDENTITY, "GetPluginInfo", false),
    /** Services of the plugin as a whole (R38). */
    GET_PLUGIN_CAPABILITIES(RpcService.IDENTITY, "GetPluginCapabilities", false),
    /** Liveness and readiness (R39-R41). */
    PROBE(RpcService.IDENTITY, "Probe", false),
    /** Makes a volume; idempotent on its name (R51-R58). */
    CREATE_VOLUME(RpcService.CONTROLLER, "CreateVolume", true),
    /** Deletes a volume (R59, R60). */
    DELETE_VOLUME(RpcService.CONTROLLER, "DeleteVolume", true),
    /** Makes a volume available on a node (R61-R64). */
    CONTROLLER_PUBLISH_VOLUME(RpcService.CONTROLLER, "ControllerPublishVolume", true),
    /** Takes a volume from a node (R65-R68). */
    CONTROLLER_UNPUBLISH_VOLUME(RpcService.CONTROLLER, "ControllerUnpublishVolume", true),
    /** Checks what a volume supports (R69). */
    VALIDATE_VOLUME_CAPABILITIES(RpcService.CONTROLLER, "ValidateVolumeCapabilities", false),
    /** Pages through volumes (R70-R72). */
    LIST_VOLUMES(RpcService.CONTROLLER, "ListVolumes", false),
    /** Room for new volumes (R75). */
    GET_CAPACITY(RpcService.CONTROLLER, "GetCapacity", false),
    /** What the controller offers (R42). */
    CONTROLLER_GET_CAPABILITIES(RpcService.CONTROLLER, "ControllerGetCapabilities", false),
    /** Cuts a snapshot; idempotent on its name (R76-R79). */
    CREATE_SNAPSHOT(RpcService.CONTROLLER, "CreateSnapshot", true),
    /** Deletes a snapshot (R80). */
    DELETE_SNAPSHOT(RpcService.CONTROLLER, "DeleteSnapshot", true),
    /** Pages through snapshots (R81). */
    LIST_SNAPSHOTS(RpcService.CONTROLLER, "ListSnapshots", false),
    /** One snapshot; alpha (R81). */
    GET_SNAPSHOT(RpcService.CONTROLLER, "GetSnapshot", false),
    /** Grows the backing volume (R82-R84). */
    CONTROLLER_EXPAND_VOLUME(RpcService.CONTROLLER, "ControllerExpandVolume", true),
    /** One volume with its status; alpha (R73). */
    CONTROLLER_GET_VOLUME(RpcService.CONTROLLER, "ControllerGetVolume", false),
    /** Changes mutable parameters (R74). */
    CONTROLLER_MODIFY_VOLUME(RpcService.CONTROLLER, "ControllerModifyVolume", true),
    /** Pages through abnormal volumes; alpha, since 1.13 (R104). */
    CONTROLLER_LIST_VOLUME_HEALTH(RpcService.CONTROLLER, "ControllerListVolumeHealth", false),
    /** Health of one volume; alpha, since 1.13 (R104). */
    CONTROLLER_GET_VOLUME_HEALTH(RpcService.CONTROLLER, "ControllerGetVolumeHealth", false),
    /** What the group controller offers (R42). */
    GROUP_CONTROLLER_GET_CAPABILITIES(RpcService.GROUP_CONTROLLER, "GroupControllerGetCapabilities", false),
    /** Cuts snapshots of several volumes at one point (R97-R99). */
    CREATE_VOLUME_GROUP_SNAPSHOT(RpcService.GROUP_CONTROLLER, "CreateVolumeGroupSnapshot", true),
    /** Deletes a group snapshot with all its members (R100). */
    DELETE_VOLUME_GROUP_SNAPSHOT(RpcService.GROUP_CONTROLLER, "DeleteVolumeGroupSnapshot", true),
    /** One group snapshot (R100). */
    GET_VOLUME_GROUP_SNAPSHOT(RpcService.GROUP_CONTROLLER, "GetVolumeGroupSnapshot", false),
    /** Streams the allocated blocks of a snapshot (R101-R103). */
    GET_METADATA_ALLOCATED(RpcService.SNAPSHOT_METADATA, "GetMetadataAllocated", false),
    /** Streams the blocks that differ between two snapshots (R101-R103). */
    GET_METADATA_DELTA(RpcService.SNAPSHOT_METADATA, "GetMetadataDelta", false),
    /** Prepares a volume once per node (R85, R86). */
    NODE_STAGE_VOLUME(RpcService.NODE, "NodeStageVolume", true),
    /** The opposite of NodeStageVolume (R87). */
    NODE_UNSTAGE_VOLUME(RpcService.NODE, "NodeUnstageVolume", true),
    /** Makes a volume visible at a path (R88-R90). */
    NODE_PUBLISH_VOLUME(RpcService.NODE, "NodePublishVolume", true),
    /** The opposite of NodePublishVolume (R91). */
    NODE_UNPUBLISH_VOLUME(RpcService.NODE, "NodeUnpublishVolume", true),
    /** Usage at a path (R92). */
    NODE_GET_VOLUME_STATS(RpcService.NODE, "NodeGetVolumeStats", false),
    /** Grows what is on the node (R94, R95). */
    NODE_EXPAND_VOLUME(RpcService.NODE, "NodeExpandVolume", true),
    /** What the node service offers (R42). */
    NODE_GET_CAPABILITIES(RpcService.NODE, "NodeGetCapabilities", false),
    /** Node id, limit and topology (R93). */
    NODE_GET_INFO(RpcService.NODE, "NodeGetInfo", false),
    /** Health of one volume on this node; alpha, since 1.13 (R104). */
    NODE_GET_VOLUME_HEALTH(RpcService.NODE, "NodeGetVolumeHealth", false),
    /** Health of the storage backends; alpha, since 1.13 (R104). */
    NODE_GET_STORAGE_HEALTH(RpcService.NODE, "NodeGetStorageHealth", false);

    private final RpcService service;
    private final String csiName;
    private final boolean changesState;

    Rpc(RpcService service, String csiName, boolean changesState) {
        this.service = service;
        this.csiName = csiName;
        this.changesState = changesState;
    }

    /**
     * The service that holds this RPC.
     *
     * @return one of the five services
     */
    public RpcService service() {
        return service;
    }

    /**
     * The name as CSI spells it.
     *
     * @return for example {@code ControllerPublishVolume}
     */
    public String csiName() {
        return csiName;
    }

    /**
     * Whether the call may change something at the plugin, so that an unknown outcome has to be
     * replayed or negated (R27, R30). A call that only reads may simply be asked again.
     *
     * @return true for the RPCs that create, delete, publish, stage, expand, modify or undo that
     */
    public boolean changesState() {
        return changesState;
    }

    /**
     * Whether the answer comes in pages, so that ABORTED to a continuation token means "this token
     * is no longer good" and not "another operation is pending" (R72).
     *
     * @return true for the three listing RPCs
     */
    public boolean paged() {
        return this == LIST_VOLUMES || this == LIST_SNAPSHOTS || this == CONTROLLER_LIST_VOLUME_HEALTH;
    }

    /**
     * The RPC that undoes this one; for a call whose outcome is unknown the only way to cancel it (R30).
     * CreateVolume has none, for without an answer there is no id to delete by.
     *
     * @return empty where there is none
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

    /**
     * Whether the request has a field for secrets (R36).
     *
     * @return true for those that authenticate themselves to the storage provider
     */
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
