package io.csi4j.testkit.junit;

import io.csi4j.client.CsiClient;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakeCsiPluginBuilder;
import io.csi4j.testkit.FakeStorage;
import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.fault.Fault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that {@link CsiPluginExtensionTest} runs: some misuse the plugin in each way that the extension checks. */
final class Samples {
    static final String SECRET = "correct-horse-battery";
    private static final VolumeCapability WRITER = VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final ExternalVolumeId VOLUME = ExternalVolumeId.of("vol-1");
    private static final ExternalNodeId NODE = ExternalNodeId.of("node-1");

    private Samples() {}

    private static CreateVolumeRequest create(String name) {
        return CreateVolumeRequest.builder(name, List.of(WRITER)).build();
    }

    private static CompletableFuture<?> publish(CsiClient client) {
        return client.controller()
                .controllerPublishVolume(ControllerPublishVolumeRequest.builder(VOLUME, NODE, WRITER)
                        .secrets(Secrets.of(Map.of("password", SECRET)))
                        .build());
    }

    private static CompletableFuture<?> unpublish(CsiClient client) {
        return client.controller()
                .controllerUnpublishVolume(
                        ControllerUnpublishVolumeRequest.builder(VOLUME, NODE).build());
    }

    /** With the deadlines of production, the attempt would take more than a minute. */
    @CsiPluginTest
    static class LosingReply {
        @Test
        @Timeout(30)
        void callWhoseReplyIsLostIsRepeatedWithinSeconds(FakeCsiPlugin plugin, FakeStorage storage, CsiClient client) {
            storage.provision("vol-1", 1 << 20);
            plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().loseReplyAfterEffect();
            publish(client).join();
            unpublish(client).join();
        }
    }

    @CsiPluginTest
    static class Good {
        private FakeCsiPlugin first;

        @BeforeEach
        void provision(FakeCsiPlugin plugin, FakeStorage storage) {
            storage.provision("vol-1", 1 << 20);
            first = plugin;
        }

        @Test
        void allParametersInjectedIntoOneTestBelongToOnePlugin(
                FakeCsiPlugin plugin,
                CsiClient client,
                FakeStorage storage,
                @PluginSocket Path socket,
                @PluginSocket String text,
                @TempDir Path other) {
            Assertions.assertThat(plugin).isSameAs(first);
            Assertions.assertThat(plugin.storage()).isSameAs(storage);
            Assertions.assertThat(plugin.endpoint())
                    .isEqualTo("unix://" + socket)
                    .isEqualTo("unix://" + text);
            Assertions.assertThat(other).isNotEqualTo(socket.getParent());
            publish(client).join();
            unpublish(client).join();
            try (CsiClient onSocket = CsiClient.connect(text)) {
                onSocket.identity().getPluginInfo().join();
            }
            Assertions.assertThat(plugin.history().calls()).hasSize(3);
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3})
        void eachTestHasItsOwnPlugin(int number, FakeCsiPlugin plugin) {
            Assertions.assertThat(plugin.history().calls()).isEmpty();
            plugin.storage().provision("own-" + number, 1 << 20);
            Assertions.assertThat(plugin.storage().volumeIds()).hasSize(2);
        }

