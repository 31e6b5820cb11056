package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.internal.tree.Seeds;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Each stored text is restored unchanged, or is refused before anything is stored. */
class StoredTextsTest {
    private static final Instant NOW = Instant.EPOCH;
    private static final int ROUNDS = 300;
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    @Test
    void unpairedSurrogateIsRefusedWhenValueIsCreated() {
        factories().forEach((name, factory) -> {
            for (String half : List.of("abc\ud800", "abc\udc00d", "abc\ud800\ud800\udc00")) {
                assertThatIllegalArgumentException()
                        .as(name)
                        .isThrownBy(() -> factory.apply(half))
                        .withMessageContaining("holds an unpaired surrogate at 3")
                        .withMessageContaining("give Unicode text");
            }
            assertThat(factory.apply("abc\ud83d\ude00\u202e\u200b")).as(name).isNotNull();
        });
    }

    @Test
    void storedErrorTextReplacesUnpairedSurrogates() {
        assertThat(Retry.of(1, "a\ud800b", NOW).lastError()).contains("a\ufffdb");
        assertThat(instance("p", "a\udc00").healthDescription()).isEqualTo("a\ufffd");
    }

    @Test
    void anyTextIsEitherRefusedOrRestoredUnchanged() {
        SplittableRandom seeds = Seeds.next("StoredTextsTest");
        for (int round = 0; round < ROUNDS; round++) {
            long seed = seeds.nextLong();
            SplittableRandom random = new SplittableRandom(seed);
            try (StateStore store = StateEncodingTest.store(StateEncodingTest.cipher("k1", StateEncodingTest.key(1)));
                    StateStore other =
                            StateEncodingTest.store(StateEncodingTest.cipher("k1", StateEncodingTest.key(1)))) {
                for (int i = 0; i < 5; i++) {
                    apply(store, random, i);
                }
                byte[] bytes = StateEncodingTest.encode(store);
                StateEncodingTest.restore(other, bytes);
                SameAnswers.check(other.snapshot(), store.snapshot());
                assertThat(StateEncodingTest.encode(other)).isEqualTo(bytes);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("round " + round + " with seed " + seed, e);
            }
        }
    }

    /** Applies the commands of a volume from its registration to a claim, an attachment, a change and an operator's override. */
    private static void apply(StateStore store, SplittableRandom random, int i) {
        NodeId node = made(text -> NodeId.of(text + i), random);
        PluginId plugin = made(text -> PluginId.of(text + i), random);
        Namespace namespace = made(Namespace::of, random);
        AllocationId allocation = made(text -> AllocationId.of(text + i), random);
        VolumeKey key = new VolumeKey(namespace, made(text -> VolumeId.of(text + i), random));
        Cluster cluster = new Cluster(store);
        cluster.accepted(new NodeCommand.UpsertNode(node, NOW));
        cluster.accepted(new AllocationCommand.UpsertAllocation(
                allocation,
                namespace,
                node,
                Optional.of(made(name -> new DeploymentId(namespace, name), random)),
                AllocationStatus.RUNNING,
                NOW));
        PluginInstance instance = made(text -> instance(plugin, node, text), random);
        cluster.accepted(new PluginCommand.FingerprintNode(node, List.of(instance), NOW));
        VolumeSpec spec = made(text -> spec(plugin, text), random);
        cluster.accepted(new VolumeCommand.RegisterVolume(
                key, spec, VolumeOrigin.REGISTERED, made(StoredTextsTest::facts, random), NOW));
        cluster.accepted(new ClaimCommand.TakeClaims(
                allocation,
                List.of(new ClaimRequest(
                        key,
                        ClaimMode.WRITE,
                        WRITER,
                        made(text -> new MountOptions(text, MountFlags.of(text), text), random))),
                NOW));
        cluster.accepted(made(
                error -> new CallCommand.RecordCallError(
                        key, new CallTarget.OfAttachment(node, 0), Attempt.failed(error, NOW), NOW),
                random));
        if (random.nextBoolean()) {
            cluster.accepted(made(
                    text -> new AttachmentCommand.RecordPublished(
                            key, node, PublishContext.of(Map.of(text, text)), NOW),
                    random));
        }
        cluster.accepted(made(text -> new ChangeCommand.BeginModification(key, Map.of(text, text), NOW), random));
        if (random.nextBoolean()) {
            cluster.accepted(made(text -> new ClaimCommand.OverrideClaim(key, allocation, text, text, NOW), random));
        }
        cluster.accepted(made(reason -> new NodeCommand.SetNodeStatus(node, NodeStatus.DOWN, reason, NOW), random));
    }

    private static ProviderFacts facts(String text) {
        return ProviderFacts.builder()
                .volumeContext(VolumeContext.of(Map.of(text, text)))
                .build();
    }

