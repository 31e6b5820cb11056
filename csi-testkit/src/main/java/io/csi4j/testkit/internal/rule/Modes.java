package io.csi4j.testkit.internal.rule;

import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import java.util.List;

/** The relations between access modes (R96). */
public final class Modes {
    private Modes() {}

    /** Returns whether the mode allows several nodes. */
    public static boolean multiNode(Mode mode) {
        return mode == Mode.MULTI_NODE_READER_ONLY
                || mode == Mode.MULTI_NODE_SINGLE_WRITER
                || mode == Mode.MULTI_NODE_MULTI_WRITER;
    }

    /** Returns whether the mode allows several target paths on one node (R89). */
    public static boolean multiPath(Mode mode) {
        return multiNode(mode) || mode == Mode.SINGLE_NODE_MULTI_WRITER;
    }

    /** Returns whether the mode refuses writes. */
    public static boolean readerOnly(Mode mode) {
        return mode == Mode.SINGLE_NODE_READER_ONLY || mode == Mode.MULTI_NODE_READER_ONLY;
    }

    /**
     * Returns whether a volume supports a capability.
     *
     * @param made the capabilities that the volume was created with; empty: all
     * @param wanted the requested capability
     */
    public static boolean supports(List<VolumeCapability> made, VolumeCapability wanted) {
        return made.isEmpty()
                || made.stream()
                        .anyMatch(one -> one.hasBlock() == wanted.hasBlock()
                                && covers(
                                        one.getAccessMode().getMode(),
                                        wanted.getAccessMode().getMode()));
    }

    private static boolean covers(Mode made, Mode wanted) {
        if (made == wanted) {
            return true;
        }
        return switch (made) {
            case MULTI_NODE_MULTI_WRITER -> true;
            case MULTI_NODE_SINGLE_WRITER -> wanted != Mode.MULTI_NODE_MULTI_WRITER;
            case MULTI_NODE_READER_ONLY, SINGLE_NODE_SINGLE_WRITER -> wanted == Mode.SINGLE_NODE_READER_ONLY;
            // Supports every mode for a single node. CSI does not say how many target paths SINGLE_NODE_WRITER permits,
            // so a volume of this mode supports both one path and several paths.
            case SINGLE_NODE_WRITER, SINGLE_NODE_MULTI_WRITER -> !multiNode(wanted);
            default -> false;
        };
    }
}
