package io.csi4j.testkit.assertion;

import io.csi4j.testkit.history.CallHistory;

/** Assertions about a history, for example about the calls of one volume. */
public final class HistoryAssert extends AbstractHistoryAssert<HistoryAssert, CallHistory> {
    HistoryAssert(CallHistory actual) {
        super(actual, HistoryAssert.class);
    }

    @Override
    CallHistory history() {
        return actual;
    }
}