    private static VolumeSpec spec(PluginId plugin, String text) {
        return VolumeSpec.builder(plugin)
                .name(text)
                .externalVolumeId(ExternalVolumeId.of(text))
                .requestedCapabilities(List.of(WRITER))
                .mountOptions(new MountOptions(text, MountFlags.of(text), text))
                .secrets(Secrets.of(Map.of("key", text)))
                .parameters(Map.of(text, text))
                .volumeContext(VolumeContext.of(Map.of(text, text)))
                .build();
    }

    private static PluginInstance instance(String plugin, String text) {
        return instance(PluginId.of(plugin), NodeId.of("n"), text, "1");
    }

    private static PluginInstance instance(PluginId plugin, NodeId node, String text) {
        return instance(plugin, node, text, text);
    }

    private static PluginInstance instance(PluginId plugin, NodeId node, String health, String text) {
        return PluginInstance.builder(new InstanceKey(node, plugin, PluginType.MONOLITH, Optional.empty()), NOW)
                .health(true, health)
                .provider(text)
                .vendorVersion(text)
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withController(
                                ControllerCapability.PUBLISH_UNPUBLISH_VOLUME, ControllerCapability.MODIFY_VOLUME)
                        .withNode(NodeCapability.VOLUME_MOUNT_GROUP))
                .nodeInfo(new NodeInfo(ExternalNodeId.of(text), 0, Optional.of(new Topology(Map.of(text, text)))))
                .build();
    }

    /** Returns the first random value that the factory accepts. */
    private static <T> T made(Function<String, T> factory, SplittableRandom random) {
        while (true) {
            try {
                return factory.apply(text(random));
            } catch (IllegalArgumentException | CsiRequestException refused) {
                assertThat(refused).hasMessageMatching("(?s).*(surrogate|control character).*");
            }
        }
    }

    private static String text(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(1, 8);
        for (int i = 0; i < length; i++) {
            switch (random.nextInt(4)) {
                case 0 -> text.append((char) random.nextInt('a', 'e'));
                case 1 -> text.append((char) random.nextInt(0xD7F0, 0xE010));
                case 2 -> text.append((char) random.nextInt(0x2000, 0x2070));
                default -> text.appendCodePoint(random.nextInt(Character.MAX_CODE_POINT + 1));
            }
        }
        return text.toString();
    }

    private static Map<String, Function<String, Object>> factories() {
        Map<String, Function<String, Object>> all = new LinkedHashMap<>();
        VolumeSpec.Builder spec = VolumeSpec.builder(PluginId.of("p"));
        NodeId node = NodeId.of("n");
        all.put("NodeId", NodeId::of);
        all.put("PluginId", PluginId::of);
        all.put("Namespace", Namespace::of);
        all.put("AllocationId", AllocationId::of);
        all.put("VolumeId", VolumeId::of);
        all.put("DeploymentId", text -> DeploymentId.of("default", text));
        all.put("ExternalVolumeId", ExternalVolumeId::of);
        all.put("ExternalNodeId", ExternalNodeId::of);
        all.put("SnapshotId", SnapshotId::of);
        all.put("GroupSnapshotId", GroupSnapshotId::of);
        all.put("Secrets key", text -> Secrets.of(Map.of(text, "")));
        all.put("Secrets value", text -> Secrets.of(Map.of("k", text)));
        all.put("VolumeContext", text -> VolumeContext.of(Map.of("k", text)));
        all.put("PublishContext", text -> PublishContext.of(Map.of("k", text)));
        all.put("Topology key", text -> new Topology(Map.of(text, "z")));
        all.put("Topology value", text -> new Topology(Map.of("k", text)));
        all.put("MountFlags", text -> MountFlags.of(text));
        all.put("fsType", text -> MountOptions.of(text));
        all.put("volumeMountGroup", text -> new MountOptions("", MountFlags.empty(), text));
        all.put("name", spec::name);
        all.put("parameters", text -> spec.parameters(Map.of("k", text)));
        all.put("mutableParameters", text -> spec.mutableParameters(Map.of(text, "")));
        all.put("provider", text -> instance(PluginId.of("p"), node, "", text));
        all.put("status", text -> new NodeCommand.SetNodeStatus(node, NodeStatus.DOWN, text, NOW));
        all.put("fence", text -> new NodeCommand.FenceNode(node, text, NOW));
        all.put("remove", text -> new NodeCommand.RemoveNode(node, text, NOW));
        all.put(
                "resolve",
                text -> new NodeCommand.ResolveFormerMachine(
                        node,
                        PluginId.of("p"),
                        ExternalNodeId.of("e1"),
                        ExternalNodeId.of("e2"),
                        NodeCommand.FormerMachine.LOST,
                        "who",
                        text,
                        NOW));
        all.put("restored", text -> new NodeCommand.RequireLedgers(text, NOW));
        all.put("who", text -> new OperatorOverride(text, "why", NOW));
        all.put("why", text -> new OperatorOverride("who", text, NOW));
        return all;
    }
}
