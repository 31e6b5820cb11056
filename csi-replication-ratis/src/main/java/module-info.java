import org.jspecify.annotations.NullMarked;

/** A log of commands on one or three servers, by Apache Ratis. */
@NullMarked
module io.csi4j.replication.ratis {
    requires static transitive org.jspecify;
    requires transitive io.csi4j.agent;
    requires io.csi4j.client;
    requires transitive io.csi4j.core;
    requires transitive io.csi4j.state;
    requires dev.failsafe.core;
    requires io.grpc.util;

    exports io.csi4j.replication.ratis;
    // Ratis creates a class of this package by its name.
    opens io.csi4j.replication.ratis.internal.peer;
}
