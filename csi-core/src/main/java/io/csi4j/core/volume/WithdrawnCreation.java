package io.csi4j.core.volume;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Text;
import java.util.Objects;
import java.util.Optional;

/**
 * A creation that was given up while its outcome was unknown. The engine makes no further call for it, and the key of
 * its volume is free. The storage provider may have made a volume of this name, or may still make it; so no other
 * volume of the plugin is created with the name while this row exists. The search for orphaned volumes shows the row.
 *
 * @param name the name that CreateVolume sent
 * @param volume the key of the volume that was to be created
 * @param createIndex the index of the command that stored the intent to create the volume
 * @param lastCall the index of the command that recorded the start of the last call; 0 if the volume was being deleted
 *     already, so that only a deletion at the provider proves that nothing is left
 * @param externalVolumeId the storage provider's id of the volume, if an answer that came later has shown it
 * @param forecast what the last answers said
 * @param countedBytes the bytes that a quota counts for the creation until it is settled: those that were required
 * @param className the class from which the volume was to be made; empty if it was made without a class
 * @param withdrawn who withdrew the creation, when and why
 */
public record WithdrawnCreation(
        PluginId pluginId,
        String name,
        VolumeKey volume,
        long createIndex,
        long lastCall,
        Optional<ExternalVolumeId> externalVolumeId,
        CreationForecast forecast,
        long countedBytes,
        Optional<VolumeClassName> className,
        OperatorOverride withdrawn) {
    public WithdrawnCreation {
        Objects.requireNonNull(pluginId, "pluginId");
        Text.checked("WithdrawnCreation: name", name);
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
        Objects.requireNonNull(forecast, "forecast");
        Objects.requireNonNull(className, "className");
        Objects.requireNonNull(withdrawn, "withdrawn");
    }

    /** Identifies a creation at a storage provider: at most one withdrawn creation of a plugin has a given name. */
    public record Key(PluginId pluginId, String name) implements Comparable<Key> {
        public Key {
            Objects.requireNonNull(pluginId, "pluginId");
            Text.checked("WithdrawnCreation: name", name);
        }

        @Override
        public int compareTo(Key other) {
            int byPlugin = pluginId.value().compareTo(other.pluginId.value());
            return byPlugin != 0 ? byPlugin : name.compareTo(other.name);
        }
    }

    /** Returns the key of this row. */
    public Key key() {
        return new Key(pluginId, name);
    }

    /**
     * Returns the row for an unfinished creation that is given up now.
     *
     * @param volume a volume without an external id
     * @return empty if it is certain that no call has made the volume
     */
    public static Optional<WithdrawnCreation> of(Volume volume, OperatorOverride withdrawn) {
        boolean deleting = volume.phase() == VolumePhase.DELETING;
        Optional<UnresolvedCall> call = volume.retry().unresolved();
        return call.isEmpty() && !deleting
                ? Optional.empty()
                : Optional.of(new WithdrawnCreation(
                        volume.pluginId(),
                        volume.name(),
                        volume.key(),
                        volume.createIndex(),
                        deleting ? 0 : call.map(UnresolvedCall::index).orElse(0L),
                        Optional.empty(),
                        deleting ? CreationForecast.UNCLEAR : volume.creationForecast(),
                        volume.countedBytes(),
                        volume.classOrigin().map(ClassOrigin::name),
                        withdrawn));
    }

    /** Returns whether the quota with this key counts the creation. */
    public boolean isCountedBy(QuotaKey quota) {
        return quota.counts(volume.namespace(), className);
    }

    /** Returns the row with the external id of the volume that the provider has made after all. */
    public WithdrawnCreation made(ExternalVolumeId id) {
        return new WithdrawnCreation(
                pluginId,
                name,
                volume,
                createIndex,
                lastCall,
                Optional.of(id),
                forecast,
                countedBytes,
                className,
                withdrawn);
    }
}
