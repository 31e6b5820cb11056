package io.csi4j.state;

/** One version, for ever. The root that the store publishes is itself the snapshot, so taking one is a read. */
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
                + tables.nodes.size() + ", allocations=" + tables.allocations.size() + ", instances="
                + tables.instances.size() + "]";
    }
}
