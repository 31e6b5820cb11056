import org.jspecify.annotations.NullMarked;

/** The encoding of values that state, agents and files share; internal to csi4j. */
@NullMarked
@SuppressWarnings("module") // The modules of the qualified exports are compiled after this one.
module io.csi4j.values {
    requires static transitive org.jspecify;
    requires transitive io.csi4j.core;
    requires io.csi4j.proto;
    requires com.google.protobuf;

    exports io.csi4j.values.internal to
            io.csi4j.agent,
            io.csi4j.client,
            io.csi4j.node,
            io.csi4j.state;
}
