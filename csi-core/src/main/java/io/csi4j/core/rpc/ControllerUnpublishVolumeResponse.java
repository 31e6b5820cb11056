package io.csi4j.core.rpc;

/**
 * The volume is not available on the node any more (CSI {@code ControllerUnpublishVolume}, R65).
 */
public final class ControllerUnpublishVolumeResponse extends CsiMessage {
    private static final ControllerUnpublishVolumeResponse INSTANCE = new ControllerUnpublishVolumeResponse();

    private ControllerUnpublishVolumeResponse() {}

    /**
     * The only value: CSI gives this message no fields.
     *
     * @return the value
     */
    public static ControllerUnpublishVolumeResponse of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
