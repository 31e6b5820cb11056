package io.csi4j.testkit.history;

import java.util.Objects;

/**
 * Something that callers created at a plugin and have not removed.
 *
 * @param kind the kind of object or use that remains
 * @param id the id of the volume or snapshot
 * @param location the node of an attachment or an inline volume; node and path of a staging or publication; empty for a volume or snapshot
 */
public record Leak(Kind kind, String id, String location) {
    /** The kinds of leaks. */
    public enum Kind {
        /** A volume that CreateVolume made; DeleteVolume is missing. */
        VOLUME("volume", "DeleteVolume"),
        /** A snapshot; DeleteSnapshot is missing. */
        SNAPSHOT("snapshot", "DeleteSnapshot"),
        /** A volume that is published to a node; ControllerUnpublishVolume is missing. */
        ATTACHMENT("attachment", "ControllerUnpublishVolume"),
        /** A volume that is staged on a node; NodeUnstageVolume is missing. */
        STAGING("staging", "NodeUnstageVolume"),
        /** A volume that is published at a path; NodeUnpublishVolume is missing. */
        PUBLICATION("publication", "NodeUnpublishVolume"),
        /** An inline volume, mounted or not; NodeUnpublishVolume is missing. */
        INLINE_VOLUME("inline volume", "NodeUnpublishVolume");

        private final String word;
        private final String missing;

        Kind(String word, String missing) {
            this.word = word;
            this.missing = missing;
        }
    }

    /** Checks that no part is null. */
    public Leak {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(location, "place");
    }

    /** Returns a sentence that names the missing call. */
    @Override
    public String toString() {
        return kind.word + " '" + id + "'" + (location.isEmpty() ? "" : " at " + location) + " is left; " + kind.missing
                + " is missing";
    }
}
