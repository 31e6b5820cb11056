package io.csi4j.client.internal.retry;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import org.jspecify.annotations.Nullable;

/** The key of a queue: a volume, a snapshot or a group, by its id or by its name (R26). */
record QueueKey(RpcService service, Kind kind, String id) {
    /** The kind of object that has the id or name. Objects of different kinds may have the same id. */
    enum Kind {
        VOLUME,
        VOLUME_NAME,
        SNAPSHOT,
        SNAPSHOT_NAME,
        GROUP,
        GROUP_NAME
    }

    /** Returns the key of a call's queue; null if the call needs no queue. */
    static @Nullable QueueKey of(CallTarget call) {
        Kind kind = kind(call.rpc());
        String id = call.subject();
        return kind == null || id == null ? null : new QueueKey(call.rpc().service(), kind, id);
    }

    static @Nullable Kind kind(Rpc rpc) {
        return switch (rpc) {
            case CREATE_VOLUME -> Kind.VOLUME_NAME;
            case DELETE_VOLUME,
                    CONTROLLER_PUBLISH_VOLUME,
                    CONTROLLER_UNPUBLISH_VOLUME,
                    VALIDATE_VOLUME_CAPABILITIES,
                    CONTROLLER_EXPAND_VOLUME,
                    CONTROLLER_GET_VOLUME,
                    CONTROLLER_MODIFY_VOLUME,
                    CONTROLLER_GET_VOLUME_HEALTH,
                    NODE_STAGE_VOLUME,
                    NODE_UNSTAGE_VOLUME,
                    NODE_PUBLISH_VOLUME,
                    NODE_UNPUBLISH_VOLUME,
                    NODE_GET_VOLUME_STATS,
                    NODE_EXPAND_VOLUME,
                    NODE_GET_VOLUME_HEALTH -> Kind.VOLUME;
            case CREATE_SNAPSHOT -> Kind.SNAPSHOT_NAME;
            case DELETE_SNAPSHOT, GET_SNAPSHOT -> Kind.SNAPSHOT;
            case CREATE_VOLUME_GROUP_SNAPSHOT -> Kind.GROUP_NAME;
            case DELETE_VOLUME_GROUP_SNAPSHOT, GET_VOLUME_GROUP_SNAPSHOT -> Kind.GROUP;
            case GET_PLUGIN_INFO,
                    GET_PLUGIN_CAPABILITIES,
                    PROBE,
                    LIST_VOLUMES,
                    GET_CAPACITY,
                    CONTROLLER_GET_CAPABILITIES,
                    LIST_SNAPSHOTS,
                    CONTROLLER_LIST_VOLUME_HEALTH,
                    GROUP_CONTROLLER_GET_CAPABILITIES,
                    GET_METADATA_ALLOCATED,
                    GET_METADATA_DELTA,
                    NODE_GET_CAPABILITIES,
                    NODE_GET_INFO,
                    NODE_GET_STORAGE_HEALTH -> null;
        };
    }
}
