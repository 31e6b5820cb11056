package io.csi4j.testkit.assertion;

import io.csi4j.testkit.ObservablePlugin;
import io.csi4j.testkit.history.CallHistory;

/** The entry point of the assertions. */
public final class CsiAssertions {
    private CsiAssertions() {}

    /** Begins assertions about a plugin: its calls so far, its leaks and its faults. */
    public static PluginAssert assertThat(ObservablePlugin plugin) {
        return new PluginAssert(plugin);
    }

    /** Begins assertions about the calls of a history. */
    public static HistoryAssert assertThat(CallHistory history) {
        return new HistoryAssert(history);
    }
}
