package io.csi4j.core.csi;

/** What is wrong with a storage backend (R104, CSI 1.13). */
public enum StorageHealthStatus implements WireEnum {
    /** A number this version does not know; to be ignored (R104). */
    UNKNOWN(0),
    /** Works, not as well as it should. */
    STORAGE_DEGRADED(1),
    /** Cannot be reached from the node. */
    STORAGE_UNREACHABLE(2);

    private final int number;

    StorageHealthStatus(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }
}
