package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Digest;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.WithdrawnCreation;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * The name that CreateVolume sends for a volume. The plugin creates one volume for each name (R51), so the name is
 * stored with the intent, and no two volumes of a plugin that csi4j creates have the same one. A declared name is used
 * as it is. Otherwise the name is derived from the volume's key and from the command that creates it: so it is the same
 * in each retry, belongs to this creation alone, and has only characters that every storage provider accepts. A later
 * creation with the same key has another name, so it never returns the volume of an earlier one.
 */
public final class CreationName {
    private static final int MAX_DISPLAYED = 40;
    private static final int HASH_BYTES = 12;

    private CreationName() {}

    /**
     * Returns the specification with the name that CreateVolume will send.
     *
     * @param index the index of the command that creates the volume
     * @param at the time in that command
     */
    static VolumeSpec named(VolumeKey key, VolumeSpec spec, long index, Instant at) {
        return spec.name().isEmpty() ? spec.toBuilder().name(of(key, index, at)).restore() : spec;
    }

    /**
     * Returns the problem with a declared name that another volume of the plugin has. Reads one entry of an index.
     *
     * @param key the volume that is to be created
     */
    public static Optional<Problem> conflict(StateReader state, VolumeKey key, VolumeSpec spec) {
        if (spec.name().isEmpty()) {
            return Optional.empty();
        }
        for (VolumeKey other : state.volumesNamed(spec.pluginId(), spec.name())) {
            if (!other.equals(key)) {
                return Optional.of(new Problem(
                        "name",
                        "is " + spec.name() + ", the name of " + other + " of the same plugin",
                        "choose another one, or leave it out"));
            }
        }
        return state.withdrawnCreation(new WithdrawnCreation.Key(spec.pluginId(), spec.name()))
                .map(withdrawn -> new Problem(
                        "name",
                        "is " + spec.name() + ", the name of the withdrawn creation of volume " + withdrawn.volume()
                                + ", which the provider may still finish",
                        "choose another one, leave it out, or let an operator forget the withdrawn creation"));
    }

    private static String of(VolumeKey key, long index, Instant at) {
        String redacted = key.volumeId().value().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        String readable = redacted.substring(0, Math.min(redacted.length(), MAX_DISPLAYED))
                .replaceAll("^-+|-+$", "");
        return (readable.isEmpty() ? "vol" : readable) + "-"
                + Digest.of(
                        HASH_BYTES,
                        key.namespace().value(),
                        key.volumeId().value(),
                        Long.toString(index),
                        at.toString());
    }
}
