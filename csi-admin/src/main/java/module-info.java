import org.jspecify.annotations.NullMarked;

/** An HTTP API for operators and programs. */
@NullMarked
module io.csi4j.admin {
    requires static transitive org.jspecify;
    requires transitive io.csi4j.core;
    requires com.google.gson;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.codec.http;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;

    exports io.csi4j.admin;
    exports io.csi4j.admin.access;
}
