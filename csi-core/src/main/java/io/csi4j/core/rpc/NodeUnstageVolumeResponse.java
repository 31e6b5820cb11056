package io.csi4j.core.rpc;

/**
 * The volume is not staged any more (CSI {@code NodeUnstageVolume}).
 */
public final class NodeUnstageVolumeResponse extends CsiMessage {
    private static final NodeUnstageVolumeResponse INSTANCE = new NodeUnstageVolumeResponse();

    private NodeUnstageVolumeResponse() {}

    /**
     * The only value: CSI gives this message no fields.
     *
     * @return the value
     */
    public static NodeUnstageVolumeResponse of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
