package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiClient;
import io.csi4j.core.call.Rpc;
import io.csi4j.testkit.fault.Fault;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The examples of faults in the README. */
class FaultsExampleTest {
    @Test
    void hangingFaultLetsTestActWhileCallIsInFlight() {
        // DOCS
        try (FakeCsiPlugin plugin = FakeCsiPlugin.builder().build().startInProcess();
                CsiClient client = CsiClient.connect(plugin.endpoint())) {
            Fault hang = plugin.onCall(Rpc.GET_PLUGIN_INFO).once().hang();
            CompletableFuture<?> call = client.identity().getPluginInfo();
            hang.awaitUse(1, Duration.ofSeconds(10));
            assertThat(plugin.history().inFlight().calls()).hasSize(1);
            hang.remove();
            call.join();
            System.out.println(plugin.history().toTable());
        }
        // DOCS
    }
}
