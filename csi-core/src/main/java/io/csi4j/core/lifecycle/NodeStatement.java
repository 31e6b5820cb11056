package io.csi4j.core.lifecycle;

/**
 * An operator's statement about a node, in place of the answer of the node or the storage provider. The engine believes the
 * statement: if it is wrong, a volume may be attached to another node while this one still writes to it, and data may be
 * lost.
 */
public enum NodeStatement {
    /**
     * No volume is mounted or staged on the node any more. It ends all claims on the node, also those of running
     * allocations; the volumes are then detached as usual. The same as {@link OperatorActions#overrideClaim} for each
     * claim.
     */
    UNMOUNTED,
    /**
     * No volume is mounted, staged or attached on the node any more. The same as {@link #UNMOUNTED}, and
     * {@link OperatorActions#overrideAttachment} for each attachment: the storage provider is not asked to detach the
     * volumes.
     */
    DETACHED,
    /**
     * The machine was replaced, and the former machine cannot reach storage any more. It ends the claims of the former
     * machine, and the volumes are detached from it by its former external id. Claims of the present machine stay.
     */
    FORMER_MACHINE_LOST,
    /**
     * The machine is the same, and the plugin only reports another external id for it, for example since an upgrade. The
     * claims and attachments get the present external id and continue.
     */
    MACHINE_RENAMED
}
