package io.csi4j.testkit.internal.storage;

import io.csi4j.testkit.internal.store.RecordFields;

/**
 * What is wrong with a volume, in the words of both models of CSI.
 *
 * @param status a number of VolumeHealthErrorType; zero when the volume is well
 * @param reason a CamelCase word for programs; empty when the volume is well
 * @param message a sentence for people
 */
public record Condition(int status, String reason, String message) {
    /** Nothing is wrong. */
    public static final Condition HEALTHY = new Condition(0, "", "");

    /**
     * Whether something is wrong.
     *
     * @return whether something is wrong
     */
    public boolean abnormal() {
        return status != 0;
    }

    void encode(RecordFields fields) {
        fields.put("condition.status", status).put("condition.reason", reason).put("condition.message", message);
    }

    static Condition decode(RecordFields fields) {
        return new Condition(
                (int) fields.number("condition.status"),
                fields.text("condition.reason"),
                fields.text("condition.message"));
    }
}
