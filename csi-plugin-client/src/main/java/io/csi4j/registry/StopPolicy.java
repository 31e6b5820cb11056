package io.csi4j.registry;

/** The policy for the end of the last node plugin that volumes on this node need. */
public enum StopPolicy {
    /** The plugin may end, and a warning in the log names the volumes. */
    WARN,
    /** The plugin must not end, and a {@link PluginInUseException} names the volumes. */
    REFUSE
}
