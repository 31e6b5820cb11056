package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.util.List;
import java.util.Objects;

/**
 * The volumes that a provider lists and that no volume of the state stands for. A volume may be orphaned because a host
 * forgot it by force, because its record was lost, or because another cluster uses the same provider: look whose it is
 * before you delete it. Pages are no consistent cut (R70), so a volume that is missing here may be orphaned too.
 *
 * @param pluginId the plugin that listed them
 * @param orphaned those that no volume of the state stands for
 * @param undecided those that may be orphaned, or may belong to one of the unresolved volumes
 * @param unresolved the volumes of the plugin whose ids at the provider are not known yet, because their creation is not
 *     finished; while there is one, every volume that nothing stands for is undecided
 */
public record OrphanedVolumes(
        PluginId pluginId,
        List<ExternalVolumeId> orphaned,
        List<ExternalVolumeId> undecided,
        List<VolumeKey> unresolved) {
    /** Copies the lists. */
    public OrphanedVolumes {
        Objects.requireNonNull(pluginId, "pluginId");
        orphaned = List.copyOf(orphaned);
        undecided = List.copyOf(undecided);
        unresolved = List.copyOf(unresolved);
    }
}
