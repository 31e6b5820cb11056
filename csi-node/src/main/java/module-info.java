import org.jspecify.annotations.NullMarked;

/** Mounts the volumes of one machine, and records what it has mounted. */
@NullMarked
@SuppressWarnings("module") // The modules of the qualified exports are compiled after this one.
module io.csi4j.node {
    requires static transitive org.jspecify;
    requires transitive io.csi4j.client;
    requires transitive io.csi4j.core;
    requires io.csi4j.proto;
    requires io.csi4j.values;
    requires com.google.protobuf;
    requires com.sun.jna;

    exports io.csi4j.node;
    exports io.csi4j.node.transport;
    exports io.csi4j.node.internal.codec to
            io.csi4j.agent;

    opens io.csi4j.node.internal.ownership to
            com.sun.jna;
}