        @Nested
        class Inner {
            @Test
            void nestedTestGetsPluginOfOuterClass(FakeCsiPlugin plugin) {
                Assertions.assertThat(plugin).isSameAs(first);
            }
        }
    }

    static class OnMethod {
        @Test
        @CsiPluginTest(configuration = Small.class)
        void annotatedMethodGetsPluginWithItsConfiguration(FakeCsiPlugin plugin) {
            Assertions.assertThat(plugin.nodeId()).isEqualTo("small");
        }
    }

    static final class Small implements PluginConfiguration {
        @Override
        public void apply(FakeCsiPluginBuilder plugin) {
            plugin.nodeId("small");
        }
    }

    @CsiPluginTest
    static class Leaking {
        @Test
        void sampleThatLeavesVolumeBehind(CsiClient client) {
            client.controller().createVolume(create("data")).join();
        }

        @Test
        void sampleThatLeavesAttachmentBehind(CsiClient client, FakeStorage storage) {
            storage.provision("vol-1", 1 << 20);
            publish(client).join();
        }
    }

    @CsiPluginTest(lenient = StrictCheck.LEAKS)
    static class LeakingLeniently {
        @Test
        void sampleThatLeavesVolumeBehind(CsiClient client) {
            client.controller().createVolume(create("data")).join();
        }
    }

    @CsiPluginTest(configuration = WithoutStaging.class)
    static class Unexpected {
        @Test
        void sampleThatUnstagesWithoutUnstageCapability(CsiClient client) {
            client.node()
                    .nodeUnstageVolume(
                            NodeUnstageVolumeRequest.builder(VOLUME, "/staging").build())
                    .handle((done, failure) -> failure)
                    .join();
        }
    }

    @CsiPluginTest(configuration = WithoutStaging.class, lenient = StrictCheck.UNEXPECTED_CALLS)
    static class UnexpectedLeniently extends Unexpected {}

    static final class WithoutStaging implements PluginConfiguration {
        @Override
        public void apply(FakeCsiPluginBuilder plugin) {
            plugin.without(FakeCapability.STAGE_UNSTAGE_VOLUME);
        }
    }

    @CsiPluginTest
    static class Concurrent {
        @Test
        void sampleThatPublishesVolumeTwiceConcurrently(FakeCsiPlugin plugin, CsiClient client, FakeStorage storage) {
            storage.provision("vol-1", 1 << 20);
            Fault hang = plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().hang();
            CompletableFuture<?> first = publish(client);
            hang.awaitUse(1, Duration.ofSeconds(20));
            publish(client).join();
            hang.remove();
            first.join();
            unpublish(client).join();
        }
    }

    @CsiPluginTest(lenient = StrictCheck.CONCURRENT_CALLS)
    static class ConcurrentLeniently extends Concurrent {}

    @CsiPluginTest
    static class Changing {
        @Test
        void sampleThatRepeatsCreateVolumeWithAnotherSize(CsiClient client) {
            client.controller()
                    .createVolume(CreateVolumeRequest.builder("data", List.of(WRITER))
                            .capacityRange(CapacityRange.atLeast(2))
                            .build())
                    .join();
            ExternalVolumeId id = client.controller()
                    .createVolume(CreateVolumeRequest.builder("data", List.of(WRITER))
                            .capacityRange(CapacityRange.atLeast(1))
                            .build())
                    .join()
                    .volume()
                    .volumeId();
            client.controller()
                    .deleteVolume(DeleteVolumeRequest.builder(id).build())
                    .join();
        }
    }

    @CsiPluginTest(lenient = StrictCheck.CHANGED_REQUESTS)
    static class ChangingLeniently extends Changing {}

    @CsiPluginTest
    static class Logging {
        @Test
        void sampleThatLogsSecret(CsiClient client, FakeStorage storage) {
            storage.provision("vol-1", 1 << 20);
            publish(client).join();
            unpublish(client).join();
            Logger.getLogger("io.csi4j.sample.scheduler").log(Level.FINE, "publishing with {0}", SECRET);
        }
    }

    @CsiPluginTest
    static class SystemLogging {
        @Test
        void sampleThatLogsExceptionWithSecret(CsiClient client, FakeStorage storage) {
            storage.provision("vol-1", 1 << 20);
            publish(client).join();
            unpublish(client).join();
            System.getLogger("org.example.scheduler")
                    .log(System.Logger.Level.WARNING, "attach failed", new IllegalStateException(SECRET));
        }
    }

    @CsiPluginTest(lenient = StrictCheck.SECRETS_IN_LOGS)
    static class LoggingLeniently extends Logging {}

    @CsiPluginTest
    static class Failing {
        @Test
        void sampleThatFailsBeforeItDeletesItsVolume(CsiClient client) {
            client.controller().createVolume(create("data")).join();
            throw new IllegalStateException("the test itself");
        }
    }

    @CsiPluginTest(lifetime = Lifetime.PER_CLASS)
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class PerClass {
        @Test
        @Order(1)
        void firstSampleLeavesAttachmentForSecondSample(CsiClient client, FakeStorage storage) {
            storage.provision("vol-1", 1 << 20);
            publish(client).join();
        }

        @Test
        @Order(2)
        void secondSampleFindsAndRemovesAttachmentOfFirstSample(CsiClient client, FakeStorage storage) {
            Assertions.assertThat(storage.attachedNodes("vol-1")).containsExactly("node-1");
            unpublish(client).join();
        }
    }

    @CsiPluginTest(lifetime = Lifetime.PER_CLASS)
    static class PerClassLeaking {
        @Test
        void sampleThatLeavesVolumeBehind(CsiClient client) {
            client.controller().createVolume(create("data")).join();
        }
    }

    static class Registered {
        @RegisterExtension
        static final CsiPluginExtension PLUGIN = CsiPluginExtension.builder()
                .plugin(plugin -> plugin.nodeId("registered"))
                .lifetime(Lifetime.PER_CLASS)
                .lenient(StrictCheck.LEAKS)
                .build();

        @Test
        void registeredExtensionConfiguresPluginAndPermitsLeaks(FakeCsiPlugin plugin, CsiClient client) {
            Assertions.assertThat(plugin.nodeId()).isEqualTo("registered");
            client.controller().createVolume(create("data")).join();
        }
    }

    /** Each test uses the same names at its own plugin, at one time. */
    @CsiPluginTest
    @Execution(ExecutionMode.CONCURRENT)
    static class Parallel {
        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
        void samplesWithOddNumberLeaveAttachmentBehind(int number, CsiClient client, FakeStorage storage) {
            storage.provision("vol-1", 1 << 20);
            publish(client).join();
            if (number % 2 == 0) {
                unpublish(client).join();
            }
        }
    }
}
