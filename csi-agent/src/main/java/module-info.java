import org.jspecify.annotations.NullMarked;

/** Connects servers with the machines of a cluster: the agent, and the server that agents connect to. */
@NullMarked
module io.csi4j.agent {
    requires static transitive org.jspecify;
    requires transitive io.csi4j.client;
    requires transitive io.csi4j.core;
    requires transitive io.csi4j.node;
    requires io.csi4j.proto;
    requires io.csi4j.values;
    requires io.grpc;
    requires io.grpc.stub;
    requires io.grpc.util;
    requires com.google.protobuf;

    exports io.csi4j.agent;
    exports io.csi4j.agent.spi;
}
