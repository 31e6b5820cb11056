import org.jspecify.annotations.NullMarked;

/** A web page that shows the state of a cluster. */
@NullMarked
module io.csi4j.console {
    requires static transitive org.jspecify;
    requires transitive io.csi4j.core;
    requires jdk.httpserver;

    exports io.csi4j.console;
}
