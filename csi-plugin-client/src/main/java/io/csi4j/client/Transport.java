package io.csi4j.client;

/** How a client moves bytes. All kinds speak to the same plugins. */
public enum Transport {
    /** {@link #EPOLL} where it is available, else {@link #NIO}. */
    AUTO,
    /**
     * Linux epoll through native code, for x86-64 and aarch64. Not available on other systems, nor
     * where native code may not be loaded (a temporary directory mounted noexec, a JVM that denies
     * native access).
     */
    EPOLL,
    /** The JDK's own sockets: everywhere; somewhat slower for a single caller. */
    NIO
}
