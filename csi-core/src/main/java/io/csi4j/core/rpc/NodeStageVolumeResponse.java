package io.csi4j.core.rpc;

/**
 * The volume is staged (CSI {@code NodeStageVolume}).
 */
public final class NodeStageVolumeResponse extends CsiMessage {
    private static final NodeStageVolumeResponse INSTANCE = new NodeStageVolumeResponse();

    private NodeStageVolumeResponse() {}

    /**
     * The only value: CSI gives this message no fields.
     *
     * @return the value
     */
    public static NodeStageVolumeResponse of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
