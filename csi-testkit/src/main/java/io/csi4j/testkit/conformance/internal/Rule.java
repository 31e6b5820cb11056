package io.csi4j.testkit.conformance.internal;

import io.csi4j.testkit.conformance.Requirement;

/**
 * The rules of the CSI specification that checks test. Each has its number, its section, and its demand in our own
 * words.
 */
public enum Rule {
    R3(Requirement.SHOULD, "RPC Interface", "A plugin speaks proto3, and so it ignores fields that it does not know."),
    R12("Supervised Lifecycle Management", "A plugin runs permanently."),
    R14("RPC Interface", "Every endpoint of a plugin serves the Identity service."),
    R15("Error Scheme", "A plugin answers UNIMPLEMENTED to an RPC that it does not support, and to nothing else."),
    R16("Size Limits", "A string has at most 128 bytes and a map at most 4 KiB, unless a field says otherwise."),
    R17("NodeGetInfo", "A node id has at most 256 bytes."),
    R19("GetPluginInfo", "A plugin name has at most 63 letters, digits, '-' and '.', alphanumeric at both ends."),
    R20("Size Limits", "A plugin accepts paths of at least 128 bytes."),
    R21("CreateVolume", "A name may have any Unicode characters except control characters."),
    R22(
            "Required vs. Optional",
            "A plugin refuses a call without a required field with INVALID_ARGUMENT, and needs no optional one."),
    R23("Field Requirements", "Sizes and limits are never negative."),
    R24("Topology", "A topology key has an optional lower-case prefix and a name of at most 63 characters each."),
    R26("Concurrency", "A caller has one call in flight for each volume; calls for different volumes come together."),
    R27(
            Requirement.SHOULD,
            "Concurrency",
            "A plugin copes with a second call for a volume while one is in flight, or answers ABORTED."),
    R29("Timeouts", "A repeated call with the same fields continues the earlier work."),
    R30("Cancellation", "A cancelled call or a passed deadline does not undo the work; the opposite call does."),
    R32("Error Scheme", "Details of a status are empty, and its message is for people."),
    R33("Error Scheme", "A call without the secrets that the plugin requires is refused."),
    R35("Secrets Requirements", "A plugin never shows secrets in logs or messages, and accepts one set for all calls."),
    R37("GetPluginInfo", "Name and vendor version are required."),
    R38("GetPluginCapabilities", "All instances of one plugin version return the same plugin capabilities."),
    R39("Probe", "A healthy plugin answers OK; ready is true, absent, or false while it starts."),
    R42("Service Capabilities", "A capability comes with the RPCs and the capabilities that it requires."),
    R43("Volume Lifecycle", "A volume goes through create, publish, stage, publish on the node, and back."),
    R47("NodeUnstageVolume", "A volume is unstaged after it was unpublished from all targets on the node."),
    R49("DeleteVolume", "A volume in use is deleted, or refused with FAILED_PRECONDITION."),
    R51("CreateVolume", "CreateVolume is idempotent by name."),
    R52("CreateVolume", "A volume satisfies each of the listed capabilities, or the call is refused."),
    R53("CreateVolume", "A volume is accessible from a topology that satisfies the requirement."),
    R55("CreateVolume", "The requested size holds, also for a copy; a size that cannot be met is OUT_OF_RANGE."),
    R57("CreateVolume", "A volume id is unique, and the volume context of a volume never changes."),
    R58(
            "CreateVolume Errors",
            "A name that is taken is ALREADY_EXISTS, a missing source NOT_FOUND, a size out of range OUT_OF_RANGE."),
    R59("DeleteVolume", "Deleting a volume that does not exist succeeds."),
    R60("DeleteVolume", "A plugin refuses to delete a volume with dependent snapshots, or keeps the snapshots usable."),
    R61("ControllerPublishVolume", "Publishing a volume to a node is idempotent."),
    R63("ControllerPublishVolume", "The publish context of a published volume does not change."),
    R64(
            "ControllerPublishVolume Errors",
            "A missing volume or node is NOT_FOUND, other arguments ALREADY_EXISTS, another node FAILED_PRECONDITION."),
    R65("ControllerUnpublishVolume", "Unpublishing a volume that is not published succeeds."),
    R66("ControllerUnpublishVolume", "Without a node id the volume is unpublished from all nodes."),
    R69("ValidateVolumeCapabilities", "A plugin confirms only what it supports, all of it or nothing."),
    R70("ListVolumes", "A plugin returns at most max_entries entries, and next_token if there are more."),
    R71("ListVolumes", "Published node ids are the nodes to which the controller has published the volume."),
    R72("ListVolumes Errors", "A starting_token that is not valid is ABORTED."),
    R73("ControllerGetVolume", "An existing volume is returned, an unknown one is NOT_FOUND."),
    R74("ControllerModifyVolume", "Modifying is idempotent; with a parameter that cannot be modified nothing changes."),
    R75("GetCapacity", "Available capacity is zero or more, and so are the sizes of volumes."),
    R76("CreateSnapshot", "CreateSnapshot is idempotent by name, and cuts before it answers."),
    R77("CreateSnapshot", "A snapshot that is not ready becomes ready; the same request returns its state."),
    R79("CreateSnapshot Errors", "A name that is taken by a snapshot of another source is ALREADY_EXISTS."),
    R80("DeleteSnapshot", "Deleting a snapshot that does not exist succeeds; a member of a group is refused."),
    R81(
            "ListSnapshots",
            "Filters and pages are honoured; an unknown id gives an empty list; GetSnapshot is NOT_FOUND."),
    R82("ControllerExpandVolume", "Expanding is idempotent, and never shrinks."),
    R83("ControllerExpandVolume", "The answer has the new size, and says whether the node has to expand."),
    R84(
            "ControllerExpandVolume Errors",
            "A missing volume is NOT_FOUND, one in use FAILED_PRECONDITION, a size out of range OUT_OF_RANGE."),
    R85("NodeStageVolume", "Staging again with the same arguments succeeds."),
    R86(
            "NodeStageVolume Errors",
            "A missing volume is NOT_FOUND, and one that is staged in another way is ALREADY_EXISTS."),
    R87("NodeUnstageVolume", "Unstaging a volume that is not staged succeeds."),
    R88("NodePublishVolume", "The plugin makes the target in the parent that the caller made, and honours readonly."),
    R89("NodePublishVolume", "A second publish on a node is answered as the table in this section shows."),
    R90(
            "NodePublishVolume Errors",
            "A missing volume is NOT_FOUND, other arguments ALREADY_EXISTS, no staging path FAILED_PRECONDITION."),
    R91("NodeUnpublishVolume", "Unpublishing is idempotent, and removes the target."),
    R92("NodeGetVolumeStats", "A published volume has usage numbers; an unknown volume or path is NOT_FOUND."),
    R93("NodeGetInfo", "A node has an id, a limit that is not negative, and a topology if the plugin has one."),
    R94("NodeExpandVolume", "A published or staged volume is expanded; doing so again succeeds."),
    R95("NodeExpandVolume Errors", "Expanding a volume that does not exist is NOT_FOUND."),
    R96("VolumeCapability", "A plugin keeps to the access mode: a reader does not write."),
    R97("CreateVolumeGroupSnapshot", "A group snapshot has one snapshot for each volume, and is idempotent by name."),
    R99("CreateVolumeGroupSnapshot Errors", "A name that is taken by a group of other sources is ALREADY_EXISTS."),
    R100("DeleteVolumeGroupSnapshot", "Delete and get of a group need the complete list of its snapshots."),
    R101("SnapshotMetadata", "Ranges ascend without overlap; style and capacity stay the same within a stream."),
    R102("SnapshotMetadata", "A stream resumes at starting_offset."),
    R103("SnapshotMetadata Errors", "A missing snapshot is NOT_FOUND, and an offset behind the end is OUT_OF_RANGE."),
    R104("Volume Health", "A health entry has a status and a reason; no entry means healthy.");

    private final Requirement requirement;
    private final String section;
    private final String demand;

    Rule(String section, String demand) {
        this(Requirement.MUST, section, demand);
    }

    Rule(Requirement requirement, String section, String demand) {
        this.requirement = requirement;
        this.section = section;
        this.demand = demand;
    }

    /** Returns the word with which the specification demands this rule. */
    public Requirement requirement() {
        return requirement;
    }

    /** Returns the title of the section of the specification. */
    public String section() {
        return section;
    }

    /** Returns the demand as a sentence. */
    public String demand() {
        return demand;
    }
}
