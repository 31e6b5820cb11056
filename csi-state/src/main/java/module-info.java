import org.jspecify.annotations.NullMarked;

/** The recorded state of a cluster: a transactional store with snapshot reads, and its encoding. */
@NullMarked
module io.csi4j.state {
    requires static transitive org.jspecify;
    requires transitive io.csi4j.core;
    requires io.csi4j.proto;
    requires io.csi4j.values;
    requires com.google.protobuf;

    exports io.csi4j.state;
}
