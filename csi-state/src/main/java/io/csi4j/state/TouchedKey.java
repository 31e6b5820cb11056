package io.csi4j.state;

import io.csi4j.core.id.AccessTokenId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.QuotaKey;

/** Converts a key to the text that {@link io.csi4j.core.state.StateScope} uses for it. */
final class TouchedKey {
    private TouchedKey() {}

    static String text(Object key) {
        if (key instanceof VolumeKey volume) {
            return Keys.VOLUME_KEYS.text(volume);
        }
        if (key instanceof PluginId plugin) {
            return plugin.value();
        }
        if (key instanceof NodeId node) {
            return node.value();
        }
        if (key instanceof AllocationId allocation) {
            return allocation.value();
        }
        if (key instanceof AccessTokenId token) {
            return token.value();
        }
        if (key instanceof VolumeClassName volumeClass) {
            return volumeClass.value();
        }
        if (key instanceof SnapshotKey snapshot) {
            return snapshot.namespace().value() + '\0' + snapshot.name().value();
        }
        if (key instanceof QuotaKey quota) {
            return quota.namespace().value()
                    + '\0'
                    + quota.className().map(VolumeClassName::value).orElse("");
        }
        throw new IllegalArgumentException("no scope is spelled with a " + key.getClass());
    }
}
