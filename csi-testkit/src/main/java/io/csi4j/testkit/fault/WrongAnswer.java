package io.csi4j.testkit.fault;

/** The ways in which an answer can be wrong. The call takes effect in all of them. */
public enum WrongAnswer {
    /** A message without any field. */
    EMPTY("empty"),
    /** The right message with other values in all of its ids. */
    OTHER_IDS("other-ids"),
    /** The right message, in which all sizes are one byte. */
    TINY_SIZES("tiny-sizes"),
    /**
     * CreateVolume puts the volume into a known place outside of the places in the request, and answers so. The volume is there: it takes room
     * there, and only nodes there reach it. If all known places are in the request, the call fails with INTERNAL.
     */
    OTHER_PLACE("other-place"),
    /** The right message, in which the capacity of a volume is one byte more. */
    ONE_BYTE_MORE("one-byte-more"),
    /** The right message, in which the capacity of a volume is one byte less. */
    ONE_BYTE_LESS("one-byte-less"),
    /** The right message, in which the capacity of a volume is zero, which means unknown (R57). */
    UNKNOWN_SIZE("unknown-size"),
    /** The right message, in which the capacity of a volume is the largest number, 2^63 - 1. */
    LARGEST_SIZE("largest-size"),
    /** Bytes that are no message. */
    UNDECODABLE("undecodable"),
    /** The right message with fields that no version of CSI has. A caller has to accept it. */
    UNKNOWN_FIELDS("unknown-fields"),
    /** The right message, in which all ids have 2 KiB more. */
    LONG_IDS("long-ids"),
    /** The right message, in which all contexts have 5 KiB more (R16 allows 4 KiB). */
    LARGE_CONTEXTS("large-contexts"),
    /** The right message, in which all topologies have 5 MiB more. NodeGetInfo has one in any case. */
    LARGE_TOPOLOGY("large-topology"),
    /** The right message, in which all texts for people have 1 MiB more. */
    LONG_TEXTS("long-texts"),
    /** The first page of a list, which names the same next page each time. */
    SAME_TOKEN("same-token"),
    /** The first page of a list, which names another next page each time, so that the list never ends. */
    NEW_TOKENS("new-tokens"),
    /** The right stream, after which messages without a range follow until the caller cancels. */
    ENDLESS_STREAM("endless-stream");

    private final String word;

    WrongAnswer(String word) {
        this.word = word;
    }

    /** Returns the word for scripts, for example {@code other-ids}. */
    public String word() {
        return word;
    }
}
