package io.csi4j.core.spi;

/** The permissions that a caller can have, for operations in a namespace or in the whole cluster. */
public enum Permission {
    /**
     * Permits listing the volumes of a namespace. The list shows the plugin, the phase, the size, the access modes, and the
     * number of claims of each volume, whether it is healthy, and whether it can be claimed now. It shows no claims, no
     * mount flags, and no causes of problems.
     */
    VOLUME_LIST(true),
    /**
     * Permits reading a volume of a namespace with its claims and attachments, but not its secrets, contexts, mount
     * flags and parameters.
     */
    VOLUME_READ(true),
    /**
     * Permits sharing, creating, changing, expanding, snapshotting and deleting volumes of a namespace, and using the volume
     * classes that are open to the namespace. A caller who has only this permission sees no more of a volume than VOLUME_READ shows.
     */
    VOLUME_WRITE(true),
    /**
     * Permits claiming, releasing and detaching volumes of a namespace for its allocations; a caller also needs
     * PLUGIN_READ for the plugin.
     */
    VOLUME_MOUNT(true),
    /**
     * Permits listing plugins with the counts of their healthy instances. The instances and deployments are not shown.
     */
    PLUGIN_LIST(false),
    /**
     * Permits reading a plugin with its instances, and using the plugin for a volume. The allocations that run the
     * instances are shown only if the caller has VOLUME_READ in their namespaces.
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
     * Permits the operations of an operator: registering volumes that exist at the provider, putting and removing volume classes and quotas, starting and ending the leadership of an engine, deleting plugins,
     * overriding steps, and reading all stored data of a volume that the caller changes.
     */
    MANAGEMENT(false);

    private final boolean namespaced;

    Permission(boolean namespaced) {
        this.namespaced = namespaced;
    }

    /**
     * Returns true for a permission that a caller has for single namespaces, and false for a permission that counts for
     * the whole cluster.
     */
    public boolean namespaced() {
        return namespaced;
    }
}
