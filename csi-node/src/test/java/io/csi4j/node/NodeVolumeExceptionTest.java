package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.node.NodeVolumeException.Reason;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NodeVolumeExceptionTest {
    private static final String TEXT = "a text that may be the plugin's";

    @ParameterizedTest
    @EnumSource
    void summaryHasTheMessageOnlyOfAFailureOfTheLedger(Reason reason) {
        String summary = new NodeVolumeException(reason, TEXT).summary();
        if (reason == Reason.LEDGER) {
            assertThat(summary).isEqualTo(TEXT);
        } else {
            assertThat(summary).contains(reason.name()).doesNotContain(TEXT);
        }
    }

    @ParameterizedTest
    @EnumSource
    void onlyUnfinishedWorkAndTheLedgerAreWorthARetry(Reason reason) {
        assertThat(new NodeVolumeException(reason, TEXT).retryable())
                .isEqualTo(reason == Reason.UNFINISHED || reason == Reason.LEDGER);
    }
}
