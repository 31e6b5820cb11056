package io.csi4j.core.volume;

import io.csi4j.core.id.VolumeClassName;
import java.util.Objects;

/**
 * The class from which a volume was made. The volume has copies of all values of the class, so a change or the removal
 * of the class changes no volume.
 *
 * @param name the name of the class
 * @param incarnation the {@linkplain VolumeClass#createIndex() create index} of the class: a class that was removed and
 *     put again under its name has another one
 * @param version the {@linkplain VolumeClass#modifyIndex() modify index} that the class had when the volume was made; if
 *     the class has a greater one now, its values have changed since
 * @param reclaim the reclaim policy of the volume: that of the class when the volume was made, until it is changed
 */
public record ClassOrigin(VolumeClassName name, long incarnation, long version, ReclaimPolicy reclaim) {
    public ClassOrigin {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(reclaim, "reclaim");
    }

    /** Returns the same origin with another reclaim policy of the volume. */
    public ClassOrigin withReclaim(ReclaimPolicy changed) {
        return new ClassOrigin(name, incarnation, version, changed);
    }

    @Override
    public String toString() {
        return "ClassOrigin[" + name + ", incarnation=" + incarnation + ", version=" + version + ", reclaim=" + reclaim
                + "]";
    }
}
