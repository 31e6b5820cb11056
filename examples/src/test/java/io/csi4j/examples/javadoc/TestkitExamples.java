package io.csi4j.examples.javadoc;

import static io.csi4j.testkit.assertion.CsiAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiClient;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.cluster.FakeAllocation;
import io.csi4j.testkit.cluster.FakeCluster;
import io.csi4j.testkit.cluster.FakeNode;
import io.csi4j.testkit.conformance.CsiConformance;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.junit.CsiPluginExtension;
import io.csi4j.testkit.junit.CsiPluginTest;
import io.csi4j.testkit.junit.StrictCheck;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The Javadoc examples of the testkit, so that the build compiles them; the tests of the testkit run such code. */
@SuppressWarnings({"unused", "UnusedVariable"})
abstract class TestkitExamples {
    void assertions(FakeCsiPlugin plugin) {
        assertThat(plugin).published("vol-1").onNode("node-1");
        assertThat(plugin).hasNoLeaks().sawNoConcurrentCallsPerVolume();
        assertThat(plugin.history().ofVolume("vol-1")).sawInOrder(Rpc.CREATE_VOLUME, Rpc.CONTROLLER_PUBLISH_VOLUME);
    }

    void cluster() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            FakeNode node = cluster.addNode("n1");
            VolumeKey volume = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            FakeAllocation web = cluster.startAllocation("web", "n1", volume);
            cluster.runUntilIdle();
            assertThat(web.hasMounted(volume)).isTrue();
            node.crash();
        }
    }

    abstract static class Conformance {
        @TestFactory
        Stream<DynamicNode> conformance() {
            return CsiConformance.builder("unix:///run/my-plugin/csi.sock")
                    .build()
                    .tests();
        }
    }

    void fault(FakeCsiPlugin plugin, String id) {
        Fault refusal = plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME)
                .forVolume(id)
                .times(2)
                .failWith(StatusCode.UNAVAILABLE);
        // ... let the code under test publish the volume ...
        assertThat(refusal.used()).isEqualTo(2);
    }

    void history(FakeCsiPlugin plugin) {
        System.out.println(plugin.history().ofVolume("vol-1").failed().toTable());
    }

    abstract static class Extension {
        @RegisterExtension
        static final CsiPluginExtension PLUGIN = CsiPluginExtension.builder()
                .plugin(plugin -> plugin.attachLimit(2))
                .lenient(StrictCheck.UNEXPECTED_CALLS)
                .build();
    }

    abstract static class Annotated {
        @CsiPluginTest
        @Test
        void schedulerReadsName(FakeCsiPlugin plugin, CsiClient client) {
            plugin.onCall(Rpc.GET_PLUGIN_INFO).once().failWith(StatusCode.UNAVAILABLE);
            // ... let the code under test use the client ...
        }
    }
}
