import org.jspecify.annotations.NullMarked;

/**
 * Manages the CSI volumes of a cluster: the values and calls of CSI, the recorded state with its commands, and the
 * engine that carries out what the state requires.
 */
@NullMarked
@SuppressWarnings("module") // The modules of the qualified exports are compiled after this one.
module io.csi4j.core {
    requires static transitive org.jspecify;

    exports io.csi4j.core.access;
    exports io.csi4j.core.call;
    exports io.csi4j.core.capability;
    exports io.csi4j.core.cluster;
    exports io.csi4j.core.command;
    exports io.csi4j.core.csi;
    exports io.csi4j.core.id;
    exports io.csi4j.core.lifecycle;
    exports io.csi4j.core.lifecycle.health;
    exports io.csi4j.core.metadata;
    exports io.csi4j.core.placement;
    exports io.csi4j.core.plugin;
    exports io.csi4j.core.rpc;
    exports io.csi4j.core.snapshot;
    exports io.csi4j.core.spi;
    exports io.csi4j.core.state;
    exports io.csi4j.core.volume;
    exports io.csi4j.core.internal.apply to
            io.csi4j.simulation,
            io.csi4j.state;
    exports io.csi4j.core.internal.capability to
            io.csi4j.client;
    exports io.csi4j.core.internal.check to
            io.csi4j.agent,
            io.csi4j.client,
            io.csi4j.node;
    exports io.csi4j.core.internal.command to
            io.csi4j.agent,
            io.csi4j.replication.jdbc,
            io.csi4j.replication.ratis,
            io.csi4j.simulation,
            io.csi4j.state,
            io.csi4j.testkit;
    exports io.csi4j.core.internal.concurrent to
            io.csi4j.admin,
            io.csi4j.agent,
            io.csi4j.client,
            io.csi4j.micrometer,
            io.csi4j.node,
            io.csi4j.replication.jdbc,
            io.csi4j.replication.ratis,
            io.csi4j.server;
    exports io.csi4j.core.internal.file to
            io.csi4j.admin,
            io.csi4j.agent,
            io.csi4j.client,
            io.csi4j.node,
            io.csi4j.replication.ratis;
    exports io.csi4j.core.internal.log to
            io.csi4j.admin,
            io.csi4j.agent,
            io.csi4j.client,
            io.csi4j.micrometer,
            io.csi4j.replication.jdbc,
            io.csi4j.replication.ratis;
    exports io.csi4j.core.internal.metadata to
            io.csi4j.client;
    exports io.csi4j.core.internal.replication to
            io.csi4j.replication.jdbc,
            io.csi4j.replication.ratis,
            io.csi4j.simulation;
    exports io.csi4j.core.lifecycle.internal.change to
            io.csi4j.replication.jdbc;
    exports io.csi4j.core.internal.text to
            io.csi4j.admin,
            io.csi4j.agent,
            io.csi4j.client,
            io.csi4j.node,
            io.csi4j.replication.jdbc,
            io.csi4j.replication.ratis,
            io.csi4j.server,
            io.csi4j.state;
}
