package io.csi4j.node.internal.ledger;

import io.csi4j.core.plugin.RepublishOptions;
import java.util.Objects;

/**
 * How the mount of a use is published again while it is used. Contains no tokens.
 *
 * @param options the interval and the audiences
 * @param dueMillis when the next NodePublishVolume is due, in milliseconds since the epoch, by the last successful one; 0:
 *     at once
 * @param expiresMillis when the first of the last tokens runs out, in milliseconds since the epoch; 0: there are none
 * @param mount the entry of the mount table after the first NodePublishVolume; empty if it is not known
 * @param changed whether the plugin has changed the mount when NodePublishVolume was repeated. The workload may then write
 *     to another place, so the target is given to no new process, and stays as it is until it is unmounted
 */
public record Renewal(RepublishOptions options, long dueMillis, long expiresMillis, String mount, boolean changed) {
    /** The renewal of a mount that is published once, without tokens. */
    public static final Renewal NONE = new Renewal(RepublishOptions.none(), 0, 0, "", false);

    public Renewal {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(mount, "mount");
    }

    /** Returns the renewal of a use that has no mount yet. */
    public static Renewal of(RepublishOptions options) {
        return options.equals(RepublishOptions.none()) ? NONE : new Renewal(options, 0, 0, "", false);
    }

    /** Returns this renewal with other options, which count from the next NodePublishVolume, which is due at once. */
    public Renewal with(RepublishOptions other) {
        return other.equals(options) ? this : new Renewal(other, 0, expiresMillis, mount, changed);
    }

    /** Returns this renewal after a successful NodePublishVolume. */
    public Renewal succeeded(long due, long expires, String seen) {
        return new Renewal(options, due, expires, mount.isEmpty() ? seen : mount, changed);
    }

    public Renewal withChangedMount() {
        return new Renewal(options, dueMillis, expiresMillis, mount, true);
    }

    /** Returns whether NodePublishVolume is called again for a mount with this renewal. */
    public boolean repeats() {
        return options.repeats() && !changed;
    }
}
