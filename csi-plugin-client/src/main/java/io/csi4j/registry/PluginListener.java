package io.csi4j.registry;

import java.util.List;

/** Is told of the instances of a node. */
@FunctionalInterface
public interface PluginListener {
    /**
     * The instances as they are now. The first call has all of them, each as {@code REGISTERED}; later ones have
     * what has changed since the call before. Calls come one after another, and never twice with the same picture.
     * A listener that takes its time misses what has come and gone meanwhile; it delays nobody else.
     *
     * @param picture all instances
     * @param changes what leads from the last picture to this one, in order; possibly empty
     */
    void pictured(RegistrySnapshot picture, List<PluginChange> changes);
}
