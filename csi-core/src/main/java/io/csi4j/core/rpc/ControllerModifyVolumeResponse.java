package io.csi4j.core.rpc;

/**
 * The parameters are changed (CSI {@code ControllerModifyVolume}).
 */
public final class ControllerModifyVolumeResponse extends CsiMessage {
    private static final ControllerModifyVolumeResponse INSTANCE = new ControllerModifyVolumeResponse();

    private ControllerModifyVolumeResponse() {}

    /**
     * The only value: CSI gives this message no fields.
     *
     * @return the value
     */
    public static ControllerModifyVolumeResponse of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
