import org.jspecify.annotations.NullMarked;

/** Calls CSI plugins, and finds them: the client with its retries, and the registry of plugins. */
@NullMarked
@SuppressWarnings("module") // The modules of the qualified exports are compiled after this one.
module io.csi4j.client {
    requires static transitive org.jspecify;
    requires transitive io.csi4j.core;
    requires io.csi4j.proto;
    requires io.csi4j.values;
    requires com.github.benmanes.caffeine;
    requires transitive dev.failsafe.core;
    requires com.google.common;
    // Guava needs it, and its jar for Android, which gRPC brings, cannot say so.
    requires com.google.common.util.concurrent.internal;
    requires io.grpc;
    requires static io.grpc.inprocess; // Only for fake plugins in the same process; io.csi4j.testkit requires it.
    requires io.grpc.protobuf;
    requires io.grpc.stub;
    requires io.grpc.util;
    requires java.logging;
    requires jdk.unsupported; // Netty and protobuf are slower without it.
    requires com.google.protobuf;

    exports io.csi4j.client;
    exports io.csi4j.client.registry;
    exports io.csi4j.client.registry.instance;
    exports io.csi4j.client.retry;
    exports io.csi4j.client.internal.call to
            io.csi4j.agent;
    exports io.csi4j.client.internal.file to
            io.csi4j.node;
    exports io.csi4j.client.internal.limit to
            io.csi4j.node;
    exports io.csi4j.client.internal.socket to
            io.csi4j.agent,
            io.csi4j.replication.ratis;
    exports io.csi4j.client.internal.timer to
            io.csi4j.replication.ratis;
    exports io.csi4j.client.internal.tls to
            io.csi4j.agent,
            io.csi4j.replication.ratis;
    exports io.csi4j.client.internal.transport to
            io.csi4j.agent;
}
