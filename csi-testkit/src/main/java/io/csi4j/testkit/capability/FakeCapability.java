package io.csi4j.testkit.capability;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The capabilities of CSI 1.12 and 1.13 that the fake plugin can offer (R42).
 *
 * <p>Some capabilities require others: a plugin without LIST_VOLUMES cannot offer LIST_VOLUMES_PUBLISHED_NODES. {@link
 * #without} also removes the capabilities that require the removed one; {@link #contradictions} describes which
 * capabilities of a set contradict each other.
 */
public enum FakeCapability {
    /** The plugin has a controller service. */
    CONTROLLER_SERVICE(Service.PLUGIN, 1),
    /** A volume may be accessible from some nodes only. */
    VOLUME_ACCESSIBILITY_CONSTRAINTS(Service.PLUGIN, 2),
    /** The plugin has a group controller service. */
    GROUP_CONTROLLER_SERVICE(Service.PLUGIN, 3),
    /** The plugin has the snapshot metadata service (alpha). */
    SNAPSHOT_METADATA_SERVICE(Service.PLUGIN, 4),
    /** A snapshot may be accessible in some topologies only (CSI 1.13, alpha). */
    SNAPSHOT_ACCESSIBILITY_CONSTRAINTS(Service.PLUGIN, 5),
    /** Volumes can be expanded while they are in use. */
    ONLINE_EXPANSION(Service.EXPANSION, 1),
    /** Volumes can be expanded only while they are not in use. */
    OFFLINE_EXPANSION(Service.EXPANSION, 2),

    /** The plugin supports CreateVolume and DeleteVolume. */
    CREATE_DELETE_VOLUME(Service.CONTROLLER, 1),
    /** The plugin supports ControllerPublishVolume and ControllerUnpublishVolume. */
    PUBLISH_UNPUBLISH_VOLUME(Service.CONTROLLER, 2),
    /** The plugin supports ListVolumes. */
    LIST_VOLUMES(Service.CONTROLLER, 3),
    /** The plugin supports GetCapacity. */
    GET_CAPACITY(Service.CONTROLLER, 4),
    /** The plugin supports CreateSnapshot and DeleteSnapshot, and can create a volume from a snapshot. */
    CREATE_DELETE_SNAPSHOT(Service.CONTROLLER, 5),
    /** The plugin supports ListSnapshots. */
    LIST_SNAPSHOTS(Service.CONTROLLER, 6),
    /** A volume can be created from another volume. */
    CLONE_VOLUME(Service.CONTROLLER, 7),
    /** The plugin supports the readonly field of ControllerPublishVolume. */
    PUBLISH_READONLY(Service.CONTROLLER, 8),
    /** The plugin supports ControllerExpandVolume. */
    CONTROLLER_EXPAND_VOLUME(Service.CONTROLLER, 9),
    /** ListVolumes also returns the nodes to which each volume is published. */
    LIST_VOLUMES_PUBLISHED_NODES(Service.CONTROLLER, 10),
    /** The controller reports the condition of a volume (CSI 1.12 and older, alpha). */
    CONTROLLER_VOLUME_CONDITION(Service.CONTROLLER, 11),
    /** The plugin supports ControllerGetVolume (alpha). */
    GET_VOLUME(Service.CONTROLLER, 12),
    /** The controller supports the access modes SINGLE_NODE_SINGLE_WRITER and SINGLE_NODE_MULTI_WRITER (alpha). */
    CONTROLLER_SINGLE_NODE_MULTI_WRITER(Service.CONTROLLER, 13),
    /** The plugin supports ControllerModifyVolume, and mutable_parameters in CreateVolume. */
    MODIFY_VOLUME(Service.CONTROLLER, 14),
    /** The plugin supports GetSnapshot (alpha). */
    GET_SNAPSHOT(Service.CONTROLLER, 15),
    /** The plugin supports ControllerGetVolumeHealth (CSI 1.13, alpha). */
    CONTROLLER_GET_VOLUME_HEALTH(Service.CONTROLLER, 16),
    /** The plugin supports ControllerListVolumeHealth (CSI 1.13, alpha). */
    LIST_VOLUME_HEALTH(Service.CONTROLLER, 17),

    /** The plugin supports NodeStageVolume and NodeUnstageVolume. */
    STAGE_UNSTAGE_VOLUME(Service.NODE, 1),
    /** The plugin supports NodeGetVolumeStats. */
    GET_VOLUME_STATS(Service.NODE, 2),
    /** The plugin supports NodeExpandVolume. */
    NODE_EXPAND_VOLUME(Service.NODE, 3),
    /** The node reports the condition of a volume (CSI 1.12 and older, alpha). */
    NODE_VOLUME_CONDITION(Service.NODE, 4),
    /** The node supports the access modes SINGLE_NODE_SINGLE_WRITER and SINGLE_NODE_MULTI_WRITER (alpha). */
    NODE_SINGLE_NODE_MULTI_WRITER(Service.NODE, 5),
    /** The plugin supports the volume_mount_group of a mount. */
    VOLUME_MOUNT_GROUP(Service.NODE, 6),
    /** The plugin supports NodeGetVolumeHealth (CSI 1.13, alpha). */
    NODE_GET_VOLUME_HEALTH(Service.NODE, 7),
    /** The plugin supports NodeGetStorageHealth (CSI 1.13, alpha). */
    GET_STORAGE_HEALTH(Service.NODE, 8),

    /** The plugin supports the calls that create, delete and get group snapshots. */
    CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT(Service.GROUP, 1);

    /** The capability lists of CSI; each capability is in one of them. */
    public enum Service {
        /** The services of the plugin and its accessibility constraints, as GetPluginCapabilities returns them. */
        PLUGIN,
        /** The ways to expand volumes, as GetPluginCapabilities returns them. */
        EXPANSION,
        /** The capabilities that ControllerGetCapabilities returns. */
        CONTROLLER,
        /** The capabilities that NodeGetCapabilities returns. */
        NODE,
        /** The capabilities that GroupControllerGetCapabilities returns. */
        GROUP
    }

    private final Service service;
    private final int number;

    FakeCapability(Service service, int number) {
        this.service = service;
        this.number = number;
    }

    /**
     * Returns the capability list of CSI that contains this capability.
     *
     * @return the list
     */
    public Service service() {
        return service;
    }

    /**
     * Returns the number of this capability in CSI's messages.
     *
     * @return one or more, unique within its list
     */
    public int number() {
        return number;
    }

    /**
     * Returns the capabilities that a plugin must also have if it has this one (R42).
     *
     * @return a new set; empty for most capabilities
     */
    public Set<FakeCapability> requires() {
        return switch (this) {
            case LIST_VOLUMES_PUBLISHED_NODES -> EnumSet.of(CONTROLLER_SERVICE, PUBLISH_UNPUBLISH_VOLUME, LIST_VOLUMES);
            case PUBLISH_READONLY -> EnumSet.of(CONTROLLER_SERVICE, PUBLISH_UNPUBLISH_VOLUME);
            case LIST_VOLUME_HEALTH -> EnumSet.of(CONTROLLER_SERVICE, CONTROLLER_GET_VOLUME_HEALTH);
            case OFFLINE_EXPANSION -> EnumSet.of(CONTROLLER_EXPAND_VOLUME);
            case SNAPSHOT_METADATA_SERVICE -> EnumSet.of(CREATE_DELETE_SNAPSHOT);
            case SNAPSHOT_ACCESSIBILITY_CONSTRAINTS ->
                EnumSet.of(CREATE_DELETE_SNAPSHOT, VOLUME_ACCESSIBILITY_CONSTRAINTS);
            case GROUP_CONTROLLER_SERVICE -> EnumSet.of(CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT);
            case CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT -> EnumSet.of(GROUP_CONTROLLER_SERVICE);
            default ->
                service == Service.CONTROLLER ? EnumSet.of(CONTROLLER_SERVICE) : EnumSet.noneOf(FakeCapability.class);
        };
    }

    /**
     * Returns the capabilities that a plugin has by default: all that CSI 1.12 and 1.13 have in common, except
     * GET_SNAPSHOT and SNAPSHOT_METADATA_SERVICE, because the released public conformance suites do not know these two
     * and fail.
     */
    public static Set<FakeCapability> defaults() {
        EnumSet<FakeCapability> set = EnumSet.allOf(FakeCapability.class);
        set.removeAll(EnumSet.of(
                SNAPSHOT_METADATA_SERVICE,
                SNAPSHOT_ACCESSIBILITY_CONSTRAINTS,
                OFFLINE_EXPANSION,
                CONTROLLER_VOLUME_CONDITION,
                NODE_VOLUME_CONDITION,
                GET_SNAPSHOT,
                CONTROLLER_GET_VOLUME_HEALTH,
                LIST_VOLUME_HEALTH,
                NODE_GET_VOLUME_HEALTH,
                GET_STORAGE_HEALTH));
        return set;
    }

    /** Returns all capabilities of CSI 1.12; volumes can be expanded while they are in use. */
    public static Set<FakeCapability> csi112() {
        Set<FakeCapability> set = defaults();
        Collections.addAll(
                set, SNAPSHOT_METADATA_SERVICE, GET_SNAPSHOT, CONTROLLER_VOLUME_CONDITION, NODE_VOLUME_CONDITION);
        return set;
    }

    /** Returns all capabilities of CSI 1.13; volumes can be expanded while they are in use. */
    public static Set<FakeCapability> csi113() {
        Set<FakeCapability> set = defaults();
        Collections.addAll(
                set,
                SNAPSHOT_METADATA_SERVICE,
                SNAPSHOT_ACCESSIBILITY_CONSTRAINTS,
                GET_SNAPSHOT,
                CONTROLLER_GET_VOLUME_HEALTH,
                LIST_VOLUME_HEALTH,
                NODE_GET_VOLUME_HEALTH,
                GET_STORAGE_HEALTH);
        return set;
    }

    /** Returns the capabilities that a plugin for inline volumes can have. All others need a controller, staging, or a volume before its publication. */
    public static Set<FakeCapability> inline() {
        return EnumSet.of(
                VOLUME_ACCESSIBILITY_CONSTRAINTS,
                NODE_SINGLE_NODE_MULTI_WRITER,
                VOLUME_MOUNT_GROUP,
                GET_STORAGE_HEALTH);
    }

    /**
     * Returns a set of capabilities without one of them and without those that require it.
     *
     * @param offered the original set
     * @param gone the capability to remove
     */
    public static Set<FakeCapability> without(Set<FakeCapability> offered, FakeCapability gone) {
        EnumSet<FakeCapability> left = EnumSet.noneOf(FakeCapability.class);
        left.addAll(offered);
        left.remove(gone);
        boolean changed = true;
        while (changed) {
            changed = left.removeIf(capability -> !left.containsAll(capability.requires()));
            changed |= !left.contains(CONTROLLER_SINGLE_NODE_MULTI_WRITER)
                    && offered.contains(CONTROLLER_SINGLE_NODE_MULTI_WRITER)
                    && left.remove(NODE_SINGLE_NODE_MULTI_WRITER);
            changed |= !left.contains(CONTROLLER_EXPAND_VOLUME)
                    && !left.contains(NODE_EXPAND_VOLUME)
                    && left.remove(ONLINE_EXPANSION);
        }
        return left;
    }

    /**
     * Finds capabilities that contradict each other, and capabilities that require another one which is not in the set.
     *
     * @return a sentence for each problem, which names both capabilities; empty if there is no problem
     */
    public static List<String> contradictions(Set<FakeCapability> offered) {
        List<String> found = new ArrayList<>();
        for (FakeCapability capability : offered) {
            for (FakeCapability needed : capability.requires()) {
                if (!offered.contains(needed)) {
                    found.add(capability + " needs " + needed + ": enable the second or disable the first");
                }
            }
        }
        if (offered.contains(ONLINE_EXPANSION) && offered.contains(OFFLINE_EXPANSION)) {
            found.add("ONLINE_EXPANSION and OFFLINE_EXPANSION exclude each other: disable one of them");
        }
        if (offered.contains(ONLINE_EXPANSION)
                && !offered.contains(CONTROLLER_EXPAND_VOLUME)
                && !offered.contains(NODE_EXPAND_VOLUME)) {
            found.add("ONLINE_EXPANSION needs CONTROLLER_EXPAND_VOLUME or NODE_EXPAND_VOLUME: enable one of them or"
                    + " disable the first");
        }
        if (offered.contains(NODE_SINGLE_NODE_MULTI_WRITER)
                && offered.contains(CONTROLLER_SERVICE)
                && !offered.contains(CONTROLLER_SINGLE_NODE_MULTI_WRITER)) {
            found.add("NODE_SINGLE_NODE_MULTI_WRITER needs CONTROLLER_SINGLE_NODE_MULTI_WRITER where there is a"
                    + " controller service: enable the second or disable the first");
        }
        return found;
    }
}
