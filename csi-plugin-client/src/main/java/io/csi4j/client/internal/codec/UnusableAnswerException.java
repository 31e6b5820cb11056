package io.csi4j.client.internal.codec;

/** Reports an OK response that breaks a rule of CSI, so that it cannot be decoded. */
public final class UnusableAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param problem the field and its problem, without any sensitive value, for example {@code volume.volumeId is empty}
     */
    public UnusableAnswerException(String problem) {
        super(problem, null, false, false);
    }

    /**
     * Creates the exception.
     *
     * @param field the field, spelled like its accessor method
     * @param problem the problem, without any text of the plugin
     */
    public UnusableAnswerException(String field, String problem) {
        this(field + " " + problem);
    }

    /**
     * Returns an exception with the same problem, in which the name of the outer field precedes the path of the field.
     */
    public UnusableAnswerException inside(String outer) {
        return new UnusableAnswerException(outer + "." + getMessage());
    }
}
