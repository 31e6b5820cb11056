package io.csi4j.core.spi;

/** Something that is planned and can be called off. */
@FunctionalInterface
public interface Cancellable {
    /** Calls it off. Does nothing if it has begun, is done, or was called off before. Never waits. */
    void cancel();
}
