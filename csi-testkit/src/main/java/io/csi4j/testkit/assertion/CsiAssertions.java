package io.csi4j.testkit.assertion;

import io.csi4j.testkit.ObservablePlugin;
import io.csi4j.testkit.cluster.FakeNode;
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

    /** Begins assertions about a node of a fake cluster. */
    public static FakeNodeAssert assertThat(FakeNode node) {
        return new FakeNodeAssert(node);
    }
}
