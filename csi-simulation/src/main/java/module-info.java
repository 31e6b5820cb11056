import org.jspecify.annotations.NullMarked;

/** Simulates a cluster with faults, and checks the invariants after each step. */
@NullMarked
module io.csi4j.simulation {
    requires static transitive org.jspecify;
    requires transitive io.csi4j.core;
    requires io.csi4j.node;
    requires transitive io.csi4j.state;
    requires java.logging;

    exports io.csi4j.simulation;
}
