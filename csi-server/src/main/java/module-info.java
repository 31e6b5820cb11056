import org.jspecify.annotations.NullMarked;

/** A server with log, engine and endpoint for agents, or with the node of its own machine. */
@NullMarked
module io.csi4j.server {
    requires static transitive org.jspecify;
    requires transitive io.csi4j.agent;
    requires transitive io.csi4j.core;

    exports io.csi4j.server;
}
