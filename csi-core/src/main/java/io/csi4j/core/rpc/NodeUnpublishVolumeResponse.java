package io.csi4j.core.rpc;

/**
 * The volume is not visible at the path any more (CSI {@code NodeUnpublishVolume}).
 */
public final class NodeUnpublishVolumeResponse extends CsiMessage {
    private static final NodeUnpublishVolumeResponse INSTANCE = new NodeUnpublishVolumeResponse();

    private NodeUnpublishVolumeResponse() {}

    /**
     * The only value: CSI gives this message no fields.
     *
     * @return the value
     */
    public static NodeUnpublishVolumeResponse of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
