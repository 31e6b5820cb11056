package io.csi4j.core.spi;

/** What a caller may be allowed to do (S24). */
public enum Permission {
    /** See which volumes of a namespace there are, of which plugin, in which phase, and whether they can be scheduled. */
    VOLUME_LIST(true),
    /** See a volume of a namespace with its claims and attachments; not its secrets, contexts, mount flags and parameters. */
    VOLUME_READ(true),
    /** Declare, share, create, change, expand, cut and delete volumes of a namespace; to see no more of them than VOLUME_READ. */
    VOLUME_WRITE(true),
    /** Claim, release and detach volumes of a namespace, and claim for its allocations; with PLUGIN_READ for the plugin. */
    VOLUME_MOUNT(true),
    /** See which plugins there are and how many of their instances are healthy; nothing of what runs them. */
    PLUGIN_LIST(false),
    /** See a plugin with its instances, with their allocations as far as VOLUME_READ goes, and use it for a volume. */
    PLUGIN_READ(false),
    /** Deploy a plugin: run a workload that is one. */
    PLUGIN_DEPLOY(false),
    /** Report for nodes what was unmounted there: only their agents, and who speaks for them, may be believed. */
    NODE_REPORT(false),
    /** Run the cluster: lead, delete plugins, override on record, see all that is stored of a volume it changes. */
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
