package io.csi4j.testkit.internal.storage;

import io.csi4j.testkit.internal.store.RecordFields;

/**
 * The problem of a volume, in the terms of both health models of CSI.
 *
 * @param status a number of VolumeHealthErrorType; zero: healthy
 * @param reason a CamelCase word for programs; empty: healthy
 * @param message a sentence for people
 */
public record Condition(int status, String reason, String message) {
    /** No problem. */
    public static final Condition HEALTHY = new Condition(0, "", "");

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
