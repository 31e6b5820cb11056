package io.csi4j.core.csi;

/** The kinds of problems of a storage backend (R104, CSI 1.13). */
public enum StorageHealthStatus implements WireEnum {
    /** A kind of problem that this version of csi4j does not know; csi4j ignores such problems (R104). */
    UNKNOWN(0),
    /** The backend works, but slower or with less redundancy than it should. */
    STORAGE_DEGRADED(1),
    /** The node cannot reach the backend. */
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
