package io.csi4j.core.spi;

/** The permissions that a caller can have, for operations in a namespace or in the whole cluster. */
public enum Permission {
    /**
     * Permits listing the volumes of a namespace, with their plugin, phase and information whether they can be claimed
     * now.
     */
    VOLUME_LIST(true),
    /**
     * Permits reading a volume of a namespace with its claims and attachments, but not its secrets, contexts, mount
     * flags and parameters.
     */
    VOLUME_READ(true),
    /**
     * Permits registering, sharing, creating, changing, expanding, snapshotting and deleting volumes of a namespace,
     * but does not show more of them than VOLUME_READ does.
     */
    VOLUME_WRITE(true),
    /**
     * Permits claiming, releasing and detaching volumes of a namespace for its allocations; a caller also needs
     * PLUGIN_READ for the plugin.
     */
    VOLUME_MOUNT(true),
    /** Permits listing plugins and their numbers of healthy instances, without instances and deployments. */
    PLUGIN_LIST(false),
    /**
     * Permits reading a plugin with its instances, and using the plugin for a volume. Of the allocations that run the
     * instances, only those in namespaces with VOLUME_READ are shown.
     */
    PLUGIN_READ(false),
    /** Permits deploying a plugin, that is, running a workload that is a plugin. */
    PLUGIN_DEPLOY(false),
    /**
     * Permits reporting that volumes were unmounted on nodes. Only agents of nodes, and callers who report for them,
     * should have this permission.
     */
    NODE_REPORT(false),
    /**
     * Permits the operations of an operator: starting and stopping to lead, deleting plugins, overriding steps, and
     * reading all stored data of a volume that the caller changes.
     */
    MANAGEMENT(false);

    private final boolean namespaced;

    Permission(boolean namespaced) {
        this.namespaced = namespaced;
    }

    /**
     * Returns whether the permission is given for one namespace at a time; otherwise it is given for the whole
     * cluster.
     */
    public boolean namespaced() {
        return namespaced;
    }
}
