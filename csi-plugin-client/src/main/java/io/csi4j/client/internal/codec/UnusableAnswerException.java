package io.csi4j.client.internal.codec;

/** An answer with status OK that breaks a rule of CSI, so that no response can be made of it. */
public final class UnusableAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * An unusable answer.
     *
     * @param problem which field and what is wrong with it, without any sensitive value, for example
     *     {@code volume.volumeId is empty}
     */
    public UnusableAnswerException(String problem) {
        super(problem, null, false, false);
    }

    /**
     * An unusable field.
     *
     * @param field the field, in the spelling of its accessor
     * @param problem what is wrong with it, without any text that the plugin sent
     */
    public UnusableAnswerException(String field, String problem) {
        this(field + " " + problem);
    }

    /** The same problem, seen from the message that holds this one in {@code outer}. */
    public UnusableAnswerException inside(String outer) {
        return new UnusableAnswerException(outer + "." + getMessage());
    }
}
