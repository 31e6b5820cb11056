package io.csi4j.client.internal.codec;

import java.util.Optional;

/** Reports an OK response that breaks a rule of CSI, so that it cannot be decoded. */
public final class UnusableAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Optional<String> createdVolume;

    /**
     * Creates the exception.
     *
     * @param problem the field and its problem, without any sensitive value, for example {@code volume.volumeId is empty}
     */
    public UnusableAnswerException(String problem) {
        this(problem, Optional.empty());
    }

    private UnusableAnswerException(String problem, Optional<String> createdVolume) {
        super(problem, null, false, false);
        this.createdVolume = createdVolume;
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
     * Creates the exception.
     *
     * @param field the field, spelled like its accessor method
     * @param problem the problem, without any text of the plugin
     * @param createdVolume the id of the volume that the plugin has created; empty if it is not known
     */
    public UnusableAnswerException(String field, String problem, Optional<String> createdVolume) {
        this(field + " " + problem, createdVolume);
    }

    /** Returns the id of the volume that the plugin has created; empty if it is not known. */
    public Optional<String> createdVolume() {
        return createdVolume;
    }

    /**
     * Returns an exception with the same problem, in which the name of the outer field precedes the path of the field.
     */
    public UnusableAnswerException inside(String outer) {
        return new UnusableAnswerException(outer + "." + getMessage(), createdVolume);
    }
}
