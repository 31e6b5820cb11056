package io.csi4j.core.call;

import static io.csi4j.core.call.RetryPolicy.CHANGE;
import static io.csi4j.core.call.RetryPolicy.LISTING;
import static io.csi4j.core.call.RetryPolicy.NAMED;
import static io.csi4j.core.call.RetryPolicy.READ;
import static io.csi4j.core.call.RetryPolicy.STREAM;
import static io.csi4j.core.call.RetryPolicy.WATCHED;
import static io.csi4j.core.call.RpcRow.row;
import static io.csi4j.core.call.RpcService.CONTROLLER;
import static io.csi4j.core.call.RpcService.GROUP_CONTROLLER;
import static io.csi4j.core.call.RpcService.IDENTITY;
import static io.csi4j.core.call.RpcService.NODE;
import static io.csi4j.core.call.RpcService.SNAPSHOT_METADATA;
import static io.csi4j.core.call.StatusCode.ABORTED;
import static io.csi4j.core.call.StatusCode.ALREADY_EXISTS;
import static io.csi4j.core.call.StatusCode.FAILED_PRECONDITION;
import static io.csi4j.core.call.StatusCode.INVALID_ARGUMENT;
import static io.csi4j.core.call.StatusCode.NOT_FOUND;
import static io.csi4j.core.call.StatusCode.OUT_OF_RANGE;
import static io.csi4j.core.call.StatusCode.RESOURCE_EXHAUSTED;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Every RPC of CSI 1.12 and 1.13, with its name in the CSI specification and everything that csi4j knows about it. */
public enum Rpc {
    /** Returns the plugin's name and version (R37). */
    GET_PLUGIN_INFO(IDENTITY, "GetPluginInfo", row(WATCHED, ofSeconds(10))),
    /** Returns which services and general capabilities the plugin has (R38). */
    GET_PLUGIN_CAPABILITIES(IDENTITY, "GetPluginCapabilities", row(WATCHED, ofSeconds(10))),
    /** Checks that the plugin runs and is ready (R39-R41). */
    PROBE(IDENTITY, "Probe", row(WATCHED, ofSeconds(5))),
    /** Creates a volume. Another call with the same name returns the same volume (R51-R58). */
    CREATE_VOLUME(
            CONTROLLER,
            "CreateVolume",
            row(NAMED, ofMinutes(5))
                    .secrets()
                    .about(Subject.VOLUME_NAME)
                    .codes("R58", INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, RESOURCE_EXHAUSTED, OUT_OF_RANGE)),
    /** Deletes a volume (R59, R60). */
    DELETE_VOLUME(
            CONTROLLER,
            "DeleteVolume",
            row(CHANGE, ofMinutes(5)).secrets().about(Subject.VOLUME).endsUse().codes("R60", FAILED_PRECONDITION)),
    /** Makes a volume available on a node (R61-R64). */
    CONTROLLER_PUBLISH_VOLUME(
            CONTROLLER,
            "ControllerPublishVolume",
            row(CHANGE, ofMinutes(2))
                    .secrets()
                    .about(Subject.VOLUME)
                    .location("node_id")
                    .undoneBy("ControllerUnpublishVolume")
                    .codes("R64", NOT_FOUND, ALREADY_EXISTS, RESOURCE_EXHAUSTED, FAILED_PRECONDITION)),
    /** Ends the availability of a volume on a node (R65-R68). */
    CONTROLLER_UNPUBLISH_VOLUME(
            CONTROLLER,
            "ControllerUnpublishVolume",
            row(CHANGE, ofMinutes(2))
                    .secrets()
                    .about(Subject.VOLUME)
                    .location("node_id")
                    .undoneBy("ControllerPublishVolume")
                    .endsUse()
                    .codes("R68", NOT_FOUND)),
    /** Checks which capabilities a volume supports (R69). */
    VALIDATE_VOLUME_CAPABILITIES(
            CONTROLLER,
            "ValidateVolumeCapabilities",
            row(READ, ofMinutes(1)).secrets().about(Subject.VOLUME).codes("R69", NOT_FOUND)),
    /** Lists volumes in pages (R70-R72). */
    LIST_VOLUMES(CONTROLLER, "ListVolumes", row(LISTING, ofMinutes(1)).codes("R72", ABORTED)),
    /** Returns the free capacity for new volumes (R75). */
    GET_CAPACITY(CONTROLLER, "GetCapacity", row(READ, ofMinutes(1))),
    /** Returns the capabilities of the controller (R42). */
    CONTROLLER_GET_CAPABILITIES(CONTROLLER, "ControllerGetCapabilities", row(WATCHED, ofSeconds(10))),
    /** Creates a snapshot. Another call with the same name returns the same snapshot (R76-R79). */
    CREATE_SNAPSHOT(
            CONTROLLER,
            "CreateSnapshot",
            row(NAMED, ofMinutes(5))
                    .secrets()
                    .about(Subject.SNAPSHOT_NAME)
                    .codes("R79", ALREADY_EXISTS, RESOURCE_EXHAUSTED)),
    /** Deletes a snapshot (R80). */
    DELETE_SNAPSHOT(
            CONTROLLER,
            "DeleteSnapshot",
            row(CHANGE, ofMinutes(5))
                    .secrets()
                    .about(Subject.SNAPSHOT)
                    .codes("R80", INVALID_ARGUMENT, FAILED_PRECONDITION)),
    /** Lists snapshots in pages (R81). */
    LIST_SNAPSHOTS(
            CONTROLLER,
            "ListSnapshots",
            row(LISTING, ofMinutes(1))
                    .secrets()
                    .subjectFields("snapshot_id", "source_volume_id")
                    .codes("R81", ABORTED)),
    /** Returns one snapshot; alpha (R81). */
    GET_SNAPSHOT(
            CONTROLLER,
            "GetSnapshot",
            row(READ, ofMinutes(1)).secrets().about(Subject.SNAPSHOT).codes("R81", NOT_FOUND)),
    /** Expands the volume at the storage provider (R82-R84). */
    CONTROLLER_EXPAND_VOLUME(
            CONTROLLER,
            "ControllerExpandVolume",
            row(CHANGE, ofMinutes(5))
                    .secrets()
                    .about(Subject.VOLUME)
                    .codes("R84", INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION, OUT_OF_RANGE)),
    /** Returns one volume with its published nodes and its condition; alpha (R73). */
    CONTROLLER_GET_VOLUME(
            CONTROLLER,
            "ControllerGetVolume",
            row(READ, ofMinutes(1)).about(Subject.VOLUME).codes("R73", NOT_FOUND)),
    /** Changes mutable parameters of a volume (R74). */
    CONTROLLER_MODIFY_VOLUME(
            CONTROLLER,
            "ControllerModifyVolume",
            row(CHANGE, ofMinutes(5)).secrets().about(Subject.VOLUME).codes("R74", INVALID_ARGUMENT, NOT_FOUND)),
    /** Lists abnormal volumes in pages; alpha, since CSI 1.13 (R104). */
    CONTROLLER_LIST_VOLUME_HEALTH(
            CONTROLLER,
            "ControllerListVolumeHealth",
            row(LISTING, ofMinutes(1)).secrets().codes("R72", ABORTED)),
    /** Returns the health of one volume; alpha, since CSI 1.13 (R104). */
    CONTROLLER_GET_VOLUME_HEALTH(
            CONTROLLER,
            "ControllerGetVolumeHealth",
            row(READ, ofSeconds(30)).secrets().about(Subject.VOLUME)),
    /** Returns the capabilities of the group controller (R42). */
    GROUP_CONTROLLER_GET_CAPABILITIES(GROUP_CONTROLLER, "GroupControllerGetCapabilities", row(WATCHED, ofSeconds(10))),
    /** Creates snapshots of several volumes at the same time (R97-R99). */
    CREATE_VOLUME_GROUP_SNAPSHOT(
            GROUP_CONTROLLER,
            "CreateVolumeGroupSnapshot",
            row(NAMED, ofMinutes(5))
                    .secrets()
                    .about(Subject.GROUP_SNAPSHOT_NAME)
                    .codes("R99", ALREADY_EXISTS, RESOURCE_EXHAUSTED, FAILED_PRECONDITION)),
    /** Deletes a group snapshot with all its members (R100). */
    DELETE_VOLUME_GROUP_SNAPSHOT(
            GROUP_CONTROLLER,
            "DeleteVolumeGroupSnapshot",
            row(CHANGE, ofMinutes(5))
                    .secrets()
                    .about(Subject.GROUP_SNAPSHOT)
                    .codes("R100", INVALID_ARGUMENT, FAILED_PRECONDITION)),
    /** Returns one group snapshot (R100). */
    GET_VOLUME_GROUP_SNAPSHOT(
            GROUP_CONTROLLER,
            "GetVolumeGroupSnapshot",
            row(READ, ofMinutes(1)).secrets().about(Subject.GROUP_SNAPSHOT).codes("R100", INVALID_ARGUMENT, NOT_FOUND)),
    /** Streams the allocated blocks of a snapshot (R101-R103). */
    GET_METADATA_ALLOCATED(
            SNAPSHOT_METADATA,
            "GetMetadataAllocated",
            row(STREAM, ofMinutes(1))
                    .secrets()
                    .subjectFields("snapshot_id")
                    .codes("R103", INVALID_ARGUMENT, NOT_FOUND, OUT_OF_RANGE)),
    /** Streams the blocks that differ between two snapshots (R101-R103). */
    GET_METADATA_DELTA(
            SNAPSHOT_METADATA,
            "GetMetadataDelta",
            row(STREAM, ofMinutes(1))
                    .secrets()
                    .subjectFields("target_snapshot_id")
                    .codes("R103", INVALID_ARGUMENT, NOT_FOUND, OUT_OF_RANGE, FAILED_PRECONDITION)),
    /** Prepares a volume on a node once, before it is mounted there for any allocation (R85, R86). */
    NODE_STAGE_VOLUME(
            NODE,
            "NodeStageVolume",
            row(CHANGE, ofMinutes(5))
                    .secrets()
                    .about(Subject.VOLUME)
                    .location("staging_target_path")
                    .undoneBy("NodeUnstageVolume")
                    .codes("R86", NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION)),
    /** Undoes NodeStageVolume (R87). */
    NODE_UNSTAGE_VOLUME(
            NODE,
            "NodeUnstageVolume",
            row(CHANGE, ofMinutes(2))
                    .about(Subject.VOLUME)
                    .location("staging_target_path")
                    .undoneBy("NodeStageVolume")
                    .endsUse()
                    .codes("R87", NOT_FOUND)),
    /** Mounts a volume at one path on the node for one workload (R88-R90). */
    NODE_PUBLISH_VOLUME(
            NODE,
            "NodePublishVolume",
            row(CHANGE, ofMinutes(2))
                    .secrets()
                    .about(Subject.VOLUME)
                    .location("target_path")
                    .undoneBy("NodeUnpublishVolume")
                    .codes("R90", NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION)),
    /** Undoes NodePublishVolume (R91). */
    NODE_UNPUBLISH_VOLUME(
            NODE,
            "NodeUnpublishVolume",
            row(CHANGE, ofMinutes(2))
                    .about(Subject.VOLUME)
                    .location("target_path")
                    .undoneBy("NodePublishVolume")
                    .endsUse()
                    .codes("R91", NOT_FOUND)),
    /** Returns the usage of a volume at a path (R92). */
    NODE_GET_VOLUME_STATS(
            NODE,
            "NodeGetVolumeStats",
            row(READ, ofSeconds(30)).about(Subject.VOLUME).codes("R92", NOT_FOUND)),
    /** Expands the file system or device on the node (R94, R95). */
    NODE_EXPAND_VOLUME(
            NODE,
            "NodeExpandVolume",
            row(CHANGE, ofMinutes(5))
                    .secrets()
                    .about(Subject.VOLUME)
                    .codes("R95", INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION, OUT_OF_RANGE)),
    /** Returns the capabilities of the node service (R42). */
    NODE_GET_CAPABILITIES(NODE, "NodeGetCapabilities", row(WATCHED, ofSeconds(10))),
    /** Returns the storage provider's id of the node, the volume limit of the node and its topology (R93). */
    NODE_GET_INFO(NODE, "NodeGetInfo", row(WATCHED, ofSeconds(10))),
    /** Returns the health of one volume on this node; alpha, since CSI 1.13 (R104). */
    NODE_GET_VOLUME_HEALTH(NODE, "NodeGetVolumeHealth", row(READ, ofSeconds(30)).about(Subject.VOLUME)),
    /** Returns the health of the storage backends as the node sees them; alpha, since CSI 1.13 (R104). */
    NODE_GET_STORAGE_HEALTH(
            NODE, "NodeGetStorageHealth", row(READ, ofSeconds(30)).secrets());

