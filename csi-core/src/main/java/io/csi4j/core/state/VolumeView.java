package io.csi4j.core.state;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A volume joined with its plugin and the allocations of its claims, all of one index (S11). It is made anew for
 * whoever asks and there is no way to write it back.
 *
 * @param plugin its plugin, empty if there is none: then the volume can be read and not be scheduled
 * @param claims its claims with their allocations, in the order of the allocations
 */
public record VolumeView(Volume volume, PluginView plugin, List<ClaimView> claims) {
    public VolumeView {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(plugin, "plugin");
        claims = List.copyOf(claims);
    }

    /**
     * A claim with its allocation.
     *
     * @param allocation what the host says about the allocation; empty: it forgot it
     */
    public record ClaimView(Claim claim, Optional<Allocation> allocation) {
        /** Checks that both parts are there. */
        public ClaimView {
            Objects.requireNonNull(claim, "claim");
            Objects.requireNonNull(allocation, "allocation");
        }
    }

    /**
     * The view of a volume.
     *
     * @param state one state
     * @return empty: there is no such volume
     */
    public static Optional<VolumeView> of(StateReader state, VolumeKey key) {
        return state.volume(key).map(volume -> {
            List<ClaimView> claims = new ArrayList<>(volume.claims().size());
            for (Claim claim : volume.claims()) {
                claims.add(new ClaimView(claim, state.allocation(claim.allocationId())));
            }
            return new VolumeView(volume, state.plugin(volume.pluginId()), claims);
        });
    }

    /**
     * Whether the volume can be claimed on some node now, as far as its plugin goes (S28).
     *
     * @return true if so
     */
    public boolean schedulable() {
        return plugin.schedulable();
    }
}
