package io.csi4j.core.volume;

import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.VolumeClassName;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The free capacity for volumes of a class in one topology, as the leader knows it. A value is empty if it is not known,
 * which does not mean that there is none.
 *
 * @param className the class
 * @param topology the topology; empty if the plugin has none
 * @param availableBytes the free capacity that the plugin reported last, in bytes
 * @param maximumVolumeSize the largest volume, as the plugin reported it last, in bytes
 * @param minimumVolumeSize the smallest volume, as the plugin reported it last, in bytes
 * @param age the time since the question that the plugin answered last, as elapsed time; empty if it has answered none
 * @param recent whether the answer is younger than two intervals of {@code LifecycleOptions.capacityInterval}
 * @param madeBytes the size of the volumes that were made here since that question, in bytes
 * @param refusedBytes the least size for which the plugin had no room here since its last answer; empty if there is none, or
 *     if that was too long ago
 * @param failure the reason why the plugin gave no answer to the last question; empty if it did, or was not asked
 */
public record PlaceCapacity(
        VolumeClassName className,
        Optional<Topology> topology,
        OptionalLong availableBytes,
        OptionalLong maximumVolumeSize,
        OptionalLong minimumVolumeSize,
        Optional<Duration> age,
        boolean recent,
        long madeBytes,
        OptionalLong refusedBytes,
        Optional<String> failure) {
    public PlaceCapacity {
        Objects.requireNonNull(className, "className");
        Objects.requireNonNull(topology, "topology");
        Objects.requireNonNull(availableBytes, "availableBytes");
        Objects.requireNonNull(maximumVolumeSize, "maximumVolumeSize");
        Objects.requireNonNull(minimumVolumeSize, "minimumVolumeSize");
        Objects.requireNonNull(age, "age");
        Objects.requireNonNull(refusedBytes, "refusedBytes");
        Objects.requireNonNull(failure, "failure");
    }
}
