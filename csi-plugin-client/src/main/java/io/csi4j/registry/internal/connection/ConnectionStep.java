package io.csi4j.registry.internal.connection;

/**
 * The result of a decision.
 *
 * @param model the next state
 * @param ask what to ask the plugin now, or nothing
 * @param abandon whether the question in flight, if any, is to be given up
 */
public record ConnectionStep(ConnectionModel model, Question ask, boolean abandon) {
    public static ConnectionStep quiet(ConnectionModel model) {
        return new ConnectionStep(model, Question.NONE, false);
    }

    public static ConnectionStep asking(ConnectionModel model, Question question) {
        return new ConnectionStep(model.asking(question), question, false);
    }

    /** Forgets the question in flight. */
    public static ConnectionStep abandoning(ConnectionModel model) {
        return new ConnectionStep(model.asking(Question.NONE), Question.NONE, true);
    }
}
