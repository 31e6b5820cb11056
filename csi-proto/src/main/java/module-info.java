/**
 * The messages of CSI, of the agents and of the stored files, with the code generated from them; internal to csi4j.
 */
@SuppressWarnings("module") // The modules of the qualified exports are compiled after this one.
module io.csi4j.proto {
    requires com.google.protobuf;
    // Only for calls: csi-state uses the messages without them. io.csi4j.client requires them.
    requires static io.grpc;
    requires static io.grpc.protobuf;
    requires static io.grpc.stub;
    requires static com.google.common;

    exports io.csi4j.proto.agent.v1 to
            com.google.protobuf,
            io.csi4j.agent,
            io.csi4j.node;
    exports io.csi4j.proto.command.v1 to
            com.google.protobuf,
            io.csi4j.state;
    exports io.csi4j.proto.csi.v1 to
            com.google.protobuf,
            io.csi4j.client,
            io.csi4j.node,
            io.csi4j.testkit,
            io.csi4j.values;
    exports io.csi4j.proto.file.v1 to
            com.google.protobuf,
            io.csi4j.client,
            io.csi4j.node;
    exports io.csi4j.proto.state.v1 to
            com.google.protobuf,
            io.csi4j.state;
    exports io.csi4j.proto.values.v1 to
            com.google.protobuf,
            io.csi4j.agent,
            io.csi4j.node,
            io.csi4j.state,
            io.csi4j.values;
}
