package io.csi4j.core.spi;

/** The permissions that a caller can have. */
public enum Permission {
    /** Allows to list the volumes of a namespace, with their plugin, phase and schedulability. */
    VOLUME_LIST(true),
    /**
     * Allows to read a volume of a namespace with its claims and attachments, but not its secrets, contexts, mount
     * flags and parameters.
     */
    VOLUME_READ(true),
    /**
     * Allows to register, share, create, change, expand, snapshot and delete volumes of a namespace. It shows no more
     * of them than VOLUME_READ.
     */
    VOLUME_WRITE(true),
    /**
     * Allows to claim, release and detach volumes of a namespace for its allocations; also needs PLUGIN_READ for the
     * plugin.
     */
    VOLUME_MOUNT(true),
    /** Allows to list plugins and their numbers of healthy instances, without instances and deployments. */
    PLUGIN_LIST(false),
    /**
     * Allows to read a plugin with its instances, and to use the plugin for a volume. VOLUME_READ decides which
     * allocations of the instances are shown.
     */
    PLUGIN_READ(false),
    /** Allows to deploy a plugin, that is, to run a workload that is a plugin. */
    PLUGIN_DEPLOY(false),
    /**
     * Allows to report that volumes were unmounted on nodes. Only agents of nodes, and callers who speak for them,
     * should have this permission.
     */
    NODE_REPORT(false),
    /**
     * Allows to operate the cluster: to lead, to delete plugins, to override, and to see all stored data of a volume
     * that the caller changes.
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
