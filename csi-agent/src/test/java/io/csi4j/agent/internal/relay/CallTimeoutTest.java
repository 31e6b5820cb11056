package io.csi4j.agent.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CallDeadlines;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.lifecycle.LifecycleOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CallTimeoutTest {
    @ParameterizedTest
    @EnumSource(Rpc.class)
    void engineWaitsLongerThanTheTransportSoThatItsFailureIsSeen(Rpc rpc) {
        assertThat(CallDeadlines.ofDefaults().of(rpc).plus(AgentLink.SLACK.multipliedBy(2)))
                .isLessThan(LifecycleOptions.ofDefaults().callTimeout());
    }
}
