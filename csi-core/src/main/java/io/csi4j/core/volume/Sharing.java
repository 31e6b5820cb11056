package io.csi4j.core.volume;

/**
 * Replaces equal values by one shared object, so that many volumes refer to the same capabilities, parameters, secrets
 * and topologies.
 */
public interface Sharing {
    /**
     * Returns the shared object that equals a value.
     *
     * @param value an immutable value
     * @param <T> the type of the value
     * @return an equal value, possibly the same object
     */
    <T> T one(T value);
}
