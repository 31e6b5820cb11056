package io.csi4j.core.rpc;

/**
 * The volume is gone (CSI {@code DeleteVolume}).
 */
public final class DeleteVolumeResponse extends CsiMessage {
    private static final DeleteVolumeResponse INSTANCE = new DeleteVolumeResponse();

    private DeleteVolumeResponse() {}

    /**
     * The only value: CSI gives this message no fields.
     *
     * @return the value
     */
    public static DeleteVolumeResponse of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
