package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Digest;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeKind;
import java.time.Instant;
import java.util.Optional;

/** The requirements of inline volumes on plugins. CSI has no capability for them, so the class says that a plugin has them. */
final class InlinePlugins {
    private static final int ID_BYTES = 16;

    private InlinePlugins() {}

    /**
     * Returns the problem of a class with its plugin, as far as the plugin's last report shows it: a plugin that creates
     * volumes would look for an inline volume among them, unless each publication says that the volume is inline; and a
     * plugin that creates none has no use for a class of created ones.
     */
    static Optional<Problem> problem(PluginOffer offer, VolumeClass row) {
        boolean inline = row.kind() == VolumeKind.INLINE;
        if (inline && !row.ephemeral() && offer.has(ControllerCapability.CREATE_DELETE_VOLUME)) {
            return Optional.of(new Problem(
                    "kind",
                    "is INLINE without ephemeral, and plugin " + row.pluginId() + " creates volumes ("
                            + ControllerCapability.CREATE_DELETE_VOLUME + ")",
                    "use kind CREATED; or set ephemeral, if the plugin makes inline volumes, too"));
        }
        boolean controller = offer.has(PluginService.CONTROLLER_SERVICE)
                || !offer.knownWithout(ControllerCapability.CREATE_DELETE_VOLUME);
        return !inline && !controller
                ? Optional.of(new Problem(
                        "kind",
                        "is CREATED, and plugin " + row.pluginId() + " has no controller, so it creates no volumes",
                        "use another plugin; or kind INLINE, if the plugin makes volumes where they are published"))
                : Optional.empty();
    }

    /**
     * Returns the external id of an inline volume: another one for each volume, with characters that every plugin accepts.
     * It is stored with the volume, so all calls have the same one.
     *
     * @param index the index of the command that makes the volume
     * @param at the time in that command
     */
    static String externalId(VolumeKey key, long index, Instant at) {
        return "csi-"
                + Digest.of(
                        ID_BYTES, key.namespace().value(), key.volumeId().value(), Long.toString(index), at.toString());
    }
}
