package io.csi4j.core.call;

import static io.csi4j.core.call.StatusCode.ABORTED;
import static io.csi4j.core.call.StatusCode.ALREADY_EXISTS;
import static io.csi4j.core.call.StatusCode.FAILED_PRECONDITION;
import static io.csi4j.core.call.StatusCode.INVALID_ARGUMENT;
import static io.csi4j.core.call.StatusCode.NOT_FOUND;
import static io.csi4j.core.call.StatusCode.OUT_OF_RANGE;
import static io.csi4j.core.call.StatusCode.RESOURCE_EXHAUSTED;

import java.util.EnumSet;
import java.util.Set;

/**
 * The status codes to which CSI gives a special meaning for one RPC (R34), each with the number of the rule that says
 * so.
 */
final class SpecifiedCodes {
    private SpecifiedCodes() {}

    /** Returns the number of the rule, for example {@code R64}; empty if the code has only its generic meaning. */
    static String source(Rpc rpc, StatusCode code) {
        return codes(rpc).contains(code) ? rule(rpc) : "";
    }

    private static String rule(Rpc rpc) {
        return switch (rpc) {
            case CREATE_VOLUME -> "R58";
            case DELETE_VOLUME -> "R60";
            case CONTROLLER_PUBLISH_VOLUME -> "R64";
            case CONTROLLER_UNPUBLISH_VOLUME -> "R68";
            case VALIDATE_VOLUME_CAPABILITIES -> "R69";
            case LIST_VOLUMES, CONTROLLER_LIST_VOLUME_HEALTH -> "R72";
            case CONTROLLER_GET_VOLUME -> "R73";
            case CONTROLLER_MODIFY_VOLUME -> "R74";
            case CREATE_SNAPSHOT -> "R79";
            case DELETE_SNAPSHOT -> "R80";
            case LIST_SNAPSHOTS, GET_SNAPSHOT -> "R81";
            case CONTROLLER_EXPAND_VOLUME -> "R84";
            case NODE_STAGE_VOLUME -> "R86";
            case NODE_UNSTAGE_VOLUME -> "R87";
            case NODE_PUBLISH_VOLUME -> "R90";
            case NODE_UNPUBLISH_VOLUME -> "R91";
            case NODE_GET_VOLUME_STATS -> "R92";
            case NODE_EXPAND_VOLUME -> "R95";
            case CREATE_VOLUME_GROUP_SNAPSHOT -> "R99";
            case DELETE_VOLUME_GROUP_SNAPSHOT, GET_VOLUME_GROUP_SNAPSHOT -> "R100";
            case GET_METADATA_ALLOCATED, GET_METADATA_DELTA -> "R103";
            default -> "";
        };
    }

    private static Set<StatusCode> codes(Rpc rpc) {
        return switch (rpc) {
            case CREATE_VOLUME ->
                EnumSet.of(INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, RESOURCE_EXHAUSTED, OUT_OF_RANGE);
            case DELETE_VOLUME -> EnumSet.of(FAILED_PRECONDITION);
            case CONTROLLER_PUBLISH_VOLUME ->
                EnumSet.of(NOT_FOUND, ALREADY_EXISTS, RESOURCE_EXHAUSTED, FAILED_PRECONDITION);
            case CONTROLLER_UNPUBLISH_VOLUME,
                    VALIDATE_VOLUME_CAPABILITIES,
                    CONTROLLER_GET_VOLUME,
                    GET_SNAPSHOT,
                    NODE_UNSTAGE_VOLUME,
                    NODE_UNPUBLISH_VOLUME,
                    NODE_GET_VOLUME_STATS -> EnumSet.of(NOT_FOUND);
            case LIST_VOLUMES, LIST_SNAPSHOTS, CONTROLLER_LIST_VOLUME_HEALTH -> EnumSet.of(ABORTED);
            case CONTROLLER_MODIFY_VOLUME -> EnumSet.of(INVALID_ARGUMENT, NOT_FOUND);
            case CREATE_SNAPSHOT -> EnumSet.of(ALREADY_EXISTS, RESOURCE_EXHAUSTED);
            case DELETE_SNAPSHOT, DELETE_VOLUME_GROUP_SNAPSHOT -> EnumSet.of(INVALID_ARGUMENT, FAILED_PRECONDITION);
            case CONTROLLER_EXPAND_VOLUME, NODE_EXPAND_VOLUME ->
                EnumSet.of(INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION, OUT_OF_RANGE);
            case NODE_STAGE_VOLUME, NODE_PUBLISH_VOLUME -> EnumSet.of(NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION);
            case CREATE_VOLUME_GROUP_SNAPSHOT -> EnumSet.of(ALREADY_EXISTS, RESOURCE_EXHAUSTED, FAILED_PRECONDITION);
            case GET_VOLUME_GROUP_SNAPSHOT -> EnumSet.of(INVALID_ARGUMENT, NOT_FOUND);
            case GET_METADATA_ALLOCATED -> EnumSet.of(INVALID_ARGUMENT, NOT_FOUND, OUT_OF_RANGE);
            case GET_METADATA_DELTA -> EnumSet.of(INVALID_ARGUMENT, NOT_FOUND, OUT_OF_RANGE, FAILED_PRECONDITION);
            default -> EnumSet.noneOf(StatusCode.class);
        };
    }
}
