package io.csi4j.core.volume;

/**
 * Gives one object for all equal values, so that many volumes refer to the same capabilities, parameters, secrets
 * and topologies instead of each holding its own.
 */
public interface Sharing {
    /**
     * The object to refer to.
     *
     * @param value an immutable value
     * @param <T> its type
     * @return an equal value, perhaps the same object
     */
    <T> T one(T value);
}
