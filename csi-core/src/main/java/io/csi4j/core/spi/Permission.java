package io.csi4j.core.spi;

/** What a caller may be allowed to do (S24). */
public enum Permission {
    /** See which volumes of a namespace there are. */
    VOLUME_LIST(true),
    /** See a volume of a namespace with its claims. */
    VOLUME_READ(true),
    /** Declare, create, change, expand, cut and delete volumes of a namespace; not to see their secrets. */
    VOLUME_WRITE(true),
    /** Claim, release and detach volumes of a namespace, with PLUGIN_READ for the plugin they need. */
    VOLUME_MOUNT(true),
    /** See which plugins there are. */
    PLUGIN_LIST(false),
    /** See a plugin with its instances, and use it for a volume. */
    PLUGIN_READ(false),
    /** Deploy a plugin: run a workload that is one. */
    PLUGIN_DEPLOY(false),
    /** Report for nodes what was unmounted there: only their agents, and who speaks for them, may be believed. */
    NODE_REPORT(false),
    /** Run the cluster: delete plugins, override on record, see all that is stored of a volume. */
    MANAGEMENT(false);

    private final boolean namespaced;

    Permission(boolean namespaced) {
        this.namespaced = namespaced;
    }

    /**
     * Whether it is given for one namespace at a time.
     *
     * @return false: for the whole cluster
     */
    public boolean namespaced() {
        return namespaced;
    }
}
