package io.csi4j.core.volume;

/**
 * Returns one shared object for equal values, so that many volumes refer to the same capabilities, parameters, secrets and topologies.
 */
public interface Sharing {
    /**
     * Returns the shared object for a value.
     *
     * @param value an immutable value
     * @param <T> its type
     * @return an equal value, perhaps the same object
     */
    <T> T one(T value);
}
