package io.csi4j.testkit.fault;

/** The ways in which an answer can be wrong. The call takes effect in all of them. */
public enum WrongAnswer {
    /** A message without any field. */
    EMPTY("empty"),
    /** The right message with other values in all of its ids. */
    OTHER_IDS("other-ids"),
    /** The right message, in which all sizes are one byte. */
    TINY_SIZES("tiny-sizes"),
    /** Bytes that are no message. */
    UNDECODABLE("undecodable"),
    /** The right message with fields that no version of CSI has. A caller has to accept it. */
    UNKNOWN_FIELDS("unknown-fields");

    private final String word;

    WrongAnswer(String word) {
        this.word = word;
    }

    /** Returns the word for scripts, for example {@code other-ids}. */
    public String word() {
        return word;
    }
}
