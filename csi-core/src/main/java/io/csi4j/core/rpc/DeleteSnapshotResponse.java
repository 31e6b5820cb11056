package io.csi4j.core.rpc;

/**
 * The snapshot is gone (CSI {@code DeleteSnapshot}).
 */
public final class DeleteSnapshotResponse extends CsiMessage {
    private static final DeleteSnapshotResponse INSTANCE = new DeleteSnapshotResponse();

    private DeleteSnapshotResponse() {}

    /**
     * The only value: CSI gives this message no fields.
     *
     * @return the value
     */
    public static DeleteSnapshotResponse of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
