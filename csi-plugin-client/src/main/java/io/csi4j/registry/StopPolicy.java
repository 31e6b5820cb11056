package io.csi4j.registry;

/** What is done when the last node plugin is to go that volumes on this node need. */
public enum StopPolicy {
    /** It goes, and a warning that names the volumes is logged. */
    WARN,
    /** It stays, and a {@link PluginInUseException} names the volumes. */
    REFUSE
}
