package io.csi4j.core.rpc;

/**
 * The group snapshot is gone (CSI {@code DeleteVolumeGroupSnapshot}).
 */
public final class DeleteVolumeGroupSnapshotResponse extends CsiMessage {
    private static final DeleteVolumeGroupSnapshotResponse INSTANCE = new DeleteVolumeGroupSnapshotResponse();

    private DeleteVolumeGroupSnapshotResponse() {}

    /**
     * The only value: CSI gives this message no fields.
     *
     * @return the value
     */
    public static DeleteVolumeGroupSnapshotResponse of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
