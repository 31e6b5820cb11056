package io.csi4j.core.internal.command;

import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.RequestedCapability;

/**
 * The rules of the seven access modes (R96). Whether several claims may use a volume at the same time depends on the
 * nodes of the claims, and on which of the claims write. The specification leaves two points open. A volume that the
 * plugin publishes at only one path (R89) has only one claim, because a second claim could never be mounted.
 * MULTI_NODE_SINGLE_WRITER permits one node with writers, and any number of writers on that node.
 */
public final class AccessRules {
    private AccessRules() {}

    /** Says whether an access mode permits another claim on a volume. */
    public enum Verdict {
        /** The access mode permits the claim beside the current ones. */
        FREE,
        /**
         * The access mode permits the claim only on the node of another claim: all claims, or all claims that write,
         * have to be on one node.
         */
        OTHER_NODE,
        /** The access mode permits the claim on no node: it permits only one claim, forbids writing, or is UNKNOWN. */
        TAKEN
    }

    /**
     * Decides whether the access mode permits a new claim beside the current ones. A claim that is being released still
     * counts as a current claim.
     *
     * @param accessMode the access mode of the volume
     * @param claims the current claims
     * @param mode whether the new claim reads or writes
     * @param nodeId the node of the new claim
     */
    public static Verdict verdict(VolumeAccessMode accessMode, Claims claims, ClaimMode mode, NodeId nodeId) {
        boolean writes = mode == ClaimMode.WRITE;
        if (accessMode == VolumeAccessMode.UNKNOWN || (writes && accessMode.readerOnly())) {
            return Verdict.TAKEN;
        }
        Claims here = claims.on(nodeId);
        if (!accessMode.multiNode() && here.size() < claims.size()) {
            return Verdict.OTHER_NODE;
        }
        if (accessMode.onePath()) {
            return claims.isEmpty() ? Verdict.FREE : Verdict.TAKEN;
        }
        boolean otherWrites =
                accessMode == VolumeAccessMode.MULTI_NODE_SINGLE_WRITER && here.writers() < claims.writers();
        return writes && otherWrites ? Verdict.OTHER_NODE : Verdict.FREE;
    }

    /**
     * Returns whether all claims on a volume have the same capability and satisfy the access mode of this capability.
     *
     * @param claims all claims on a volume
     */
    public static boolean satisfied(Claims claims) {
        if (claims.isEmpty()) {
            return true;
        }
        RequestedCapability capability = claims.iterator().next().capability();
        for (Claim claim : claims) {
            if (!claim.capability().equals(capability)) {
                return false;
            }
        }
        return switch (capability.accessMode()) {
            case UNKNOWN -> false;
            case SINGLE_NODE_READER_ONLY -> claims.writers() == 0 && claims.size() == 1;
            case MULTI_NODE_READER_ONLY -> claims.writers() == 0;
            case SINGLE_NODE_WRITER, SINGLE_NODE_SINGLE_WRITER -> claims.size() == 1;
            case SINGLE_NODE_MULTI_WRITER -> claims.nodeCount() == 1;
            case MULTI_NODE_SINGLE_WRITER -> claims.writerNodeCount() <= 1;
            case MULTI_NODE_MULTI_WRITER -> true;
        };
    }
}
