package io.csi4j.core.lifecycle;

import io.csi4j.core.cluster.StorageLoss;
import io.csi4j.core.id.VolumeKey;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The changes that the loss of a node's storage would make now.
 *
 * @param loss the loss
 * @param index the index of the state from which the preview was made
 * @param ending the volumes whose rows it removes, in their order
 * @param kept the other volumes in the place, in their order, each with the reason why its row stays
 */
public record StorageLossPreview(StorageLoss loss, long index, List<VolumeKey> ending, Map<VolumeKey, String> kept) {
    public StorageLossPreview {
        Objects.requireNonNull(loss, "loss");
        ending = List.copyOf(ending);
        kept = Collections.unmodifiableMap(new LinkedHashMap<>(kept));
    }
}
