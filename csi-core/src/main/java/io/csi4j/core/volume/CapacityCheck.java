package io.csi4j.core.volume;

/**
 * The meaning of the free capacity that a plugin reports (R75) for the placement of volumes that claims make from a class. The
 * number is advice: plugins report totals, thin pools, or what was free a while ago.
 */
public enum CapacityCheck {
    /** The plugin is not asked. */
    OFF,
    /** The capacity orders nodes and excludes none. */
    ADVISE,
    /**
     * A node whose topology has no room by a recent answer is not feasible, and a claim there is refused before the plugin is
     * asked to make the volume. For plugins whose answer is exact.
     */
    REQUIRED
}
