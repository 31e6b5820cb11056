package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.List;
import java.util.Objects;

/**
 * The volumes that a storage provider lists although no volume of the state refers to them. Possible causes: a host
 * removed the volume from the state by force, the volume's row was lost, or another cluster uses the same provider.
 * Find the owner before deleting such a volume. The provider's pages are not one consistent snapshot (R70), so further
 * volumes may be orphaned.
 *
 * @param pluginId the plugin that listed the volumes
 * @param orphaned the volumes that certainly belong to no volume of the state
 * @param undecided the volumes that may be orphaned, or may belong to one of the {@code unresolved} volumes
 * @param unresolved the registered volumes without an external id yet, because their creation is not finished; while
 *     there is such a volume, every unknown volume of the provider is in {@code undecided}
 * @param withdrawn the withdrawn creations of the plugin: each may have made one of the orphans
 */
public record OrphanedVolumes(
        PluginId pluginId,
        List<ExternalVolumeId> orphaned,
        List<ExternalVolumeId> undecided,
        List<VolumeKey> unresolved,
        List<WithdrawnCreation> withdrawn) {
    /** Copies all lists, so that later changes of the caller's lists have no effect. */
    public OrphanedVolumes {
        Objects.requireNonNull(pluginId, "pluginId");
        orphaned = List.copyOf(orphaned);
        undecided = List.copyOf(undecided);
        unresolved = List.copyOf(unresolved);
        withdrawn = List.copyOf(withdrawn);
    }
}