    /** The kind of object that a call is about. Objects of different kinds may have the same id. */
    public enum Subject {
        VOLUME("volume_id"),
        VOLUME_NAME("name"),
        SNAPSHOT("snapshot_id"),
        SNAPSHOT_NAME("name"),
        GROUP_SNAPSHOT("group_snapshot_id"),
        GROUP_SNAPSHOT_NAME("name");

        private final String field;

        Subject(String field) {
            this.field = field;
        }

        String field() {
            return field;
        }
    }

    private static final Map<String, Rpc> BY_CSI_NAME =
            Stream.of(values()).collect(Collectors.toUnmodifiableMap(Rpc::csiName, Function.identity()));

    private final RpcService service;
    private final String csiName;

    @SuppressWarnings("ImmutableEnumChecker") // A row is complete when the constructor gets it.
    private final RpcRow row;

    Rpc(RpcService service, String csiName, RpcRow row) {
        this.service = service;
        this.csiName = csiName;
        this.row = row;
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

    /** Returns whether calls are retried, and which calls wait for each other. */
    public RetryPolicy retryPolicy() {
        return row.policy;
    }

    /**
     * Returns the time that a client waits for a response by default; for a stream, the time without a message.
     */
    public Duration defaultDeadline() {
        return row.deadline;
    }

    /**
     * Returns whether the call may change something at the plugin. An unknown outcome of such a call has to be resolved
     * by the same call or its opposite (R27, R30); a call that only reads may simply be made again.
     */
    public boolean changesState() {
        return row.policy == NAMED || row.policy == CHANGE;
    }

    /**
     * Returns whether the response is a page of a list. If the plugin responds ABORTED to such a call with a token, the
     * token has expired (R72); for other RPCs, ABORTED means that another operation is pending.
     */
    public boolean paged() {
        return row.policy == LISTING;
    }

    /**
     * Returns the RPC that undoes this one. Only a call of that RPC can cancel a call with an unknown outcome (R30).
     * CreateVolume has no opposite, because DeleteVolume needs the id from the response of CreateVolume.
     */
    public Optional<Rpc> opposite() {
        return ofCsiName(row.opposite);
    }

    /**
     * Returns whether the call ends a use of the volume, or the volume itself. Such a call may follow an expansion or
     * modification with an unknown outcome, which no RPC undoes.
     */
    public boolean endsUse() {
        return row.endsUse;
    }

    /** Returns whether the request has a field for secrets (R36). */
    public boolean takesSecrets() {
        return row.secrets;
    }

    /** Returns the kind of object whose calls wait for each other (R26); empty if the calls wait for no others. */
    public Optional<Subject> subject() {
        return Optional.ofNullable(row.subject);
    }

    /**
     * Returns the fields of the request that name the object of the call, in the spelling of the CSI specification; the
     * first one that is not empty counts. Empty if the call is not about one object.
     */
    public List<String> subjectFields() {
        return row.subjectFields;
    }

    /**
     * Returns the field of the request that has the node id or the path to which a call of the {@linkplain #opposite
     * opposite} RPC has to be made, in the spelling of the CSI specification; empty if there is none.
     */
    public Optional<String> locationField() {
        return row.location.isEmpty() ? Optional.empty() : Optional.of(row.location);
    }

    /**
     * Returns the number of the CSI rule that gives the status code a special meaning for this RPC (R34), for example
     * {@code R64}; empty if the code has its generic meaning only.
     */
    String specifies(StatusCode code) {
        return row.codes.contains(code) ? row.rule : "";
    }
}
