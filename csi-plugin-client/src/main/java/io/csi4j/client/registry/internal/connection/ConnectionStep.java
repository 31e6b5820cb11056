package io.csi4j.client.registry.internal.connection;

/**
 * The result of one decision of the rules.
 *
 * @param model the next state
 * @param ask the query to send now, or none
 * @param abandon whether to abandon the query in flight
 */
public record ConnectionStep(ConnectionModel model, Question ask, boolean abandon) {
    public static ConnectionStep quiet(ConnectionModel model) {
        return new ConnectionStep(model, Question.NONE, false);
    }

    public static ConnectionStep asking(ConnectionModel model, Question question) {
        return new ConnectionStep(model.asking(question), question, false);
    }

    /** Returns the step that abandons the query in flight. */
    public static ConnectionStep abandoning(ConnectionModel model) {
        return new ConnectionStep(model.asking(Question.NONE), Question.NONE, true);
    }
}
