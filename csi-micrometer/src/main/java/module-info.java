import org.jspecify.annotations.NullMarked;

/** Meters of csi4j for Micrometer. */
@NullMarked
module io.csi4j.micrometer {
    requires static transitive org.jspecify;
    requires transitive io.csi4j.core;
    requires static transitive io.csi4j.node;
    requires transitive micrometer.core;

    exports io.csi4j.micrometer;
}
