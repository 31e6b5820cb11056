package io.csi4j.state;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Volume;
import io.csi4j.state.internal.tree.TreeBuilder;
import java.util.HashMap;
import java.util.Map;

/**
 * Builds the table of volumes and its indexes from the rows of a restored state. Changes are not recorded for watchers, because a restore
 * notifies all of them.
 */
final class VolumeLoader {
    private final VolumeWriter writer;
    private final Tables tables;
    private final long edit;
    private final TreeBuilder<VolumeKey, Volume> rows;
    private final TreeBuilder<VolumeKey, VolumeKey> unsettled;
    private final CountedUse.Sums counted = new CountedUse.Sums();
    private final Map<PluginId, TreeBuilder<VolumeKey, VolumeKey>> ofPlugin = new HashMap<>();

    VolumeLoader(VolumeWriter writer, Tables tables, long edit) {
        this.writer = writer;
        this.tables = tables;
        this.edit = edit;
        this.rows = new TreeBuilder<>(Keys.VOLUMES, edit);
        this.unsettled = new TreeBuilder<>(Keys.VOLUME_KEYS, edit);
    }

    /**
     * Adds a row, in the order of keys. The row already refers to shared objects for its equal parts, see {@link
     * Sharer}.
     */
    void add(Volume row) {
        VolumeKey key = row.key();
        rows.add(row);
        ofPlugin.computeIfAbsent(row.pluginId(), plugin -> new TreeBuilder<>(Keys.VOLUME_KEYS, edit))
                .add(key);
        if (row.unsettled()) {
            unsettled.add(key);
        }
        counted.add(row);
        writer.indexExternalId(null, row, key);
        writer.indexCreation(null, row, key);
        writer.indexUse(null, row, key, row.pluginId());
    }

    int size() {
        return rows.size();
    }

    void finish() {
        tables.volumes = rows.build();
        tables.unsettled = unsettled.build();
        tables.quotaUses = counted.addTo(tables.quotaUses, edit);
        ofPlugin.forEach((plugin, members) ->
                tables.volumesOfPlugin = tables.volumesOfPlugin.put(edit, new Group<>(plugin, members.build())));
    }
}
