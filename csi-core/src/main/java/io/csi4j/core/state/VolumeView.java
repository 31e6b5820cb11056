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
 * A read-only view of a volume with its plugin and the allocations of its claims, all at one index.
 *
 * @param volume the volume
 * @param plugin the volume's plugin. If the plugin is not known, this is an empty view, and the volume cannot be
 *     claimed
 * @param claims the claims with their allocations, in the order of the allocation ids
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
     * @param allocation the allocation of the claim; empty if the host has removed it
     */
    public record ClaimView(Claim claim, Optional<Allocation> allocation) {
        public ClaimView {
            Objects.requireNonNull(claim, "claim");
            Objects.requireNonNull(allocation, "allocation");
        }
    }

    /** Returns the view of a volume, or empty if the volume is not registered. */
    public static Optional<VolumeView> of(StateReader state, VolumeKey key) {
        return state.volume(key).map(volume -> {
            List<ClaimView> claims = new ArrayList<>(volume.claims().size());
            for (Claim claim : volume.claims()) {
                claims.add(new ClaimView(claim, state.allocation(claim.allocationId())));
            }
            return new VolumeView(volume, state.plugin(volume.pluginId()), claims);
        });
    }

    /** Returns whether the volume's plugin allows a claim on some node now; see {@link PluginView#schedulable()}. */
    public boolean schedulable() {
        return plugin.schedulable();
    }
}
