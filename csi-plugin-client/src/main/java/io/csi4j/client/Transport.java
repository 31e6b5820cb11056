package io.csi4j.client;

/** Selects the implementation of sockets. The choice changes the speed, not the plugins that can be called. */
public enum Transport {
    /** {@link #EPOLL} if it is available, otherwise {@link #NIO}. */
    AUTO,
    /**
     * Linux epoll through native code, for x86-64 and aarch64. Not available on other systems, nor where native code may not be loaded
     * (a temporary directory mounted noexec, a JVM that denies native access).
     */
    EPOLL,
    /** The JDK's own sockets. Available everywhere; a little slower for a single caller. */
    NIO
}
