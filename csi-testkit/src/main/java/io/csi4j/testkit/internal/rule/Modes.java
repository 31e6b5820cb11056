package io.csi4j.testkit.internal.rule;

import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import java.util.List;

/** What the access modes mean for each other (R96). */
public final class Modes {
    private Modes() {}

    /**
     * Whether a volume may be on several nodes.
     *
     * @param mode of a use
     * @return whether it is one of the MULTI_NODE modes
     */
    public static boolean multiNode(Mode mode) {
        return mode == Mode.MULTI_NODE_READER_ONLY
                || mode == Mode.MULTI_NODE_SINGLE_WRITER
                || mode == Mode.MULTI_NODE_MULTI_WRITER;
    }

    /**
     * Whether a volume may be at several paths of one node (R89).
     *
     * @param mode of a use
     * @return whether it may
     */
    public static boolean multiPath(Mode mode) {
        return multiNode(mode) || mode == Mode.SINGLE_NODE_MULTI_WRITER;
    }

    /**
     * Whether nobody may write.
     *
     * @param mode of a use
     * @return whether it is one of the READER_ONLY modes
     */
    public static boolean readerOnly(Mode mode) {
        return mode == Mode.SINGLE_NODE_READER_ONLY || mode == Mode.MULTI_NODE_READER_ONLY;
    }

    /**
     * Whether a volume made for some capabilities can be used in the way of another.
     *
     * @param made what the volume was made for; empty means for everything
     * @param wanted how it is to be used
     * @return whether one of the first covers the second
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
            // CSI leaves open how many paths SINGLE_NODE_WRITER means; modes 6 and 7 say it for the same volume.
            case SINGLE_NODE_WRITER, SINGLE_NODE_MULTI_WRITER -> !multiNode(wanted);
            default -> false;
        };
    }
}
