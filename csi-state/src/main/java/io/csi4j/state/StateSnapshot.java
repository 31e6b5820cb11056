package io.csi4j.state;

import io.csi4j.core.state.RowType;

/**
 * One immutable version of the state. The root object that the store holds is itself the snapshot, so taking a snapshot is one read of a
 * field.
 */
final class StateSnapshot extends TableReader {
    private final Tables tables;

    StateSnapshot(Tables tables) {
        this.tables = tables;
    }

    @Override
    Tables tables() {
        return tables;
    }

    @Override
    Tables indexed() {
        return tables;
    }

    @Override
    Tables walked() {
        return tables;
    }

    @Override
    public String toString() {
        return "Snapshot[index=" + tables.index + ", volumes=" + tables.volumes.size() + ", nodes="
                + tables.rows(RowType.NODES).size() + ", allocations="
                + tables.rows(RowType.ALLOCATIONS).size() + ", instances="
                + tables.rows(RowType.INSTANCES).size() + "]";
    }
}
