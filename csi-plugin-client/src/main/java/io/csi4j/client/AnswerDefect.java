package io.csi4j.client;

/** An answer that CSI does not permit: which field, and what is wrong with it. Never leaves this package. */
final class AnswerDefect extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String field;
    private final String problem;

    /**
     * A defect.
     *
     * @param field the field, in the spelling of its accessor
     * @param problem what is wrong with it; holds no value that came as text
     */
    AnswerDefect(String field, String problem) {
        super(field + " " + problem, null, false, false);
        this.field = field;
        this.problem = problem;
    }

    /** The same defect, seen from the message that holds this one in {@code outer}. */
    AnswerDefect inside(String outer) {
        return new AnswerDefect(outer + "." + field, problem);
    }
}
