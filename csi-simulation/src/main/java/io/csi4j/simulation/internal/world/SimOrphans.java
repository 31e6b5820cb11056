package io.csi4j.simulation.internal.world;

import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * The volumes of the provider that a restored state does not have, because claims made them after the backup. Only these may be
 * without a row, and only until an operator registers them.
 */
public final class SimOrphans {
    private final SimWorld world;
    private final Set<String> orphans = new TreeSet<>();
    private final Set<String> all = new TreeSet<>();

    SimOrphans(SimWorld world) {
        this.world = world;
    }

    void restored(StateReader state) {
        Set<String> known = SimMadeVolumes.known(state);
        for (String id : world.provider().created()) {
            if (!known.contains(id)) {
                world.coverage().fault("volume without a row after a restore");
                world.trace().note("provider", "has " + id + " without a row");
                orphans.add(id);
                all.add(id);
            }
        }
    }

    /** Removes those that the state has now. From then on, it has to have them until they are deleted. */
    void afterStep(Set<String> known) {
        orphans.removeAll(known);
    }

    /** Whether a volume of the provider may be without a row. */
    boolean isOrphan(String id) {
        return orphans.contains(id);
    }

    /** Whether a restored state once lacked a volume. */
    boolean wasOrphan(String id) {
        return all.contains(id);
    }

    /** After a restore: adds the volumes that the provider has although their creation was withdrawn. */
    public void addWithdrawn() {
        if (world.backup().restores() > 0) {
            for (WithdrawnCreation creation : world.store().snapshot().withdrawnCreations()) {
                if (world.provider().has(creation.name())) {
                    all.add(SimProvider.idOf(creation.name()).value());
                }
            }
        }
    }

    /** The provider's ids of all volumes that a restored state once lacked. */
    public Set<String> all() {
        return Collections.unmodifiableSet(all);
    }
}
