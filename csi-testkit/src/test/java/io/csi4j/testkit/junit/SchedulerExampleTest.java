package io.csi4j.testkit.junit;

import static io.csi4j.testkit.assertion.CsiAssertions.assertThat;

import io.csi4j.client.CsiClient;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.testkit.FakeCsiPlugin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The examples of the JUnit extension in the README. */
class SchedulerExampleTest {
    // DOCS
    @CsiPluginTest
    static class AttachTest {
        @Test
        void attachSucceedsAfterPluginWasUnavailableTwice(FakeCsiPlugin plugin, CsiClient client) {
            plugin.storage().provision("vol-1", 1 << 30);
            plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME)
                    .forVolume("vol-1")
                    .times(2)
                    .failWith(StatusCode.UNAVAILABLE);

            Scheduler scheduler = new Scheduler(client);
            scheduler.attach("vol-1", "node-1");
            assertThat(plugin).published("vol-1").onNode("node-1").usedAllFaults();

            scheduler.detach("vol-1", "node-1");
            assertThat(plugin)
                    .notPublished("vol-1")
                    .sawInOrder(Rpc.CONTROLLER_PUBLISH_VOLUME, Rpc.CONTROLLER_UNPUBLISH_VOLUME);
        }
    }
    // DOCS

    @Test
    void exampleTestClassesWithPluginExtensionPass() {
        org.junit.platform.testkit.engine.EngineTestKit.engine("junit-jupiter")
                .selectors(
                        org.junit.platform.engine.discovery.DiscoverySelectors.selectClass(AttachTest.class),
                        org.junit.platform.engine.discovery.DiscoverySelectors.selectClass(SmallNodeTest.class))
                .execute()
                .testEvents()
                .assertStatistics(events -> events.succeeded(2).failed(0));
    }

    // DOCS
    static class SmallNodeTest {
        @RegisterExtension
        static final CsiPluginExtension PLUGIN = CsiPluginExtension.builder()
                .plugin(plugin -> plugin.attachLimit(1))
                .lifetime(Lifetime.PER_CLASS)
                .lenient(StrictCheck.LEAKS)
                .build();

        @Test
        void attachingSecondVolumeToFullNodeFails(FakeCsiPlugin plugin, CsiClient client) {
            plugin.storage().provision("vol-1", 1 << 30);
            plugin.storage().provision("vol-2", 1 << 30);
            Scheduler scheduler = new Scheduler(client);
            scheduler.attach("vol-1", "node-1");
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> scheduler.attach("vol-2", "node-1"))
                    .hasMessageContaining("RESOURCE_EXHAUSTED");
        }
    }
    // DOCS

    /** Stands for the code under test. */
    static final class Scheduler {
        private final CsiClient client;

        Scheduler(CsiClient client) {
            this.client = client;
        }

        void attach(String volume, String node) {
            client.controller()
                    .controllerPublishVolume(ControllerPublishVolumeRequest.builder(
                                    ExternalVolumeId.of(volume),
                                    ExternalNodeId.of(node),
                                    VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER))
                            .build())
                    .join();
        }

        void detach(String volume, String node) {
            client.controller()
                    .controllerUnpublishVolume(ControllerUnpublishVolumeRequest.builder(
                                    ExternalVolumeId.of(volume), ExternalNodeId.of(node))
                            .build())
                    .join();
        }
    }
}
