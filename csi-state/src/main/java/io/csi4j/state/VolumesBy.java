package io.csi4j.state;

import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.state.internal.hash.HashTrie;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The volumes with one value of an index, in the order of their keys. Uses a list, because few volumes have the same
 * value.
 *
 * @param <K> the type of the values
 */
record VolumesBy<K>(K value, List<VolumeKey> volumes) {
    /** The name of CreateVolume for a volume of a plugin. */
    record Name(PluginId pluginId, String name) {}

    /** The source from which a volume of a plugin is being created. */
    record Source(PluginId pluginId, VolumeContentSource source) {}

    /** The name of the workloads to which a volume belongs. */
    record Owner(Namespace namespace, WorkloadName name) {}

    static <K> HashTrie<K, VolumesBy<K>> add(HashTrie<K, VolumesBy<K>> index, long edit, K value, VolumeKey key) {
        List<VolumeKey> keys = new ArrayList<>(of(index, value));
        int at = Collections.binarySearch(keys, key);
        if (at < 0) {
            keys.add(~at, key);
        }
        return index.put(edit, new VolumesBy<>(value, List.copyOf(keys)));
    }

    static <K> HashTrie<K, VolumesBy<K>> remove(HashTrie<K, VolumesBy<K>> index, long edit, K value, VolumeKey key) {
        List<VolumeKey> rest =
                of(index, value).stream().filter(one -> !one.equals(key)).toList();
        return rest.isEmpty() ? index.remove(edit, value) : index.put(edit, new VolumesBy<>(value, rest));
    }

    static <K> List<VolumeKey> of(HashTrie<K, VolumesBy<K>> index, K value) {
        VolumesBy<K> known = index.get(value);
        return known == null ? List.of() : known.volumes;
    }
}
