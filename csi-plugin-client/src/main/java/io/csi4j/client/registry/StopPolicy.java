package io.csi4j.client.registry;

/** Decides whether the last ready instance of a node plugin may be stopped while volumes on the node need it. */
public enum StopPolicy {
    /** The plugin may be stopped; a warning in the log names the volumes. */
    WARN,
    /** The plugin must not be stopped; a {@link PluginInUseException} names the volumes. */
    REFUSE
}
