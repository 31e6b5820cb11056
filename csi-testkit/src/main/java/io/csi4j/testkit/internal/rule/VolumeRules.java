package io.csi4j.testkit.internal.rule;

import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import java.util.List;

/** The rules for capabilities and sizes of volumes: R22, R23, R42 and R96. */
public final class VolumeRules {
    private final boolean singleNodeMultiWriter;
    private final boolean mountGroup;

    /**
     * Creates the rules for one service of the plugin.
     *
     * @param singleNodeMultiWriter whether the service has SINGLE_NODE_MULTI_WRITER
     * @param mountGroup whether the plugin has VOLUME_MOUNT_GROUP
     */
    public VolumeRules(boolean singleNodeMultiWriter, boolean mountGroup) {
        this.singleNodeMultiWriter = singleNodeMultiWriter;
        this.mountGroup = mountGroup;
    }

    /**
     * Checks a list of capabilities that must not be empty.
     *
     * @param capabilities the list in the request
     * @param field the name of its field
     * @param problems receives the problems
     */
    public void required(List<VolumeCapability> capabilities, String field, Problems problems) {
        problems.require(!capabilities.isEmpty(), field, "needs at least one element (R22)");
        each(capabilities, field, problems);
    }

    /**
     * Checks a list of capabilities that may be empty.
     *
     * @param capabilities the list in the request
     * @param field the name of its field
     * @param problems receives the problems
     */
    public void each(List<VolumeCapability> capabilities, String field, Problems problems) {
        for (int i = 0; i < capabilities.size(); i++) {
            check(capabilities.get(i), field + "[" + i + "]", problems);
        }
    }

    /**
     * Checks a required capability.
     *
     * @param present whether the field is set
     * @param capability the capability in the request
     * @param field the name of its field
     * @param problems receives the problems
     */
    public void required(boolean present, VolumeCapability capability, String field, Problems problems) {
        if (present) {
            check(capability, field, problems);
        } else {
            problems.add(field, "is required and missing (R22)");
        }
    }

    /**
     * Checks one capability.
     *
     * @param capability the capability in the request
     * @param field the name of its field
     * @param problems receives the problems
     */
    public void check(VolumeCapability capability, String field, Problems problems) {
        problems.require(
                capability.hasBlock() || capability.hasMount(),
                field + ".access_type",
                "is missing; set block or mount (R96)");
        Mode mode = capability.getAccessMode().getMode();
        problems.require(
                mode != Mode.UNKNOWN && mode != Mode.UNRECOGNIZED,
                field + ".access_mode",
                "is missing or not known to this plugin; set one of the modes of R96");
        problems.require(
                singleNodeMultiWriter
                        || (mode != Mode.SINGLE_NODE_SINGLE_WRITER && mode != Mode.SINGLE_NODE_MULTI_WRITER),
                field + ".access_mode",
                mode + " needs SINGLE_NODE_MULTI_WRITER, which is off; use SINGLE_NODE_WRITER (R42)");
        problems.require(
                mountGroup || capability.getMount().getVolumeMountGroup().isEmpty(),
                field + ".mount.volume_mount_group",
                "needs VOLUME_MOUNT_GROUP, which is off; leave it empty (R42)");
    }

    /**
     * Checks a capacity range.
     *
     * @param range the range in the request
     * @param problems receives the problems
     */
    public static void check(CapacityRange range, Problems problems) {
        long required = range.getRequiredBytes();
        long limit = range.getLimitBytes();
        problems.require(required >= 0, "capacity_range.required_bytes", "is negative (R23)");
        problems.require(limit >= 0, "capacity_range.limit_bytes", "is negative (R23)");
        problems.require(
                required != 0 || limit != 0, "capacity_range", "needs required_bytes or limit_bytes, or leave it out");
        problems.require(
                limit <= 0 || required <= limit,
                "capacity_range",
                "required_bytes is greater than limit_bytes; exchange them");
    }
}
