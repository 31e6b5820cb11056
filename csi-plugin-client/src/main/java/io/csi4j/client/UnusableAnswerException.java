package io.csi4j.client;

/** An answer with status OK that breaks a rule of CSI, so that no response can be made of it. */
final class UnusableAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param problem which field and what is wrong with it, without any sensitive value, for example
     *     {@code volume.volume_id is empty}
     */
    UnusableAnswerException(String problem) {
        super(problem, null, false, false);
    }
}
