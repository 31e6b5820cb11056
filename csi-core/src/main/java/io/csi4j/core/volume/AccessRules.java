package io.csi4j.core.volume;

import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.id.NodeId;

/**
 * Who may use a volume at the same time, by access mode: the seven of CSI, by nodes and by writers
 * (R96, I1). Reads of these rules: where the plugin publishes at one path only (R89), there is one claim, since a
 * second one could never be mounted; MULTI_NODE_SINGLE_WRITER is one node that writes, with any number of writers on
 * it.
 */
public final class AccessRules {
    private AccessRules() {}

    /** What another claim meets. */
    public enum Verdict {
        /** It may join. */
        FREE,
        /** The mode allows one node (to write from), and that is another one. */
        OTHER_NODE,
        /** The mode allows no further claim, or no further writer, anywhere. */
        TAKEN
    }

    /**
     * Whether another claim may join those there are. Claims count until they are removed.
     *
     * @param accessMode how the volume is used
     * @param claims the claims there are
     * @param mode what the other claim does
     * @param nodeId where it is
     * @return FREE if so
     */
    public static Verdict verdict(AccessMode accessMode, Claims claims, ClaimMode mode, NodeId nodeId) {
        boolean writes = mode == ClaimMode.WRITE;
        if (accessMode == AccessMode.UNKNOWN || (writes && accessMode.readerOnly())) {
            return Verdict.TAKEN;
        }
        Claims here = claims.on(nodeId);
        if (!accessMode.multiNode() && here.size() < claims.size()) {
            return Verdict.OTHER_NODE;
        }
        if (accessMode.onePath()) {
            return claims.isEmpty() ? Verdict.FREE : Verdict.TAKEN;
        }
        boolean otherWrites = accessMode == AccessMode.MULTI_NODE_SINGLE_WRITER && here.writers() < claims.writers();
        return writes && otherWrites ? Verdict.OTHER_NODE : Verdict.FREE;
    }

    /**
     * Whether the claims on a volume agree on how it is used and satisfy its access mode (I1).
     *
     * @param claims all claims on a volume
     * @return true if so
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
