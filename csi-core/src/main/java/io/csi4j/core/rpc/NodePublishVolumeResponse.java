package io.csi4j.core.rpc;

/**
 * The volume is visible at the path (CSI {@code NodePublishVolume}).
 */
public final class NodePublishVolumeResponse extends CsiMessage {
    private static final NodePublishVolumeResponse INSTANCE = new NodePublishVolumeResponse();

    private NodePublishVolumeResponse() {}

    /**
     * The only value: CSI gives this message no fields.
     *
     * @return the value
     */
    public static NodePublishVolumeResponse of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
