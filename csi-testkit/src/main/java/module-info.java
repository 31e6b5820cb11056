import org.jspecify.annotations.NullMarked;

/**
 * A fake plugin, a fake cluster, contract tests and the conformance kit, for tests of programs with csi4j and of plugins.
 */
@NullMarked
module io.csi4j.testkit {
    requires static transitive org.jspecify;
    requires transitive io.csi4j.client;
    requires transitive io.csi4j.core;
    requires io.csi4j.proto;
    requires transitive io.csi4j.state;
    requires io.grpc;
    requires io.grpc.inprocess;
    requires io.grpc.protobuf;
    requires io.grpc.stub;
    requires java.logging;
    requires java.management;
    requires static org.assertj.core;
    requires static org.junit.jupiter.api;
    requires com.google.protobuf;

    exports io.csi4j.testkit;
    exports io.csi4j.testkit.assertion;
    exports io.csi4j.testkit.capability;
    exports io.csi4j.testkit.cli;
    exports io.csi4j.testkit.cluster;
    exports io.csi4j.testkit.conformance;
    exports io.csi4j.testkit.contract;
    exports io.csi4j.testkit.fault;
    exports io.csi4j.testkit.history;
    exports io.csi4j.testkit.junit;
}
