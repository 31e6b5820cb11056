package io.csi4j.state;

import org.jspecify.annotations.Nullable;

/** The kinds of records of an encoded state, in the order in which they are written. The numbers are part of the file format. */
enum RecordKind {
    HEADER(1),
    FACTS(2),
    DEPLOYMENT(3),
    NODE(4),
    ALLOCATION(5),
    INSTANCE(6),
    VOLUME(7),
    LEFTOVER(9),
    WITHDRAWN_CREATION(10),
    REQUESTED_CLAIMS(11),
    ACCESS_TOKEN(12),
    REFUSED_CREATION(13),
    VOLUME_CLASS(14),
    QUOTA(15),
    ENDED_OWNER(16),
    RESTORE(17),
    PLUGIN_PROFILE(18),
    SNAPSHOT(19),
    TRAILER(8);

    final int number;

    RecordKind(int number) {
        this.number = number;
    }

    /** Returns whether a record of this kind is a row. */
    boolean isRow() {
        return this != HEADER && this != TRAILER;
    }

    static @Nullable RecordKind of(int number) {
        for (RecordKind kind : values()) {
            if (kind.number == number) {
                return kind;
            }
        }
        return null;
    }
}
